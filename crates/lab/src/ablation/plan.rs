//! Which settings are compared with the profile as it is.

use quarterply_engine::ordering::sources::OrderingSource;
use quarterply_engine::params::{ParameterEntry, ParameterKind, Parameters, Spec};
use quarterply_engine::rules::Rule;
use quarterply_files::profile::{apply_setting, hint, nearest};
use thiserror::Error;

/// The kind of change that makes the settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Mode {
    /// Each switch is inverted.
    #[strum(serialize = "turned over")]
    Inverted,
    /// Each rule that is on is left out.
    Without,
    /// Each rule alone on the textbook search.
    Only,
    /// Parameters with other values.
    Tried,
    /// Each number one step up against one step down.
    #[strum(serialize = "up against down")]
    Stepped,
}

impl Mode {
    /// The heading of the rows: `switch inverted`, `number up against down`.
    pub fn row(self) -> String {
        match self {
            Mode::Inverted => "switch inverted".to_owned(),
            Mode::Stepped => format!("number {self}"),
            Mode::Without => "rule left out".to_owned(),
            Mode::Only => "rule added".to_owned(),
            Mode::Tried => "setting tried".to_owned(),
        }
    }
}

/// Why there is nothing to compare.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlanError {
    /// No rule or part with a switch has this name: the name and the most similar one.
    #[error("cannot switch `{0}`: it has no switch{hint}; list the parameters with `quarterply params`", hint = hint(.1))]
    Unknown(String, Option<String>),
    /// A rule that is off cannot be left out.
    #[error(
        "cannot switch off `{0}`: it is off in this profile; leave it out of --without, or name a profile in which it is on"
    )]
    Off(String),
    /// A text is not a setting; the reason names it.
    #[error("cannot use --try: {0}")]
    Setting(String),
    /// A setting gives one parameter several values: the text and the parameter.
    #[error("cannot use --try {0}: it gives `{1}` twice; give one value")]
    Repeated(String, String),
    /// A setting is named twice.
    #[error("cannot measure `{0}` twice: `{1}` is the same setting; leave one of them out")]
    Twice(String, String),
    /// A setting is the profile as it is.
    #[error("cannot use --try {0}: the profile has this value; give another one")]
    Same(String),
    /// Two settings cannot be on one side: both of them, and the parameter that they change.
    #[error("cannot play `{0}` and `{1}` together: both change `{2}`; leave one out")]
    Overlap(String, String, String),
    /// A setting selects a file: [`super::block_design`] combines numbers and switches only.
    #[error("cannot play `{0}` together with other settings: it selects a file; measure it without --together")]
    File(String),
    /// No group of parameters has this name, or it has no numbers: the name and the most similar one.
    #[error("cannot change the numbers of `{0}`: no rule or part with numbers has this name{hint}; list them with `quarterply params`", hint = hint(.1))]
    NoNumbers(String, Option<String>),
    /// Nothing is on.
    #[error("cannot leave out a rule: none is on in this profile; measure each rule alone with --only")]
    Nothing,
}

/// A setting that is compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// The rule or part whose switch differs: its group of parameters, or the full name of a switch that is not called `on`. With
    /// [`Mode::Tried`] the text of the setting, with [`Mode::Stepped`] the parameter and its two values.
    pub rule: String,
    /// The switch in this setting; with [`Mode::Tried`] and [`Mode::Stepped`] always on.
    pub on: bool,
    /// All parameters.
    pub parameters: Parameters,
    /// The parameters of the other side, if they are not the profile as it is: one step down with [`Mode::Stepped`].
    pub against: Option<Parameters>,
}

/// The settings of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct AblationPlan {
    /// The kind of change.
    pub mode: Mode,
    /// The profile as it is; with [`Mode::Only`] the textbook.
    pub baseline: Parameters,
    /// The settings, in the order of the parameters.
    pub settings: Vec<Setting>,
}

