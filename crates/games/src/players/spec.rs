//! Specifications of players by the user.
//!
//! ```text
//! default                               a profile of this engine, in this process
//! tactical name=T set.null_move.on=false option.Hash=64
//! mine.toml                             a profile in a file
//! cmd:toga2 name=Toga option.Hash=64    a program that speaks UCI
//! cmd:./engine --arg dir=/opt/engine    arguments come before the settings
//! xboard:gnuchess --xboard              a program that speaks the protocol of xboard
//! ```

use crate::game::{Pace, PaceError, TimeControlError};
use quarterply_engine::params::Parameters;
use quarterply_files::profile::{self, ProfileError, nearest};
use quarterply_uci::launch::{Launch, LaunchError, quoted, split};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// The options of a profile; an engine in this process has no others.
const PROFILE_OPTIONS: &[&str] = &["Hash", "Threads", "Move Overhead", "SyzygyPath"];
/// The prefix of options of the protocol.
const OPTION: &str = "option.";
/// Prefixes of settings.
const SETTINGS: &[&str] = &["name", "dir", "option.", "set."];
/// Settings that limit moves.
const PACES: &[&str] = &["tc", "movetime", "nodes", "depth"];

/// Reason why a text is not a valid player.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SpecError {
    #[error(
        "cannot read the player: the text is empty; write a profile such as `default`, or `cmd:PROGRAM` or `xboard:PROGRAM`"
    )]
    Empty,
    /// The words cannot be separated, or the program does not exist: the player and what is wrong.
    #[error("cannot use player `{0}`: {1}")]
    Words(String, LaunchError),
    /// The profile does not exist, cannot be read, or does not accept the settings: the player and what is wrong.
    #[error("cannot use player `{0}`: {1}; other engines are written `cmd:PROGRAM` or `xboard:PROGRAM`")]
    Profile(String, Box<ProfileError>),
    /// A setting cannot be read: the player; what is wrong, and the remedy.
    #[error("cannot use player `{0}`: {1}")]
    Setting(String, String),
    /// The program does not exist: the player; what is missing, and the remedy.
    #[error("cannot use player `{0}`: {1}")]
    NoProgram(String, LaunchError),
    #[error("cannot play {pace} with player `{text}`: {fault}")]
    Pace { text: String, pace: String, fault: &'static str },
}

/// The kind of player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A profile of this engine, built in or a file.
    Profile(String),
    /// A program that speaks UCI.
    Uci(Launch),
    /// A program that speaks the protocol of xboard.
    Xboard(Launch),
}

/// A player as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its kind.
    pub kind: PlayerKind,
    /// Its name, if the user gives one.
    pub name: Option<String>,
    /// Options of the protocol.
    pub options: Vec<(String, String)>,
    /// Parameters of a profile as `rule.parameter=value`.
    pub settings: Vec<String>,
    /// The limit of its moves, if it differs from that of the match.
    pub pace: Option<Pace>,
}

