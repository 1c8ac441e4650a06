//! The engines that a worker offers, as a TOML file:
//!
//! ```toml
//! [[engine]]
//! name = "toga2"                 # its name in tasks
//! path = "/usr/games/toga2"      # its program; relative to the folder of the file
//! arguments = ["-x"]             # optional
//! directory = "/var/tmp"         # optional: where it runs; relative to the folder of the file
//! texts = ["EvalFile"]           # optional: options of texts that tasks may set
//! ```

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// An engine of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineEntry {
    /// Its name in tasks.
    pub name: String,
    /// Its program.
    pub path: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Its working directory.
    pub directory: Option<PathBuf>,
    /// Options of texts that tasks may set.
    #[serde(default)]
    pub texts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineList {
    engine: Vec<EngineEntry>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineListError {
    /// It cannot be read: the file and the reason.
    #[error("cannot read engines `{0}`: {1}; check the path and the permissions")]
    Io(String, std::io::Error),
    /// It is not such a list: the file and the fault.
    #[error("cannot read engines `{0}`: {1}; write [[engine]] with name and path")]
    Form(String, String),
}

/// Reads the engines of a file. A path with a folder in it is relative to that of the file, a name alone is looked up in `PATH`.
pub fn read_engines(file: &Path) -> Result<Vec<EngineEntry>, EngineListError> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| EngineListError::Io(shown.clone(), error))?;
    let list: EngineList =
        toml::from_str(&text).map_err(|error| EngineListError::Form(shown, error.to_string().trim().to_owned()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let place = |entry: EngineEntry| {
        let has_folder = entry.path.components().nth(1).is_some();
        let path = if has_folder { folder.join(&entry.path) } else { entry.path.clone() };
        EngineEntry { path, directory: entry.directory.map(|directory| folder.join(directory)), ..entry }
    };
    Ok(list.engine.into_iter().map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<EngineEntry>, EngineListError> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("engines.toml");
        std::fs::write(&file, text).expect("written");
        let mut engines = read_engines(&file)?;
        for engine in &mut engines {
            engine.path = engine.path.strip_prefix(folder.path()).unwrap_or(&engine.path).to_owned();
        }
        Ok(engines)
    }

    #[test]
    fn several_engines_are_read() {
        let text = "[[engine]]\nname = \"a\"\npath = \"bin/a\"\narguments = [\"-x\"]\ntexts = [\"EvalFile\"]\n\n\
             [[engine]]\nname = \"b\"\npath = \"b\"\n";
        let engines = read(text).expect("engines");
        let [a, b] = &engines[..] else { panic!("{engines:?}") };
        assert_eq!(
            (a.name.as_str(), a.path.as_path(), &a.arguments[..]),
            ("a", Path::new("bin/a"), &["-x".to_owned()][..])
        );
        assert_eq!((b.path.as_path(), &a.texts[..], b.texts.len()), (Path::new("b"), &["EvalFile".to_owned()][..], 0));
    }

    #[test]
    fn useless_files_are_refused() {
        for (text, needle) in [
            ("", "write [[engine]]"),
            ("[[engine]]\nname = \"a\"\n", "missing field `path`"),
            ("[[engine]]\nname = \"a\"\npath = \"a\"\ncommand = \"rm\"\n", "unknown field `command`"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(needle), "{text}: {error}");
        }
        assert!(read_engines(Path::new("/no/such.toml")).expect_err("no file").to_string().contains("check the path"));
    }
}
