//! Values with their intervals, one below the other.

use super::{
    HPos, Ink, MARGIN, PlotArea, PlotError, QUIET, SERIES, TEXT, TEXT_HEIGHT, VPos, WIDTH, anchored, dashes, on_paper,
    range_of,
};
use plotters::prelude::*;

/// Height of a row in pixels.
const ROW: u32 = 20;
/// Room for the scale below, and above the first row.
const FOOT: u32 = 42;
const HEAD: u32 = 10;
/// Room for the names at the left.
const NAMES: i32 = 214;
/// Half the height of a mark.
const MARK: i32 = 4;
/// Approximate number of steps of the scale.
const STEPS: f64 = 6.0;

/// A value with its interval.
#[derive(Clone, Debug)]
pub struct Interval {
    /// The name of the row.
    pub name: String,
    /// Lower end, value, upper end; ends may be infinite.
    pub low: f64,
    /// See `low`.
    pub value: f64,
    /// See `low`.
    pub high: f64,
    /// True if there are too few measurements for a conclusion; then the interval is grey.
    pub few: bool,
}

/// Values with their intervals and the neutral value between better and worse. `written` writes a value of the scale.
pub fn forest(
    title: &str,
    rows: &[Interval],
    neutral: f64,
    name: &str,
    written: impl Fn(f64) -> String,
) -> Result<String, PlotError> {
    let height = HEAD + FOOT + ROW * rows.len().max(1) as u32;
    let values = rows.iter().flat_map(|row| [row.low, row.value, row.high]).chain([neutral]);
    let range = range_of(values);
    let right = WIDTH as i32 - 2 * MARGIN as i32;
    let x = |value: f64| {
        let share = (value.clamp(range.start, range.end) - range.start) / (range.end - range.start);
        NAMES + (share * f64::from(right - NAMES)) as i32
    };
    on_paper((WIDTH, height), title, |area| {
        let bottom = (height - FOOT) as i32;
        for step in steps(range.start, range.end) {
            scale(area, x(step), bottom, &written(step))?;
        }
        area.draw(&Text::new(
            name.to_owned(),
            ((NAMES + right) / 2, height as i32 - MARGIN as i32),
            anchored(&QUIET, TEXT_HEIGHT, HPos::Center, VPos::Center),
        ))?;
        dashes(area, (x(neutral), HEAD as i32), (0, bottom - HEAD as i32), &QUIET)?;
        for (index, row) in rows.iter().enumerate() {
            let y = (HEAD + ROW * index as u32 + ROW / 2) as i32;
            draw(area, row, y, neutral, &x)?;
        }
        Ok(())
    })
}

fn scale(area: &PlotArea<'_>, x: i32, y: i32, text: &str) -> Result<(), PlotError> {
    area.draw(&PathElement::new(vec![(x, HEAD as i32), (x, y)], super::GRID.rgb))?;
    let style = anchored(&TEXT, TEXT_HEIGHT - 1.0, HPos::Center, VPos::Center);
    area.draw(&Text::new(text.to_owned(), (x, y + MARGIN as i32), style))?;
    Ok(())
}

fn draw(area: &PlotArea<'_>, row: &Interval, y: i32, neutral: f64, x: &impl Fn(f64) -> i32) -> Result<(), PlotError> {
    // Intervals that contain the neutral value are grey. Without colours, the position shows the sign.
    let color: &'static Ink = match () {
        () if row.few => &SERIES[5],
        () if row.low > neutral => &SERIES[1],
        () if row.high < neutral => &SERIES[0],
        () => &SERIES[5],
    };
    let style = anchored(&TEXT, TEXT_HEIGHT, HPos::Right, VPos::Center);
    area.draw(&Text::new(row.name.clone(), (NAMES - MARGIN as i32, y), style))?;
    area.draw(&PathElement::new(vec![(x(row.low), y), (x(row.high), y)], color.rgb.stroke_width(super::LINE)))?;
    area.draw(&Rectangle::new([(x(row.value) - MARK, y - MARK), (x(row.value) + MARK, y + MARK)], color.rgb.filled()))?;
    Ok(())
}

/// Round numbers between two values.
fn steps(from: f64, to: f64) -> Vec<f64> {
    let rough = (to - from) / STEPS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|unit| unit * power).into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (from / step).ceil() as i64;
    (first..).map(|n| n as f64 * step).take_while(|value| *value <= to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_named_and_marked_even_without_an_end() {
        let row = |name: &str, low, value, high| Interval { name: name.to_owned(), low, value, high, few: false };
        let rows = [row("a<b", -10.0, 2.0, 14.0), row("b", 5.0, 9.0, 13.0), row("c", f64::NEG_INFINITY, -9.0, -1.0)];
        let svg = forest("Elo", &rows, 0.0, "Elo", |value| format!("{value:+.0}")).expect("drawn");
        assert!(svg.contains("a&lt;b") && svg.contains(">\nb\n") && svg.contains("+10"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), rows.len() + 1, "a mark for each, and the paper");
        assert!(forest("nothing", &[], 0.0, "Elo", |value| value.to_string()).is_ok());
    }

    #[test]
    fn an_interval_has_a_colour_if_it_excludes_the_neutral_value_and_is_measured_often() {
        let drawn = |low, high, few| {
            let row = Interval { name: "a".to_owned(), low, value: 5.0, high, few };
            forest("Elo", &[row], 0.0, "Elo", |value| format!("{value:+.0}")).expect("drawn")
        };
        let [RGBColor(red, green, blue), _] = [SERIES[1].rgb, SERIES[0].rgb];
        let orange = format!("#{red:02X}{green:02X}{blue:02X}");
        let coloured = |svg: String| svg.contains(&orange);
        assert!(coloured(drawn(2.0, 8.0, false)));
        assert!(!coloured(drawn(2.0, 8.0, true)) && !coloured(drawn(-2.0, 8.0, false)));
    }

    #[test]
    fn the_scale_has_round_numbers() {
        assert_eq!(steps(-0.3, 10.2), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(steps(0.91, 1.23).len(), 3, "1.0, 1.1, 1.2");
    }
}
