//! The complementary error function (polynomials of Cephes) and the inverse error function (those of M. Giles).

use super::super::formula::Term;

/// Coefficients of `erf_inv(x) / x` where `-ln(1 - x²)` is below 5, highest degree first, for f32.
const INVERSE_F32_CENTER: [f64; 9] = [
    2.810_226_36e-8,
    3.432_739_39e-7,
    -3.523_387_7e-6,
    -4.391_506_54e-6,
    0.000_218_580_87,
    -0.001_253_725_03,
    -0.004_177_681_64,
    0.246_640_727,
    1.501_409_41,
];
/// Coefficients of `erf_inv(x) / x` where `-ln(1 - x²)` is 5 or more, for f32.
const INVERSE_F32_TAIL: [f64; 9] = [
    -0.000_200_214_257,
    0.000_100_950_558,
    0.001_349_343_22,
    -0.003_673_428_44,
    0.005_739_507_73,
    -0.007_622_461_3,
    0.009_438_870_47,
    1.001_674_06,
    2.832_976_82,
];
/// Coefficients of `erf_inv(x) / x` where `-ln(1 - x²)` is below 6.25, for f64.
const INVERSE_F64_CENTER: [f64; 23] = [
    -3.644_412_064_017_82e-21,
    -1.685_059_138_182_016_6e-19,
    1.285_848_071_525_64e-18,
    1.115_787_767_802_518_1e-17,
    -1.333_171_662_854_621e-16,
    2.097_276_787_596_856_2e-17,
    6.637_638_134_358_324e-15,
    -4.054_566_272_975_207e-14,
    -8.151_934_197_605_472e-14,
    2.633_509_315_308_232_3e-12,
    -1.297_513_325_345_353_2e-11,
    -5.415_412_054_294_628e-11,
    1.051_212_273_321_532_3e-9,
    -4.112_633_980_346_984e-9,
    -2.907_036_995_788_200_5e-8,
    4.234_787_782_793_240_4e-7,
    -1.365_469_200_083_467_9e-6,
    -1.388_252_336_278_646_9e-5,
    0.000_186_734_208_034_057_14,
    -0.000_740_702_534_166_267,
    -0.006_033_670_871_430_149,
    0.240_158_182_425_589_62,
    1.653_654_562_683_102_7,
];
/// The same where it is from 6.25 to below 16.
const INVERSE_F64_MIDDLE: [f64; 19] = [
    2.213_737_692_177_578_7e-9,
    9.075_656_193_888_539e-8,
    -2.751_740_629_706_454_5e-7,
    1.823_962_921_438_922_8e-8,
    1.502_740_396_890_982_8e-6,
    -4.013_867_526_981_546e-6,
    2.923_444_908_995_544_6e-6,
    1.247_530_448_167_177_9e-5,
    -4.731_822_900_905_573_4e-5,
    6.828_485_145_957_318e-5,
    2.403_111_038_709_789_4e-5,
    -0.000_355_037_520_362_847_5,
    0.000_953_289_379_737_380_5,
    -0.001_688_275_556_023_504_7,
    0.002_491_442_096_107_851,
    -0.003_751_208_507_569_241,
    0.005_370_914_553_590_064,
    1.005_258_967_694_159_2,
    3.083_885_610_492_220_8,
];
/// The same where it is 16 or more.
const INVERSE_F64_TAIL: [f64; 17] = [
    -2.710_992_061_643_857_3e-11,
    -2.555_641_816_996_525e-10,
    1.507_657_269_350_054_8e-9,
    -3.789_465_440_126_737e-9,
    7.615_701_208_078_34e-9,
    -1.496_002_662_714_924e-8,
    2.914_795_345_090_108e-8,
    -6.771_199_775_845_234e-8,
    2.290_048_222_802_665_5e-7,
    -9.929_827_294_231_7e-7,
    4.526_062_597_223_154e-6,
    -1.968_177_810_553_167e-5,
    7.599_527_703_001_776e-5,
    -0.000_215_030_119_300_444_77,
    -0.000_138_719_318_336_231_22,
    1.010_300_464_864_534_4,
    4.849_906_401_408_584,
];
/// `erf(x) / x` as a polynomial of x² on [-1, 1], for f32.
const SERIES_F32: [f64; 7] = [
    7.853_861_46e-5,
    -0.000_801_019_371,
    0.005_188_327_75,
    -0.026_853_812_9,
    0.112_835_854,
    -0.376_126_26,
    1.128_379_11,
];
/// `erfc(x) x eˣ²` as a polynomial of 1/x² on [1, 2), for f32.
const NEAR_F32: [f64; 9] = [
    0.023_268_2,
    -0.138_703_942,
    0.368_742_466,
    -0.582_473_278,
    0.621_000_469,
    -0.494_451_523,
    0.340_488,
    -0.274_112_701,
    0.563_825_965,
];
/// The same from 2.
const FAR_F32: [f64; 8] = [
    -10.477_664,
    12.977_2,
    -7.495_518_68,
    2.921_019_08,
    -1.015_265_23,
    0.421_846_33,
    -0.282_076_746,
    0.564_189_494,
];
/// `erf(x) / x` as a quotient of polynomials of x² on [-1, 1], for f64.
const SERIES_NUMERATOR: [f64; 5] = [
    9.604_973_739_870_516,
    90.026_019_720_384_27,
    2_232.005_345_946_843,
    7_003.325_141_128_051,
    55_592.301_301_039_49,
];
/// The denominator of the same quotient, below [`SERIES_NUMERATOR`].
const SERIES_DENOMINATOR: [f64; 6] = [
    1.0,
    33.561_714_164_750_31,
    521.357_949_780_152_7,
    4_594.323_829_709_801,
    22_629.000_061_389_095,
    49_267.394_260_863_59,
];
/// `erfc(x) eˣ²` as a quotient of polynomials on [1, 8), for f64.
const NEAR_NUMERATOR: [f64; 9] = [
    2.461_969_814_735_305e-10,
    0.564_189_564_831_068_9,
    7.463_210_564_422_699,
    48.637_197_098_568_14,
    196.520_832_956_077_1,
    526.445_194_995_477_3,
    934.528_527_171_957_6,
    1_027.551_886_895_157_2,
    557.535_335_369_399_4,
];
/// The denominator of the same quotient, below [`NEAR_NUMERATOR`].
const NEAR_DENOMINATOR: [f64; 9] = [
    1.0,
    13.228_195_115_474_499,
    86.707_214_088_598_97,
    354.937_778_887_819_9,
    975.708_501_743_205_5,
    1_823.909_166_879_097_3,
    2_246.337_608_187_109_7,
    1_656.663_091_941_613_4,
    557.535_340_817_727_7,
];
/// The same from 8.
const FAR_NUMERATOR: [f64; 6] = [
    0.564_189_583_547_755_1,
    1.275_366_707_599_781,
    5.019_050_422_511_805,
    6.160_210_979_930_536,
    7.409_742_699_504_489_5,
    2.978_866_653_721_002_2,
];
/// The denominator of the same quotient, below [`FAR_NUMERATOR`].
const FAR_DENOMINATOR: [f64; 7] = [
    1.0,
    2.260_528_632_201_172_6,
    9.396_035_249_380_015,
    12.048_953_980_809_666,
    17.081_445_074_756_59,
    9.608_968_090_632_859,
    3.369_076_451_000_815,
];

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
        (series, size.compare_number("LT", 8.0).select(near, far), -709.782_712_893_384)
    } else {
        let inverse = one / square;
        let polynomial = size
            .compare_number("LT", 2.0)
            .select(inverse.polynomial(&NEAR_F32), inverse.polynomial(&FAR_F32));
        (square.polynomial(&SERIES_F32), exponential * (one / size) * polynomial, -88.722_839_4)
    };
    // Where the exponential underflows, so does the product.
    let tail = (-square).compare_number("LT", least).select(x.constant(0.0), tail);
    let tail = x.compare_number("LT", 0.0).select(x.constant(2.0) - tail, tail);
    size.compare_number("LT", 1.0).select(one - x * series, tail)
}

/// The inverse of the error function; infinite at ±1, and NaN beyond.
pub(super) fn inverse(x: Term<'_>, is_double: bool) -> Term<'_> {
    let w = -(x * -x).apply("log-plus-one");
    let root = w.apply("sqrt");
    let quotient = if is_double {
        let center = (w - 3.125).polynomial(&INVERSE_F64_CENTER);
        let middle = (root - 3.25).polynomial(&INVERSE_F64_MIDDLE);
        let tail = (root - 5.0).polynomial(&INVERSE_F64_TAIL);
        w.compare_number("LT", 6.25).select(center, w.compare_number("LT", 16.0).select(middle, tail))
    } else {
        let center = (w - 2.5).polynomial(&INVERSE_F32_CENTER);
        let tail = (root - 3.0).polynomial(&INVERSE_F32_TAIL);
        w.compare_number("LT", 5.0).select(center, tail)
    };
    x.apply("abs").compare_number("EQ", 1.0).select(x * f64::INFINITY, quotient * x)
}