impl Spec {
    /// The player's name: the given name, the profile with its settings, or the program.
    pub fn label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let stem = |path: &Path| path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut label = match &self.kind {
            PlayerKind::Profile(text) if profile::named(text).is_ok() => text.to_ascii_lowercase(),
            PlayerKind::Profile(file) => stem(Path::new(file)),
            PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) => launch.label(),
        };
        for setting in &self.settings {
            label = format!("{label} {setting}");
        }
        label
    }

    /// The file of the player: that of the profile, if it is not built in, or the program.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.kind {
            PlayerKind::Profile(text) if profile::named(text).is_ok() => None,
            PlayerKind::Profile(text) => Some(PathBuf::from(text)),
            PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) => launch.find(),
        }
    }

    /// The parameters of a profile; those of `default` for a program.
    pub fn parameters(&self) -> Result<Parameters, SpecError> {
        match &self.kind {
            PlayerKind::Profile(text) => {
                profile::resolve(Some(text), &self.settings).map_err(|fault| self.profile(fault))
            }
            PlayerKind::Uci(_) | PlayerKind::Xboard(_) => Ok(Parameters::default()),
        }
    }

    /// Checks that the player could take part: that its profile can be read or its program exists, and that it can play at this pace.
    /// Nothing is started.
    pub fn check(&self, pace: &Pace) -> Result<(), SpecError> {
        self.parameters()?;
        if let PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) = &self.kind {
            launch.require().map_err(|fault| SpecError::NoProgram(self.to_string(), fault))?;
        }
        self.check_pace(self.pace.as_ref().unwrap_or(pace))
    }

    /// The protocol of xboard has no nodes and no parts of a second.
    fn check_pace(&self, pace: &Pace) -> Result<(), SpecError> {
        let PlayerKind::Xboard(_) = self.kind else { return Ok(()) };
        let fault = match pace {
            Pace::Nodes(_) => "the protocol of xboard has no node limit; give a time control or a depth",
            Pace::Movetime { time, .. } if time.subsec_nanos() > 0 || *time < Duration::from_secs(1) => {
                "the protocol of xboard counts whole seconds per move; give whole seconds or a time control"
            }
            Pace::Movetime { .. } | Pace::Clock(_) | Pace::Depth(_) => return Ok(()),
        };
        Err(SpecError::Pace { text: self.to_string(), pace: pace.to_string(), fault })
    }

    fn profile(&self, fault: ProfileError) -> SpecError {
        SpecError::Profile(self.to_string(), Box::new(fault))
    }

    /// Takes in `key=value`.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let is_profile = matches!(self.kind, PlayerKind::Profile(_));
        if let Some(option) = key.strip_prefix(OPTION) {
            let known = PROFILE_OPTIONS.iter().any(|known| known.eq_ignore_ascii_case(option));
            if is_profile && !known {
                let all = PROFILE_OPTIONS.join(", ");
                return Err(format!("a profile has no option `{option}`; it has {all}, and set.rule.parameter=VALUE"));
            }
            self.options.push((option.to_owned(), value.to_owned()));
            return Ok(());
        }
        if let Some(parameter) = key.strip_prefix("set.") {
            if !is_profile {
                return Err(format!("`{key}` is for profiles; write option.{parameter}={value} for a program"));
            }
            self.settings.push(format!("{parameter}={value}"));
            return Ok(());
        }
        if PACES.contains(&key) && self.pace.is_some() {
            return Err(format!("`{key}` is a second limit; give one of {}", PACES.join(", ")));
        }
        match (key, &mut self.kind) {
            ("tc", _) => self.pace = Some(Pace::Clock(value.parse().map_err(|e: TimeControlError| e.to_string())?)),
            ("movetime" | "nodes" | "depth", _) => {
                self.pace = Some(format!("{key}={value}").parse().map_err(|e: PaceError| e.to_string())?);
            }
            ("name", _) if value.trim().is_empty() => return Err("the name is empty; write name=NAME".to_owned()),
            ("name", _) => self.name = Some(value.trim().to_owned()),
            ("dir", PlayerKind::Uci(launch) | PlayerKind::Xboard(launch)) => launch.directory = Some(value.into()),
            ("dir", PlayerKind::Profile(_)) => {
                return Err("`dir` is for programs; a profile runs in this process".to_owned());
            }
            _ => return Err(format!("unknown setting `{key}`; write {}", ways())),
        }
        Ok(())
    }
}

/// Returns true for the first word of an option whose name has spaces, without quotation marks around it.
fn is_cut_option(word: &str) -> bool {
    word.starts_with(OPTION) && !word.contains('=')
}

/// The remedy for an option that was split at its spaces; `rest` are its words and those that follow.
fn whole_option(rest: &[String]) -> String {
    match rest.iter().position(|word| word.contains('=')) {
        Some(end) if !rest[1..=end].iter().any(|word| is_setting(word)) => {
            format!("write \"{}\"", rest[..=end].join(" "))
        }
        _ => format!("write \"{}=VALUE\"", rest.first().map_or("option.NAME", String::as_str)),
    }
}

/// All settings.
fn ways() -> &'static str {
    "name=NAME, option.NAME=VALUE, set.rule.parameter=VALUE for profiles, dir=DIRECTORY for programs, and one of \
     tc=BASE+INCREMENT, movetime=SECONDS, nodes=N, depth=D"
}

