//! Numbers as people read them.

use quarterply_engine::words::grouped;

/// Counts from here on are given in thousands, millions or billions.
const ROUND_MIN: f64 = 100_000.0;
/// Percent of one.
const PERCENT: f64 = 100.0;

/// Unit of costs and nodes on an axis or in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Size of one unit.
    pub unit: f64,
    /// Its name: `millions`; empty for ones.
    pub name: &'static str,
    /// Its sign: `M`.
    pub sign: &'static str,
    /// True if there are whole numbers only, such as generations.
    pub is_whole: bool,
}

const SCALES: [Scale; 3] = [
    Scale { unit: 1e9, name: "billions", sign: "G", is_whole: false },
    Scale { unit: 1e6, name: "millions", sign: "M", is_whole: false },
    Scale { unit: 1e3, name: "thousands", sign: "k", is_whole: false },
];

impl Scale {
    /// Just numbers.
    pub const ONES: Scale = Scale { unit: 1.0, name: "", sign: "", is_whole: false };
    /// Numbers of things that are counted: games, generations.
    pub const WHOLE: Scale = Scale { is_whole: true, ..Scale::ONES };
    /// Shares of one.
    pub const PERCENT: Scale = Scale { unit: 1.0 / PERCENT, name: "percent", sign: "%", is_whole: false };

    /// The scale in which the greatest of some counts has one to three digits before the point.
    pub fn of_counts(greatest: f64) -> Scale {
        let fits = |scale: &&Scale| greatest.abs() >= scale.unit && greatest.abs() >= ROUND_MIN;
        SCALES.iter().find(fits).copied().unwrap_or(Scale::ONES)
    }

    /// A value with enough decimals that ticks at this distance differ. On a whole scale, a value that is not whole gives an empty text.
    pub fn tick(self, value: f64, distance: f64) -> String {
        const ERROR: f64 = 1e-6;
        if self.is_whole {
            return if (value - value.round()).abs() < ERROR { decimal(value, 0) } else { String::new() };
        }
        let digits = (-(distance / self.unit).abs().log10()).ceil().clamp(0.0, 3.0) as usize;
        decimal(value / self.unit, digits)
    }

    /// A quantity with its name, for an axis: `nodes (millions)`.
    pub fn label(self, quantity: &str) -> String {
        if self.name.is_empty() { quantity.to_owned() } else { format!("{quantity} ({})", self.name) }
    }
}

/// A number with `digits` decimals and digit groups before the point.
pub fn decimal(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let text = format!("{:.digits$}", value.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 && text.bytes().any(|b| b.is_ascii_digit() && b != b'0') { "-" } else { "" };
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// A number of nodes in three or four digits: `226.4 M`.
pub fn nodes(count: f64) -> String {
    const TEN: f64 = 10.0;
    let scale = Scale::of_counts(count);
    if scale == Scale::ONES {
        return decimal(count, 0);
    }
    let scaled = count / scale.unit;
    format!("{} {}", decimal(scaled, if scaled < TEN { 2 } else { 1 }), scale.sign)
}

/// A share in percent: `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", decimal(share * PERCENT, 1))
}

/// A change in percent, with its sign: `-12.3 %`.
pub fn change(from: f64, to: f64) -> String {
    if from == 0.0 || !from.is_finite() || !to.is_finite() {
        return "-".to_owned();
    }
    let text = percent(to / from - 1.0);
    if text.starts_with('-') || text.starts_with("0.0") { text } else { format!("+{text}") }
}

/// The quantile of sorted values at a share from 0 to 1, interpolated linearly; NaN for an empty list.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups_units_and_signs() {
        for (written, expected) in [
            (nodes(226_431_000.0), "226.4 M"),
            (nodes(1.02e11), "102.0 G"),
            (nodes(99_999.0), "99 999"),
            (nodes(250_000.0), "250.0 k"),
            (nodes(1_720_000.0), "1.72 M"),
            (decimal(-1234.56, 1), "-1 234.6"),
            (decimal(-0.04, 1), "0.0"),
            (decimal(f64::NAN, 1), "-"),
            (percent(0.1234), "12.3 %"),
            (change(200.0, 176.0), "-12.0 %"),
            (change(200.0, 210.0), "+5.0 %"),
            (change(200.0, 200.0), "0.0 %"),
            (change(0.0, 3.0), "-"),
            (Scale::of_counts(2.4e8).tick(2.25e8, 5e6), "225"),
            (Scale::of_counts(2.4e8).tick(2.25e8, 5e5), "225.0"),
            (Scale::of_counts(5000.0).tick(2500.0, 500.0), "2 500"),
            (Scale::WHOLE.tick(2.0, 0.3), "2"),
            (Scale::WHOLE.tick(1.5, 0.3), ""),
            (Scale::PERCENT.label("games lost"), "games lost (percent)"),
        ] {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn quantiles_are_interpolated() {
        let values = [1.0, 2.0, 4.0, 8.0];
        for (share, expected) in [(0.0, 1.0), (0.5, 3.0), (1.0, 8.0), (0.25, 1.75)] {
            assert_eq!(quantile(&values, share), expected);
        }
        assert!(quantile(&[], 0.5).is_nan());
    }
}
