//! The page in a real browser. Without an installed Chromium these tests do nothing and say so.

mod chromium;
mod mock;

use std::path::PathBuf;

use chromium::Chromium;
use quarterply_window::html;

fn page_file(name: &str, page: &str) -> String {
    let path = std::env::temp_dir().join(format!("quarterply-{name}-{}.html", std::process::id()));
    std::fs::write(&path, page).expect("a writable folder");
    format!("file://{}", path.display())
}

/// Writes pages and pictures of them for people to look at: `QUARTERPLY_SHOTS=folder cargo test --test browser -- --ignored`.
#[test]
#[ignore = "makes pictures for people"]
fn pictures() {
    let folder = PathBuf::from(std::env::var("QUARTERPLY_SHOTS").unwrap_or_else(|_| "/tmp/shots".into()));
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let page = html::page(&mock::view(30_000));
    std::fs::write(folder.join("mock.html"), &page).expect("writable");
    let model = quarterply_window::Model::read(&PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/models/order-matters.json"))).expect("a model");
    std::fs::write(folder.join("model.html"), html::page(&quarterply_window::View::of_model(&model.run()))).expect("writable");
    let Some(mut browser) = Chromium::start("pictures") else { return };
    for (name, width, height, dark) in [("desktop", 1440, 900, false)] {
        browser.look(width, height, dark);
        browser.open(&page_file("pictures", &page));
        browser.shot(&folder.join(format!("{name}.png")));
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}