impl AblationPlan {
    /// The settings for the rules in `requested`, or for all.
    ///
    /// # Errors
    /// One of them does not exist or is named twice, or there is nothing to compare.
    pub fn new(profile: &Parameters, mode: Mode, requested: &[String]) -> Result<AblationPlan, PlanError> {
        let mut baseline = profile.clone();
        if mode == Mode::Only {
            baseline.switch_all_off();
            // A rule is alone where moves are ordered as usual, a source of move order where nothing else orders them.
            if !requested.is_empty() && requested.iter().all(|name| orders(name)) {
                baseline.switch_ordering_off();
            }
        }
        let switches = switches();
        let chosen: Vec<&(String, String)> = match requested {
            [] => switches.iter().collect(),
            _ => requested.iter().map(|name| find(&switches, name)).collect::<Result<_, _>>()?,
        };
        let mut settings: Vec<Setting> = Vec::new();
        for (rule, switch) in chosen {
            if settings.iter().any(|setting| setting.rule == *rule) {
                return Err(PlanError::Twice(rule.clone(), rule.clone()));
            }
            let was_on = baseline.get(switch).is_ok_and(|value| value != 0);
            if mode == Mode::Without && !was_on {
                if !requested.is_empty() {
                    return Err(PlanError::Off(rule.clone()));
                }
                continue;
            }
            if mode == Mode::Only && was_on {
                continue;
            }
            let mut parameters = baseline.clone();
            if mode == Mode::Only && !rule.contains('.') {
                // The rule as the profile has it, with all of its conditions.
                parameters.copy_group(rule, profile);
            }
            // The name and both values are those of a switch that exists.
            let _ = parameters.set(switch, i32::from(!was_on));
            settings.push(Setting { rule: rule.clone(), on: !was_on, parameters, against: None });
        }
        if settings.is_empty() { Err(PlanError::Nothing) } else { Ok(AblationPlan { mode, baseline, settings }) }
    }

    /// These settings, each a list of `RULE.PARAMETER=VALUE` with commas between.
    ///
    /// # Errors
    /// One of them is not a setting, gives a parameter twice, changes nothing, or is the same as another one.
    pub fn tried(profile: &Parameters, texts: &[String]) -> Result<AblationPlan, PlanError> {
        let mut settings: Vec<Setting> = Vec::new();
        for text in texts {
            let mut parameters = profile.clone();
            let mut names: Vec<String> = Vec::new();
            for part in text.split(',') {
                apply_setting(&mut parameters, part.trim()).map_err(|error| PlanError::Setting(error.to_string()))?;
                let name = part.split('=').next().unwrap_or_default().trim();
                let name = Parameters::find(name).map_or_else(|_| name.to_ascii_lowercase(), |entry| entry.name);
                if names.contains(&name) {
                    return Err(PlanError::Repeated(text.clone(), name));
                }
                names.push(name);
            }
            if parameters == *profile {
                return Err(PlanError::Same(text.clone()));
            }
            if let Some(same) = settings.iter().find(|setting| setting.parameters == parameters) {
                return Err(PlanError::Twice(text.clone(), same.rule.clone()));
            }
            settings.push(Setting { rule: text.clone(), on: true, parameters, against: None });
        }
        Ok(AblationPlan { mode: Mode::Tried, baseline: profile.clone(), settings })
    }

