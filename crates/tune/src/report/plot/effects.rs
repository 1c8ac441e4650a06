//! The effect of each parameter, as bars.

use crate::report::sensitivity::{BestRange, Effect, Sensitivity};
use crate::space::Dimension;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use quarterply_files::pages::number::percent;
use quarterply_files::pages::plot::{POPULATION, PlotError, QUIET, TEXT, TEXT_HEIGHT, WIDTH, anchored, on_paper};

/// Height of a bar with the gap below it.
const ROW: i32 = 24;
/// Half the thickness of a bar.
const BAR: i32 = 8;
/// Room for names on the left, and for figures on the right.
const NAMES: i32 = 220;
const FIGURES: i32 = 190;
/// Room above and below the bars.
const MARGIN: i32 = 10;
/// Maximum number of parameters shown.
const SHOWN_MAX: usize = 30;
/// Smaller shares are shown as `no effect found`.
const SEEN_MIN: f64 = 0.0005;

/// One bar for each parameter, those that matter most first.
pub fn effects(dimensions: &[Dimension], sensitivity: &Sensitivity) -> Result<String, PlotError> {
    let mut order: Vec<usize> = (0..sensitivity.effects.len().min(dimensions.len())).collect();
    order.sort_by(|a, b| sensitivity.effects[*b].share.total_cmp(&sensitivity.effects[*a].share).then(a.cmp(b)));
    order.truncate(SHOWN_MAX);
    let greatest = order.first().map_or(1.0, |index| sensitivity.effects[*index].share).max(f64::EPSILON);
    let height = (2 * MARGIN + ROW * order.len() as i32) as u32;
    on_paper((WIDTH, height), "Share of the variance of the cost by parameter", |area| {
        for (row, index) in order.iter().enumerate() {
            let effect = sensitivity.effects[*index];
            let y = MARGIN + ROW * row as i32 + ROW / 2;
            let name = anchored(&TEXT, TEXT_HEIGHT, HPos::Right, VPos::Center);
            area.draw(&Text::new(dimensions[*index].name.clone(), (NAMES - MARGIN, y), name))?;
            let width = effect.share / greatest * f64::from(WIDTH as i32 - NAMES - FIGURES);
            let end = NAMES + (width as i32).max(1);
            area.draw(&Rectangle::new([(NAMES, y - BAR), (end, y + BAR)], POPULATION.rgb.filled()))?;
            let figure = anchored(&QUIET, TEXT_HEIGHT, HPos::Left, VPos::Center);
            area.draw(&Text::new(words(&dimensions[*index], &effect), (end + MARGIN, y), figure))?;
        }
        Ok(())
    })
}

/// A share and where the parameter is cheapest.
fn words(dimension: &Dimension, effect: &Effect) -> String {
    let side = match (effect.cheapest, dimension.switch) {
        _ if effect.share < SEEN_MIN => return "no effect found".to_owned(),
        (None, _) => return percent(effect.share),
        (Some(BestRange::High), true) => "best on",
        (Some(_), true) => "best off",
        (Some(BestRange::Low), false) => "best low",
        (Some(BestRange::Middle), false) => "best in the middle",
        (Some(BestRange::High), false) => "best high",
    };
    format!("{}, {side}", percent(effect.share))
}
