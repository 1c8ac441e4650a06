//! The chapters as text.

use super::{CHAPTERS, ChapterPart, Depths, END, FigureTable, SearchPlace, TutorialError};
use crate::{Model, board, text};
use quarterply_engine::position::Game;
use std::io::{self, Write};

const TITLE: &str = "How a program chooses a move";

/// Writes all chapters, each as soon as it is made.
pub fn write(out: &mut dyn Write, depths: Depths) -> Result<(), TutorialError> {
    writeln!(out, "{TITLE}\n{}", "=".repeat(TITLE.chars().count()))?;
    for (number, (title, make)) in (1..).zip(CHAPTERS) {
        chapter(out, number, title, &make(depths)?)?;
    }
    writeln!(out, "{}", END)?;
    Ok(())
}

fn chapter(out: &mut dyn Write, number: usize, title: &str, blocks: &[ChapterPart]) -> Result<(), TutorialError> {
    let heading = format!("{number}. {title}");
    writeln!(out, "\n{heading}\n{}", "-".repeat(heading.chars().count()))?;
    for (place, block) in SearchPlace::each(number, blocks) {
        writeln!(out)?;
        match block {
            ChapterPart::Text(text) => writeln!(out, "{text}")?,
            ChapterPart::Board(game) => position(out, game)?,
            ChapterPart::Tree(model) => tree(out, model)?,
            ChapterPart::Scan(model) => write!(out, "{}", text::scan(&model.run()))?,
            ChapterPart::FigureTable(table) => rows(out, table)?,
            ChapterPart::Search(searched) => {
                writeln!(out, "To step through this search:\n  {}", searched.command(place))?
            }
        }
    }
    Ok(())
}

fn position(out: &mut dyn Write, game: &Game) -> io::Result<()> {
    writeln!(out, "{}", board::lines(game.position()).join("\n"))
}

/// The board and the diagram of a model.
fn tree(out: &mut dyn Write, model: &Model) -> Result<(), TutorialError> {
    if model.fen.is_some() {
        writeln!(out, "{}\n", board::lines(&model.position()?).join("\n"))?;
    }
    write!(out, "{}", text::diagram(&model.run()))?;
    Ok(())
}

/// The first column and the last, if it is a sentence, to the left, the others to the right.
fn rows(out: &mut dyn Write, FigureTable { head, rows }: &FigureTable) -> io::Result<()> {
    let heads: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
    let lines = || std::iter::once(&heads).chain(rows);
    let width = |column: usize| lines().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|column| width(column).unwrap_or(0)).collect();
    for row in lines() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 || super::is_words(head[column]) {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