    /// One step up against one step down of each number of the groups in `requested`, or of all that are on; numbers of the clock only
    /// `by_clock` or if they are requested. At the end of its range a number keeps its value instead.
    ///
    /// # Errors
    /// One of the groups does not exist or has no numbers.
    pub fn stepped(profile: &Parameters, requested: &[String], by_clock: bool) -> Result<AblationPlan, PlanError> {
        let numbers = || Parameters::specs().filter(|entry| entry.spec.kind == ParameterKind::Number);
        let requested: Vec<String> = requested.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        if let Some(unknown) = requested.iter().find(|name| numbers().all(|entry| entry.group != name.as_str())) {
            let near = nearest(unknown, numbers().map(|entry| entry.group));
            return Err(PlanError::NoNumbers(unknown.clone(), near));
        }
        let is_used = |group: &str| match profile.get(&format!("{group}.on")) {
            Ok(on) => on != 0,
            Err(_) => by_clock || group != CLOCK,
        };
        let chosen = |group: &str| requested.iter().any(|name| name == group) || requested.is_empty() && is_used(group);
        let settings: Vec<Setting> =
            numbers().filter(|entry| chosen(entry.group)).filter_map(|entry| stepped(profile, &entry)).collect();
        let plan = AblationPlan { mode: Mode::Stepped, baseline: profile.clone(), settings };
        if plan.settings.is_empty() { Err(PlanError::Nothing) } else { Ok(plan) }
    }
}

/// The group of time management.
const CLOCK: &str = "clock";

/// A number one step up, against one step down.
fn stepped(profile: &Parameters, entry: &ParameterEntry) -> Option<Setting> {
    let &Spec { min, max, step, .. } = entry.spec;
    let value = profile.get(&entry.name).ok()?;
    let (down, up) = (value.saturating_sub(step).max(min), value.saturating_add(step).min(max));
    let with = |value: i32| {
        let mut parameters = profile.clone();
        parameters.set(&entry.name, value).ok().map(|()| parameters)
    };
    let rule = format!("{} {down}..{up}", entry.name);
    Some(Setting { rule, on: true, parameters: with(up)?, against: Some(with(down)?) })
}

/// The name of each setting and the full name of its switch. First every group with a switch `on`, then the switches of rules that are
/// parameters of another group.
fn switches() -> Vec<(String, String)> {
    const ON: &str = "on";
    let own =
        Parameters::specs().filter(|entry| entry.spec.name == ON).map(|entry| (entry.group.to_owned(), entry.name));
    let others = Rule::ALL.iter().flat_map(|rule| rule.switches()).filter(|name| !name.ends_with(".on"));
    own.chain(others.map(|name| ((*name).to_owned(), (*name).to_owned()))).collect()
}

/// Returns true if this is the name of a source of move order, or of its switch.
fn orders(name: &str) -> bool {
    let name = name.trim().trim_end_matches(".on").to_ascii_lowercase();
    OrderingSource::ALL.iter().any(|source| source.module() == name)
}

