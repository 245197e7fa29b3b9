//! Formats counts and percentages.

/// Formats a count with three digits and a metric prefix: `1.23 M`, `42`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn format_count(count: u64) -> String {
    let mut amount = count as f64;
    let mut prefix = "";
    for larger in ["k", "M", "G", "T", "P", "E"] {
        if amount < 1000.0 {
            break;
        }
        amount /= 1000.0;
        prefix = larger;
    }
    match prefix {
        "" => count.to_string(),
        _ if amount >= 100.0 => format!("{amount:.0} {prefix}"),
        _ if amount >= 10.0 => format!("{amount:.1} {prefix}"),
        _ => format!("{amount:.2} {prefix}"),
    }
}

/// Formats a share in percent, with at most one decimal.
#[allow(clippy::cast_precision_loss, reason = "at most four digits are shown")]
pub fn percent(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    if part > 0 && percent < 0.05 {
        return "< 0.1 %".to_owned();
    }
    let text = format!("{percent:.1}");
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}