/// Returns true if the word is a setting. A word of similar form can be an argument of the program, unless it is close to a
/// setting's name.
fn is_setting(word: &str) -> bool {
    let Some((key, _)) = word.split_once('=') else { return is_cut_option(word) };
    if PACES.contains(&key) {
        return true;
    }
    let known = SETTINGS.iter().any(|known| *known == key || (known.ends_with('.') && key.starts_with(known)));
    let first = key.split('.').next().unwrap_or(key);
    let like = nearest(first, SETTINGS.iter().map(|known| known.trim_end_matches('.'))).is_some();
    known || (like && key.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let text = text.trim();
        let (protocol, rest) = match text.split_once(':') {
            Some((protocol @ ("cmd" | "xboard"), rest)) => (Some(protocol), rest),
            _ => (None, text),
        };
        let wrong = |fault| SpecError::Words(text.to_owned(), fault);
        let words = split(rest).map_err(wrong)?;
        let first = match (words.first(), protocol) {
            (Some(word), _) if !word.is_empty() => word.clone(),
            (_, Some(_)) => return Err(wrong(LaunchError::Empty)),
            _ => return Err(SpecError::Empty),
        };
        let launch = Launch::program(first.as_str());
        let kind = match protocol {
            Some("cmd") => PlayerKind::Uci(launch),
            Some(_) => PlayerKind::Xboard(launch),
            None => PlayerKind::Profile(first),
        };
        let mut spec = Spec { kind, name: None, options: Vec::new(), settings: Vec::new(), pace: None };
        let refuse = |fault| SpecError::Setting(text.to_owned(), fault);
        let mut set = false;
        for (index, word) in words.iter().enumerate().skip(1) {
            set |= is_setting(word);
            match (&mut spec.kind, word.split_once('=')) {
                (PlayerKind::Uci(launch) | PlayerKind::Xboard(launch), _) if !set => {
                    launch.arguments.push(word.clone());
                }
                (_, Some((key, value))) => spec.set(key, value).map_err(refuse)?,
                (_, None) if is_cut_option(word) => {
                    let whole = whole_option(&words[index..]);
                    return Err(refuse(format!(
                        "`{word}` has no value; a setting with spaces needs quotation marks: {whole}"
                    )));
                }
                (PlayerKind::Profile(_), None) => {
                    return Err(refuse(format!("`{word}` sets nothing; write {}", ways())));
                }
                (_, None) => {
                    let fault = format!("`{word}` after a setting sets nothing; arguments come before the settings");
                    return Err(refuse(fault));
                }
            }
        }
        if let PlayerKind::Profile(name) = &spec.kind
            && !profile::looks_like_file(name)
        {
            profile::named(name).map_err(|fault| spec.profile(fault))?;
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut directory = None;
        match &self.kind {
            PlayerKind::Profile(name) => f.write_str(&quoted(name))?,
            PlayerKind::Uci(launch) | PlayerKind::Xboard(launch) => {
                let protocol = if matches!(self.kind, PlayerKind::Uci(_)) { "cmd" } else { "xboard" };
                write!(f, "{protocol}:{}", quoted(&launch.program.to_string_lossy()))?;
                launch.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))?;
                directory = launch.directory.as_ref();
            }
        }
        let mut set = |key: &str, value: &str| write!(f, " {}", quoted(&format!("{key}={value}")));
        if let Some(name) = &self.name {
            set("name", name)?;
        }
        if let Some(directory) = directory {
            set("dir", &directory.to_string_lossy())?;
        }
        self.options.iter().try_for_each(|(name, value)| set(&format!("option.{name}"), value))?;
        self.settings.iter().try_for_each(|setting| {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            set(&format!("set.{key}"), value)
        })?;
        match self.pace {
            None => Ok(()),
            Some(pace @ Pace::Clock(_)) => write!(f, " tc={pace}"),
            Some(pace) => write!(f, " {pace}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_a_player_that_reads_back_or_an_error(text in "(cmd:|xboard:)?[a-z\"' =.]{0,20}( (name|option.A|dir)=[ -~]{0,9}){0,3}") {
            if let Ok(spec) = text.parse::<Spec>() {
                prop_assert_eq!(spec.to_string().parse::<Spec>().ok(), Some(spec));
            }
        }
    }

    fn spec(text: &str) -> Spec {
        text.parse().expect(text)
    }

    #[test]
    fn players_are_read_and_written() {
        for (text, label, written) in [
            ("default", "default", "default"),
            (" FALCON ", "falcon", "FALCON"),
            ("some/folder/mine.toml", "mine", "some/folder/mine.toml"),
            (
                "default set.null_move.on=false option.hash=8",
                "default null_move.on=false",
                "default option.hash=8 set.null_move.on=false",
            ),
            ("default name=\"My own\"", "My own", "default \"name=My own\""),
            ("cmd:toga2 name=Toga option.Hash=64", "Toga", "cmd:toga2 name=Toga option.Hash=64"),
            (
                "cmd: './my engines/lc0' --backend=blas x=y \"option.Move Overhead=10\" dir=/opt",
                "lc0",
                "cmd:\"./my engines/lc0\" --backend=blas x=y dir=/opt \"option.Move Overhead=10\"",
            ),
            ("xboard:gnuchess --xboard", "gnuchess", "xboard:gnuchess --xboard"),
            ("default tc=2+0.02", "default", "default tc=2+0.02"),
            ("cmd:toga2 movetime=0.5 name=T", "T", "cmd:toga2 name=T movetime=0.5"),
            ("classic nodes=20k", "classic", "classic nodes=20000"),
        ] {
            let spec = spec(text);
            assert_eq!((spec.label().as_str(), spec.to_string().as_str()), (label, written), "{text}");
            assert_eq!(written.parse::<Spec>().expect(written), spec);
        }
    }

    #[test]
    fn the_words_of_a_program_are_separated() {
        let spec = spec("cmd:engine -x mode=fast name=\"A B\" option.Book= dir=/d");
        let PlayerKind::Uci(launch) = &spec.kind else { panic!("{spec:?}") };
        assert_eq!(launch.arguments, ["-x", "mode=fast"]);
        assert_eq!(launch.directory.as_deref(), Some(Path::new("/d")));
        assert_eq!(spec.options, [("Book".to_owned(), String::new())]);
    }

    #[test]
    fn useless_players_are_refused_with_a_remedy() {
        for (text, needles) in [
            ("", vec!["the text is empty", "cmd:PROGRAM"]),
            ("defualt", vec!["`defualt`", "did you mean `default`?", "cmd:PROGRAM"]),
            ("toga2", vec!["cannot find profile `toga2`", "the built-in profiles are default", "cmd:PROGRAM"]),
            ("cmd:", vec!["player `cmd:`", "the engine command is empty"]),
            ("xboard: 'x", vec!["a quotation mark is not closed"]),
            ("default name=", vec!["the name is empty", "name=NAME"]),
            ("default tc=fast", vec!["`fast` is not a valid time control"]),
            ("default nodes=0", vec!["`nodes=0` is not a valid pace"]),
            ("default fast", vec!["`fast` sets nothing", "option.NAME=VALUE"]),
            ("default option.Contempt=3", vec!["no option `Contempt`", "Hash, Threads"]),
            ("default dir=/x", vec!["`dir` is for programs"]),
            ("default nodes=5 depth=2", vec!["`depth` is a second limit", "tc, movetime, nodes, depth"]),
            ("cmd:x nmae=Y", vec!["unknown setting `nmae`", "name=NAME"]),
            ("cmd:x options.Hash=1", vec!["unknown setting `options.Hash`", "option.NAME=VALUE"]),
            ("cmd:x name=Y --late", vec!["`--late` after a setting", "arguments come before"]),
            ("cmd:x option.NullMove Pruning=Never", vec!["write \"option.NullMove Pruning=Never\"", "quotation marks"]),
            ("cmd:x name=Y option.Null Move Use=1", vec!["write \"option.Null Move Use=1\""]),
            ("cmd:x option.NullMove name=Y", vec!["`option.NullMove` has no value", "write \"option.NullMove=VALUE\""]),
            ("cmd:x set.null_move.on=1", vec!["`set.null_move.on` is for profiles"]),
        ] {
            let message = text.parse::<Spec>().expect_err(text).to_string();
            assert!(needles.iter().all(|needle| message.contains(needle)), "{text}: {message}");
        }
    }

    #[test]
    fn unusable_players_are_refused_before_the_match() {
        let nodes = Pace::Nodes(100);
        let seconds = |text: &str| text.parse::<Pace>().expect(text);
        for (text, pace, needles) in [
            ("default set.nul_move.on=1", nodes, vec!["did you mean `null_move.on`?"]),
            ("no/such.toml", nodes, vec!["cannot read `no/such.toml`"]),
            ("cmd:no-such-engine", nodes, vec!["no program `no-such-engine`", "/usr/games"]),
            ("xboard:sh", nodes, vec!["cannot play nodes=100", "time control or a depth"]),
            ("xboard:sh", seconds("movetime=0.5"), vec!["cannot play movetime=0.5", "whole seconds"]),
            ("xboard:sh", seconds("movetime=1.5"), vec!["whole seconds"]),
        ] {
            let message = spec(text).check(&pace).expect_err(text).to_string();
            assert!(needles.iter().all(|needle| message.contains(needle)), "{text}: {message}");
        }
        for (text, pace) in [
            ("default", nodes),
            ("cmd:sh", nodes),
            ("xboard:sh", seconds("1+0.1")),
            ("xboard:sh", seconds("depth=3")),
            ("xboard:sh", seconds("movetime=2")),
        ] {
            spec(text).check(&pace).expect(text);
        }
    }
}
