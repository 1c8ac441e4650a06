//! `quarterply compare` from the outside.

use crate::support::{file, refused, says, succeeds};

fn line(id: usize, solved: bool, stable: u64) -> String {
    format!(
        r#"{{"suite":"s","id":"p{id}","fen":"f","solved":{solved},"move":"e2e4","nodes_first":1,"nodes_stable":{stable},"nodes":9,"depth":1,"ms":0}}"#
    ) + "\n"
}

#[test]
fn changes_are_listed_and_weighed() {
    // Ten positions need half the nodes, one is newly solved among them, one is newly lost.
    let before: String = (0..12).map(|id| line(id, id != 3, 1000)).collect();
    let after: String = (0..12).map(|id| line(id, id != 11, if id < 10 { 500 } else { 1000 })).collect();
    let (_a, a) = file("a.json", before.as_bytes());
    let (_b, b) = file("b.json", after.as_bytes());
    let run = succeeds(&["compare", &a, &b]);
    for needle in
        ["newly solved: 1", "newly lost: 1", "12 000", "7 000", "-41.7 %", "10 fewer, 0 more", "p = 0.0020", "x 0.561"]
    {
        assert!(says(&run.out, needle), "{needle}\n{}", run.out);
    }
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, good) = file("good.json", line(1, true, 5).as_bytes());
    let (_b, cut) = file("cut.json", &line(1, true, 5).as_bytes()[..50]);
    let (_c, empty) = file("empty.json", b"");
    let (_d, binary) = file("binary.json", b"\xff\xfe\x00");
    let (_e, other) = file("other.json", line(2, true, 5).as_bytes());
    for (second, needle) in [
        ("/no/such.json", "cannot read /no/such.json: "),
        (&cut, "cut.json:1:"),
        (&cut, "cut off"),
        (&empty, "it contains no result"),
        (&binary, "not a text file"),
        (&other, "no position in common"),
    ] {
        refused(&["compare", &good, second], needle);
    }
}
