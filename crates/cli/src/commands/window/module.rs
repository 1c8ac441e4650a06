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

/// The path of the module with SIMD.
///
/// # Errors
/// A message that says where it was looked for.
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
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(SIMD));
    let places = beside.into_iter().chain([Path::new(BUILT).join(SIMD)]);
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        miette!(
            "cannot find the engine for pages: {SIMD} is neither beside the program nor in {BUILT}; build it with `make web`, or name it in \
             the environment variable {VARIABLE}"
        )
    })
}

/// The bytes of the module with SIMD.
///
/// # Errors
/// As [`find`], and if it cannot be read.
pub fn read() -> io::Result<Vec<u8>> {
    fs::read(find().map_err(|report| io::Error::other(report.to_string()))?)
}