fn find<'a>(switches: &'a [(String, String)], name: &str) -> Result<&'a (String, String), PlanError> {
    let requested = name.trim().trim_end_matches(".on").to_ascii_lowercase();
    let unknown = || {
        PlanError::Unknown(name.trim().to_owned(), nearest(&requested, switches.iter().map(|(rule, _)| rule.as_str())))
    };
    switches.iter().find(|(rule, _)| *rule == requested).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn any_parameters_can_be_tried() {
        let profile = Parameters::default();
        let tried = |texts: &[&str]| AblationPlan::tried(&profile, &names(texts));
        let plan = tried(&["multi_cut.on=true", "razoring.base=111, razoring.slope=222"]).expect("settings");
        let [one, two] = &plan.settings[..] else { panic!("{:?}", plan.settings) };
        assert_eq!((one.rule.as_str(), one.parameters.get("multi_cut.on")), ("multi_cut.on=true", Ok(1)));
        assert_eq!((two.parameters.get("razoring.base"), two.parameters.get("razoring.slope")), (Ok(111), Ok(222)));
        assert_eq!(two.parameters.get("multi_cut.on"), profile.get("multi_cut.on"));
        for (text, wrong) in [
            (
                "razoring.bas=1",
                "--try: cannot set `razoring.bas=1`: no parameter is named `razoring.bas`; did you mean `razoring.base`?",
            ),
            ("probcut.on=true", "--try probcut.on=true: the profile has this value"),
            ("razoring.base=x", "`x` is not a valid value of `razoring.base`"),
            ("razoring.base=111,", "--try: "),
            (
                "razoring.base=111,Razoring.base = 112",
                "--try razoring.base=111,Razoring.base = 112: it gives `razoring.base` twice; give one value",
            ),
        ] {
            let error = tried(&[text]).expect_err(text).to_string();
            assert!(error.contains(wrong), "{error}");
        }
    }

    /// Its games would have one journal, which a second match cannot use.
    #[test]
    fn a_setting_that_is_named_twice_is_refused() {
        let profile = Parameters::default();
        for (mode, twice) in [(Mode::Without, ["probcut", "Probcut.on"]), (Mode::Only, ["null_move", "null_move"])] {
            let error = AblationPlan::new(&profile, mode, &names(&twice)).expect_err("twice").to_string();
            assert!(error.contains("twice") && error.contains("leave one of them out"), "{error}");
        }
        let twice = names(&["razoring.base=111,razoring.slope=222", "razoring.slope=222, razoring.base=111"]);
        let error = AblationPlan::tried(&profile, &twice).expect_err("twice").to_string();
        assert!(error.contains(&format!("`{}` twice: `{}`", twice[1], twice[0])), "{error}");
    }

    #[test]
    fn every_number_of_an_active_rule_is_tested_one_step_up_against_one_step_down() {
        let mut profile = Parameters::default();
        profile.set("null_move.base", 8192).expect("the greatest value");
        let plan = AblationPlan::stepped(&profile, &[], false).expect("numbers");
        let of = |name: &str| plan.settings.iter().find(|setting| setting.rule.starts_with(&format!("{name} ")));
        let depth = of("null_move.depth_min").expect("null move is on");
        let values = |setting: &Setting, name: &str| {
            let against = setting.against.as_ref().expect("the step down");
            [against.get(name).ok(), setting.parameters.get(name).ok()]
        };
        assert_eq!(
            (depth.rule.as_str(), values(depth, "null_move.depth_min")),
            ("null_move.depth_min 1..3", [Some(1), Some(3)])
        );
        assert_eq!(depth.parameters.get("null_move.slope"), profile.get("null_move.slope"), "nothing else differs");
        let base = of("null_move.base").expect("a number");
        assert_eq!(values(base, "null_move.base"), [Some(8064), Some(8192)], "it stays in its range");
        for off in ["multi_cut.reduction", "clock.moves_to_go"] {
            assert!(Parameters::find(off).is_ok() && of(off).is_none(), "{off} changes no game at a number of nodes");
        }
        let by_clock = AblationPlan::stepped(&profile, &[], true).expect("numbers");
        assert!(by_clock.settings.len() > plan.settings.len());
        let requested = AblationPlan::stepped(&profile, &names(&["Multi_Cut"]), false).expect("numbers");
        assert!(
            !requested.settings.is_empty()
                && requested.settings.iter().all(|setting| setting.rule.starts_with("multi_cut."))
        );
        let error = AblationPlan::stepped(&profile, &names(&["nul_move"]), false).expect_err("misspelt").to_string();
        assert!(error.contains("`nul_move`") && error.contains("did you mean `null_move`?"), "{error}");
    }

    #[test]
    fn every_switch_is_turned_over_once() {
        let profile = Parameters::default();
        let plan = AblationPlan::new(&profile, Mode::Inverted, &[]).expect("there are rules");
        let groups = Parameters::specs().filter(|entry| entry.spec.name == "on").count();
        assert!(plan.settings.len() > groups, "delta pruning has its switch in quiescence");
        for setting in &plan.settings {
            let name = switches().into_iter().find(|(rule, _)| *rule == setting.rule).expect("it exists").1;
            assert_eq!(setting.parameters.get(&name), Ok(i32::from(setting.on)));
            assert_ne!(setting.parameters.get(&name), profile.get(&name), "{name}");
            let mut back = setting.parameters.clone();
            back.set(&name, i32::from(!setting.on)).expect("a switch");
            assert_eq!(back, profile, "{name}: nothing else differs");
        }
        let different: std::collections::HashSet<&str> = plan.settings.iter().map(|s| s.rule.as_str()).collect();
        assert_eq!(different.len(), plan.settings.len());
    }

    #[test]
    fn only_active_rules_are_left_out() {
        let plan = AblationPlan::new(&Parameters::default(), Mode::Without, &[]).expect("rules are on");
        assert!(plan.settings.iter().all(|setting| !setting.on));
        assert!(plan.settings.iter().any(|setting| setting.rule == "null_move"));
        assert!(!plan.settings.iter().any(|setting| setting.rule == "multi_cut"), "it is off");
        let off = AblationPlan::new(&Parameters::default(), Mode::Without, &names(&["multi_cut"]));
        assert_eq!(off, Err(PlanError::Off("multi_cut".to_owned())));
        let mut textbook = Parameters::default();
        textbook.switch_all_off();
        textbook.switch_ordering_off();
        assert_eq!(AblationPlan::new(&textbook, Mode::Without, &[]), Err(PlanError::Nothing));
    }

    #[test]
    fn alone_means_on_the_textbook_search() {
        let requested = names(&["Null_Move", "razoring.on", "quiescence.delta"]);
        let plan = AblationPlan::new(&Parameters::default(), Mode::Only, &requested).expect("they exist");
        assert_eq!(plan.baseline.get("table.on"), Ok(0));
        let [null_move, razoring, delta] = &plan.settings[..] else { panic!("{:?}", plan.settings) };
        assert_eq!(null_move.parameters.get("null_move.on"), Ok(1));
        assert_eq!((razoring.parameters.get("razoring.on"), razoring.parameters.get("null_move.on")), (Ok(1), Ok(0)));
        assert!(delta.on && delta.rule == "quiescence.delta");
    }

    /// They were cleared once: any capture after a capture was a recapture then.
    #[test]
    fn a_rule_that_is_alone_keeps_its_conditions() {
        let mut profile = Parameters::default();
        profile.set("passed_pawn.sixth_captures", 0).expect("a switch");
        let requested = names(&["recapture", "passed_pawn"]);
        let plan = AblationPlan::new(&profile, Mode::Only, &requested).expect("they exist");
        for (setting, rule) in plan.settings.iter().zip(&requested) {
            for entry in Parameters::specs().filter(|entry| entry.group == rule && entry.spec.name != "on") {
                assert_eq!(setting.parameters.get(&entry.name), profile.get(&entry.name), "{}", entry.name);
            }
        }
    }

    #[test]
    fn a_source_of_move_order_is_alone_where_nothing_else_orders_moves() {
        let plan = AblationPlan::new(&Parameters::default(), Mode::Only, &names(&["killers", "guard.on"]))
            .expect("they exist");
        let [killers, guard] = &plan.settings[..] else { panic!("{:?}", plan.settings) };
        assert_eq!(OrderingSource::ALL.iter().filter(|source| plan.baseline.get(source.switch()) != Ok(0)).count(), 0);
        assert_eq!((killers.parameters.get("killers.on"), killers.parameters.get("guard.on")), (Ok(1), Ok(0)));
        assert!(guard.on && guard.parameters.get("guard.on") == Ok(1));
        let all = AblationPlan::new(&Parameters::default(), Mode::Only, &[]).expect("rules");
        assert!(all.settings.iter().all(|setting| setting.on), "what is on already is not alone");
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_nearest() {
        let error =
            AblationPlan::new(&Parameters::default(), Mode::Inverted, &names(&["nul_move"])).expect_err("misspelt");
        assert!(error.to_string().contains("`nul_move`: it has no switch; did you mean `null_move`?"), "{error}");
    }
}
