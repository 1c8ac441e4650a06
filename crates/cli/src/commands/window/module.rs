//! The WebAssembly module of the engine, for pages that search by themselves. It is built apart from the program (`make web`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miette::{Report, miette};

/// Names the module where it is in none of the usual places.
const VARIABLE: &str = "QUARTERPLY_WASM";
/// The name of its file.
pub const SIMD: &str = "quarterply.wasm";
/// The name of the module for browsers without SIMD.
pub const SCALAR: &str = "quarterply-scalar.wasm";
/// Where `make web` puts both.
const BUILT: &str = "dist/web";
/// Where packages install it, from the folder of the program: `bin/../share/quarterply`.
const INSTALLED: &str = "../share/quarterply";

/// The path of the module with SIMD.
///
/// # Errors
/// An error that names the places where it is missing.
pub fn find() -> Result<PathBuf, Report> {
    if let Some(path) = std::env::var_os(VARIABLE) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(miette!(
                "cannot read `{}`: no such file; {VARIABLE} must name the module of `make web`",
                path.display()
            ))
        };
    }
    let program = std::env::current_exe().ok();
    let places = places(program.as_deref().and_then(Path::parent));
    places.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|path| format!("`{}`", path.display())).collect();
        miette!(
            "cannot find the engine for pages: no file {}; build it with `make web`, or name it in the environment variable {VARIABLE}",
            places.join(", ")
        )
    })
}

/// The places of the module for a program in this folder, in the order of the search.
fn places(program: Option<&Path>) -> Vec<PathBuf> {
    let near = program.into_iter().flat_map(|folder| [folder.to_owned(), folder.join(INSTALLED)]);
    near.chain([PathBuf::from(BUILT)]).map(|folder| folder.join(SIMD)).collect()
}

/// The bytes of the module with SIMD.
///
/// # Errors
/// As [`find`], and if it cannot be read.
pub fn read() -> io::Result<Vec<u8>> {
    fs::read(find().map_err(|report| io::Error::other(report.to_string()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_searched_near_the_program_first() {
        let near = places(Some(Path::new("/opt/bin")));
        let expected =
            ["/opt/bin/quarterply.wasm", "/opt/bin/../share/quarterply/quarterply.wasm", "dist/web/quarterply.wasm"];
        assert_eq!(near, expected.map(PathBuf::from));
        assert_eq!(places(None), [PathBuf::from("dist/web/quarterply.wasm")]);
    }
}
