//! The features of an engine: `feature NAME=VALUE ...`.

/// An option the engine declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredOption {
    /// Its name.
    pub name: String,
    /// Its kind without the dash: `spin`, `check`, `combo`, `button`, `string` and so on.
    pub kind: String,
}

impl DeclaredOption {
    /// Reads `NAME -KIND VALUES`.
    fn read(text: &str) -> Option<DeclaredOption> {
        let (name, rest) = text.split_once(" -")?;
        let kind = rest.split_whitespace().next()?;
        Some(DeclaredOption { name: name.trim().to_owned(), kind: kind.to_owned() })
    }

    /// Returns true if its value is a text, which can name a file.
    pub fn is_text(&self) -> bool {
        !matches!(self.kind.as_str(), "spin" | "slider" | "check" | "combo" | "button" | "reset")
    }

    /// The command that sets it.
    pub fn command(&self, value: &str) -> String {
        let name = &self.name;
        match (self.kind.as_str(), value) {
            ("button" | "save" | "reset", _) => format!("option {name}"),
            ("check", "true" | "on") => format!("option {name}=1"),
            ("check", "false" | "off") => format!("option {name}=0"),
            _ => format!("option {name}={value}"),
        }
    }
}

/// The features of an engine; at first those of one that declares nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// It answers `ping N` with `pong N` once it has done everything before.
    pub ping: bool,
    /// It takes positions as FEN.
    pub setboard: bool,
    /// The engine expects moves in short algebraic notation.
    pub san: bool,
    /// The engine expects the word `usermove` before a move.
    pub usermove: bool,
    /// The engine expects `time` and `otim` before a move.
    pub time: bool,
    /// The engine accepts draw offers.
    pub draw: bool,
    /// It can play more than one game.
    pub reuse: bool,
    /// The engine expects the side to move before `go`.
    pub colors: bool,
    /// Its memory can be set.
    pub memory: bool,
    /// Its number of threads can be set.
    pub smp: bool,
    /// The engine's name.
    pub name: Option<String>,
    /// The kinds of chess it plays.
    pub variants: Vec<String>,
    /// The kinds of endgame tables it reads.
    pub tables: Vec<String>,
    /// Its options.
    pub options: Vec<DeclaredOption>,
    /// The value of `done`: true after the last feature; `Some(false)` asks for more time.
    pub done: Option<bool>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            san: false,
            usermove: false,
            time: true,
            draw: true,
            reuse: true,
            colors: true,
            memory: false,
            smp: false,
            name: None,
            variants: vec!["normal".to_owned()],
            tables: Vec::new(),
            options: Vec::new(),
            done: None,
        }
    }
}

impl Features {
    /// Reads one feature; false if it is unknown.
    pub fn take(&mut self, name: &str, value: &str) -> bool {
        let on = value == "1";
        let list = || value.split(',').map(|item| item.trim().to_owned()).collect();
        match name {
            "ping" => self.ping = on,
            "setboard" => self.setboard = on,
            "san" => self.san = on,
            "usermove" => self.usermove = on,
            "time" => self.time = on,
            "draw" => self.draw = on,
            "reuse" => self.reuse = on,
            "colors" => self.colors = on,
            "memory" => self.memory = on,
            "smp" => self.smp = on,
            "myname" => self.name = Some(value.trim().to_owned()).filter(|name| !name.is_empty()),
            "variants" => self.variants = list(),
            "egt" => self.tables = list(),
            "option" => self.options.extend(DeclaredOption::read(value)),
            "done" => self.done = Some(on),
            // Neither signals nor `analyze` are sent, so both values are right.
            "sigint" | "sigterm" | "analyze" | "debug" | "name" => {}
            _ => return false,
        }
        true
    }

    /// The option of this name, whatever its case.
    pub fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// The names and values of a `feature` line after its first word. Invalid words are skipped.
pub fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        // A word without a value may stand before the name.
        let name = name.split_whitespace().last().unwrap_or("");
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if !name.is_empty() {
            pairs.push((name, value));
        }
        rest = next;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_lines_are_read() {
        for (text, expected) in [
            ("ping=1 setboard=0", vec![("ping", "1"), ("setboard", "0")]),
            (
                "myname=\"GNU Chess 6\" option=\"Own Book -check 1\" done=1",
                vec![("myname", "GNU Chess 6"), ("option", "Own Book -check 1"), ("done", "1")],
            ),
            ("variants=\"normal,fischerandom\"  san=1", vec![("variants", "normal,fischerandom"), ("san", "1")]),
            ("odd ping=1", vec![("ping", "1")]),
            ("myname=\"never closed", vec![("myname", "never closed")]),
            ("=1 x= y=2", vec![("x", ""), ("y", "2")]),
            ("", vec![]),
        ] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn features_change_what_is_known() {
        let mut features = Features::default();
        for (name, value, known) in [
            ("ping", "1", true),
            ("time", "0", true),
            ("myname", " Crafty ", true),
            ("variants", "normal, fischerandom", true),
            ("option", "Hash Size -spin 16 1 1024", true),
            ("option", "Clear -button", true),
            ("option", "Ponder -check 1", true),
            ("option", "nonsense", true),
            ("pause", "1", false),
            ("done", "0", true),
        ] {
            assert_eq!(features.take(name, value), known, "{name}");
        }
        let expected = Features {
            ping: true,
            time: false,
            name: Some("Crafty".into()),
            variants: vec!["normal".into(), "fischerandom".into()],
            options: features.options.clone(),
            done: Some(false),
            ..Features::default()
        };
        assert_eq!(features, expected);
        for (name, value, command) in [
            ("hash size", "64", Some("option Hash Size=64")),
            ("clear", "", Some("option Clear")),
            ("Ponder", "false", Some("option Ponder=0")),
            ("Contempt", "1", None),
        ] {
            assert_eq!(features.option(name).map(|option| option.command(value)).as_deref(), command, "{name}");
        }
    }
}
