//! The complementary error function (polynomials of Cephes) and the inverse error function (those of M. Giles).

use super::Term;

/// Coefficients of `erf_inv(x) / x` where `-ln(1 - x²)` is below 5, highest degree first, for f32.
const INVERSE_F32_CENTER: [f64; 9] = [2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941];
/// The same in the tail.
const INVERSE_F32_TAIL: [f64; 9] = [-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682];
/// Below 6.25, for f64.
const INVERSE_F64_CENTER: [f64; 23] = [-3.64441206401782e-21, -1.6850591381820166e-19, 1.28584807152564e-18, 1.1157877678025181e-17, -1.333171662854621e-16, 2.0972767875968562e-17, 6.637638134358324e-15, -4.054566272975207e-14, -8.151934197605472e-14, 2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11, 1.0512122733215323e-09, -4.112633980346984e-09, -2.9070369957882005e-08, 4.2347877827932404e-07, -1.3654692000834679e-06, -1.3882523362786469e-05, 0.00018673420803405714, -0.000740702534166267, -0.006033670871430149, 0.24015818242558962, 1.6536545626831027];
/// From 6.25 to 16.
const INVERSE_F64_MIDDLE: [f64; 19] = [2.2137376921775787e-09, 9.075656193888539e-08, -2.7517406297064545e-07, 1.8239629214389228e-08, 1.5027403968909828e-06, -4.013867526981546e-06, 2.9234449089955446e-06, 1.2475304481671779e-05, -4.7318229009055734e-05, 6.828485145957318e-05, 2.4031110387097894e-05, -0.0003550375203628475, 0.0009532893797373805, -0.0016882755560235047, 0.002491442096107851, -0.003751208507569241, 0.005370914553590064, 1.0052589676941592, 3.0838856104922208];
/// From 16.
const INVERSE_F64_TAIL: [f64; 17] = [-2.7109920616438573e-11, -2.555641816996525e-10, 1.5076572693500548e-09, -3.789465440126737e-09, 7.61570120807834e-09, -1.496002662714924e-08, 2.914795345090108e-08, -6.771199775845234e-08, 2.2900482228026655e-07, -9.9298272942317e-07, 4.526062597223154e-06, -1.968177810553167e-05, 7.599527703001776e-05, -0.00021503011930044477, -0.00013871931833623122, 1.0103004648645344, 4.849906401408584];
/// `erf(x) / x` as a polynomial of x² on [-1, 1], for f32.
const SERIES_F32: [f64; 7] = [7.85386146e-05, -0.000801019371, 0.00518832775, -0.0268538129, 0.112835854, -0.37612626, 1.12837911];
/// `erfc(x) x eˣ²` as a polynomial of 1/x² on [1, 2), for f32.
const NEAR_F32: [f64; 9] = [0.0232682, -0.138703942, 0.368742466, -0.582473278, 0.621000469, -0.494451523, 0.340488, -0.274112701, 0.563825965];
/// The same from 2.
const FAR_F32: [f64; 8] = [-10.477664, 12.9772, -7.49551868, 2.92101908, -1.01526523, 0.42184633, -0.282076746, 0.564189494];
/// `erf(x) / x` as a quotient of polynomials of x² on [-1, 1], for f64.
const SERIES_NUMERATOR: [f64; 5] = [9.604973739870516, 90.02601972038427, 2232.005345946843, 7003.325141128051, 55592.30130103949];
/// Its denominator.
const SERIES_DENOMINATOR: [f64; 6] = [1.0, 33.56171416475031, 521.3579497801527, 4594.323829709801, 22629.000061389095, 49267.39426086359];
/// `erfc(x) eˣ²` as a quotient of polynomials on [1, 8), for f64.
const NEAR_NUMERATOR: [f64; 9] = [2.461969814735305e-10, 0.5641895648310689, 7.463210564422699, 48.63719709856814, 196.5208329560771, 526.4451949954773, 934.5285271719576, 1027.5518868951572, 557.5353353693994];
/// Its denominator.
const NEAR_DENOMINATOR: [f64; 9] = [1.0, 13.228195115474499, 86.70721408859897, 354.9377788878199, 975.7085017432055, 1823.9091668790973, 2246.3376081871097, 1656.6630919416134, 557.5353408177277];
/// The same from 8.
const FAR_NUMERATOR: [f64; 6] = [0.5641895835477551, 1.275366707599781, 5.019050422511805, 6.160210979930536, 7.4097426995044895, 2.9788666537210022];
/// Its denominator.
const FAR_DENOMINATOR: [f64; 7] = [1.0, 2.2605286322011726, 9.396035249380015, 12.048953980809666, 17.08144507475659, 9.608968090632859, 3.369076451000815];

/// `1 - erf(x)`.
pub(super) fn complement(x: Term<'_>, is_double: bool) -> Term<'_> {
    let square = x * x;
    let size = x.apply("abs");
    let one = x.constant(1.0);
    let exponential = (-square).apply("exponential");
    let (series, tail, least) = if is_double {
        let series = square.polynomial(&SERIES_NUMERATOR) / square.polynomial(&SERIES_DENOMINATOR);
        let near = exponential * size.polynomial(&NEAR_NUMERATOR) / size.polynomial(&NEAR_DENOMINATOR);
        let far = exponential * size.polynomial(&FAR_NUMERATOR) / size.polynomial(&FAR_DENOMINATOR);
        (series, size.is_to("LT", 8.0).select(near, far), -709.782_712_893_384)
    } else {
        let inverse = one / square;
        let polynomial =
            size.is_to("LT", 2.0).select(inverse.polynomial(&NEAR_F32), inverse.polynomial(&FAR_F32));
        (square.polynomial(&SERIES_F32), exponential * (one / size) * polynomial, -88.722_839_4)
    };
    // Where the exponential underflows, so does the product.
    let tail = (-square).is_to("LT", least).select(x.constant(0.0), tail);
    let tail = x.is_to("LT", 0.0).select(x.constant(2.0) - tail, tail);
    size.is_to("LT", 1.0).select(one - x * series, tail)
}

/// The x with this error function; infinite at ±1, and NaN beyond.
pub(super) fn inverse(x: Term<'_>, is_double: bool) -> Term<'_> {
    let w = -(x * -x).apply("log-plus-one");
    let root = w.apply("sqrt");
    let quotient = if is_double {
        let center = (w - 3.125).polynomial(&INVERSE_F64_CENTER);
        let middle = (root - 3.25).polynomial(&INVERSE_F64_MIDDLE);
        let tail = (root - 5.0).polynomial(&INVERSE_F64_TAIL);
        w.is_to("LT", 6.25).select(center, w.is_to("LT", 16.0).select(middle, tail))
    } else {
        let center = (w - 2.5).polynomial(&INVERSE_F32_CENTER);
        let tail = (root - 3.0).polynomial(&INVERSE_F32_TAIL);
        w.is_to("LT", 5.0).select(center, tail)
    };
    x.apply("abs").is_to("EQ", 1.0).select(x * f64::INFINITY, quotient * x)
}
