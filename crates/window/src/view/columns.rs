//! A view as one compressed block of columns, for the page that carries its data.

use std::collections::HashMap;

use serde_json::json;

use super::{MoveNumber, RowTableEntry, TextNumber, TreeRow, View};

/// Effort of the compressor, 1 to 10: beyond this it gains little and takes long.
const EFFORT: u8 = 7;
/// Stands for a score that is not known.
const NO_SCORE: i16 = i16::MIN;
/// Stands for an amount that is not known.
const NO_AMOUNT: i32 = i32::MIN;
/// Stands for a row that is not there.
const NO_ROW: u32 = u32::MAX;
/// Columns begin at multiples of this, so that the page can look at them in place.
const ALIGNMENT: usize = 4;

/// Columns in the making.
#[derive(Default)]
struct Columns {
    /// Name, type and length of each column, in order.
    list: Vec<(&'static str, &'static str, usize)>,
    bytes: Vec<u8>,
}

macro_rules! adders {
    ($($name:ident $t:ty;)*) => {
        impl Columns {
            $(fn $name(&mut self, name: &'static str, values: impl Iterator<Item = $t>) {
                let before = self.bytes.len();
                for value in values {
                    self.bytes.extend_from_slice(&value.to_le_bytes());
                }
                self.list.push((name, stringify!($t), (self.bytes.len() - before) / size_of::<$t>()));
                self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
            })*
        }
    };
}

adders! {
    u8s u8;
    u16s u16;
    i16s i16;
    u32s u32;
    i32s i32;
}

/// The rows, moves and texts of a view in zlib form: the length of a JSON head as four bytes, the head, the columns.
pub fn pack(view: &View) -> Vec<u8> {
    let mut columns = Columns::default();
    of_rows(&mut columns, &view.rows);
    of_table(&mut columns, &view.rows);
    columns.u8s("mark_count", (0..view.rows.len()).map(|row| view.marks_of(row).len() as u8));
    columns.u8s("mark_rule", view.marks.iter().map(|mark| mark.rule));
    columns.u8s("mark_action", view.marks.iter().map(|mark| mark.action as u8));
    columns.i32s("mark_amount", view.marks.iter().map(|mark| mark.amount));
    let reasons: Vec<String> = view.marks.iter().map(|mark| view.reason(mark)).collect();
    let mut strings: Vec<&str> = view.strings.iter().map(String::as_str).collect();
    let mut places: HashMap<&str, u32> = HashMap::new();
    columns.u32s("mark_reason", reasons.iter().map(|reason| place_of(reason, &mut strings, &mut places)));
    columns.u16s("rests", view.rests.iter().copied().map(mv));
    let mut text = json!({"moves": view.moves, "strings": strings, "columns": columns.list}).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(ALIGNMENT), b' ');
    let mut block = (text.len() as u32).to_le_bytes().to_vec();
    block.extend_from_slice(&text);
    block.extend_from_slice(&columns.bytes);
    miniz_oxide::deflate::compress_to_vec_zlib(&block, EFFORT)
}

/// The place of a text among the strings; it is added if it is new.
fn place_of<'a>(text: &'a str, strings: &mut Vec<&'a str>, places: &mut HashMap<&'a str, u32>) -> u32 {
    if text.is_empty() {
        return 0;
    }
    *places.entry(text).or_insert_with(|| {
        strings.push(text);
        strings.len() as u32 - 1
    })
}

fn score(value: Option<i16>) -> i16 {
    value.unwrap_or(NO_SCORE)
}

fn amount(value: Option<i32>) -> i32 {
    value.unwrap_or(NO_AMOUNT)
}

fn mv(number: Option<MoveNumber>) -> u16 {
    number.map_or(0, MoveNumber::get)
}

fn of_rows(columns: &mut Columns, rows: &[TreeRow]) {
    columns.u16s("level", rows.iter().map(|r| r.level));
    columns.u16s("ply", rows.iter().map(|r| r.ply));
    columns.u8s("kind", rows.iter().map(|r| r.kind as u8));
    columns.u16s("mv", rows.iter().map(|r| mv(r.mv)));
    columns.u32s("nodes", rows.iter().map(|r| r.nodes));
    columns.i32s("depth", rows.iter().map(|r| amount(r.depth)));
    columns.i32s("own", rows.iter().map(|r| amount(r.own)));
    columns.i32s("other", rows.iter().map(|r| amount(r.other)));
    columns.i32s("cost", rows.iter().map(|r| amount(r.cost)));
    columns.i16s("alpha", rows.iter().map(|r| score(r.alpha)));
    columns.i16s("beta", rows.iter().map(|r| score(r.beta)));
    columns.i16s("guess", rows.iter().map(|r| score(r.guess)));
    columns.i16s("value", rows.iter().map(|r| score(r.value)));
    for (place, name) in ["expected", "found", "decision"].into_iter().enumerate() {
        columns.u8s(name, rows.iter().map(|r| r.page_outcome()[place]));
    }
    columns.u8s("purpose", rows.iter().map(TreeRow::page_purpose));
    columns.u8s("stage", rows.iter().map(TreeRow::page_stage));
    columns.i32s("order", rows.iter().map(|r| amount(r.page_order())));
    columns.u16s("flags", rows.iter().map(TreeRow::page_flags));
    columns.u32s("why", rows.iter().map(|r| r.why.map_or(0, TextNumber::get)));
    columns.u32s("omitted", rows.iter().map(|r| r.omitted.count()));
    columns.u32s("rest", rows.iter().map(|r| r.omitted.first()));
    columns.u8s("unreached", rows.iter().map(|r| r.unreached));
    columns.u32s("number", rows.iter().map(|r| r.page_model().0));
    columns.u32s("event", rows.iter().map(|r| r.page_model().1));
}

fn of_table(columns: &mut Columns, rows: &[TreeRow]) {
    let hits = || rows.iter().map(|r| r.hit);
    columns.u8s("hit_bound", hits().map(|hit| hit.map_or(0, RowTableEntry::page_bound)));
    columns.i16s("hit_value", hits().map(|hit| score(hit.and_then(|hit| hit.value))));
    columns.u16s("hit_mv", hits().map(|hit| mv(hit.and_then(|hit| hit.mv))));
    columns.i32s("hit_depth", hits().map(|hit| amount(hit.map(|hit| hit.depth))));
    columns.u32s("hit_from", hits().map(|hit| hit.and_then(|hit| hit.from).unwrap_or(NO_ROW)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{RuleAction, RuleDecision, TreeInfo, ViewBuilder};
    use quarterply_engine::rules::Rule;

    #[test]
    fn the_block_has_its_head_and_aligned_columns() {
        let mut builder = ViewBuilder::new(TreeInfo::search(String::new()));
        let mv = builder.mv("Nf3", "g1f3");
        builder.push(TreeRow::default(), &[]);
        builder.push(
            TreeRow { level: 1, mv, value: Some(-31), ..TreeRow::default() },
            &[RuleDecision { rule: Rule::Table, action: RuleAction::Cut, amount: 0, numbers: &[] }],
        );
        let block = miniz_oxide::inflate::decompress_to_vec_zlib(&pack(&builder.finish())).expect("own block");
        let length = u32::from_le_bytes(block[..4].try_into().expect("four bytes")) as usize;
        let head: serde_json::Value = serde_json::from_slice(&block[4..4 + length]).expect("JSON");
        assert_eq!(head["moves"][1][0], "Nf3");
        let mut at = 4 + length;
        for column in head["columns"].as_array().expect("a list") {
            let size = match column[1].as_str().expect("a type") {
                "u8" => 1,
                "u16" | "i16" => 2,
                _ => 4,
            };
            let rows = column[2].as_u64().expect("a length") as usize;
            if column[0] == "value" {
                assert_eq!(i16::from_le_bytes(block[at + 2..at + 4].try_into().expect("two bytes")), -31);
            }
            at += (rows * size).next_multiple_of(ALIGNMENT);
        }
        assert_eq!(at, block.len());
    }
}
