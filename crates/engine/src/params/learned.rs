//! Learned coefficients among the parameters: not numbers but the choice of a file for each [`CoefficientModel`].

use super::{ParameterError, Parameters, in_range};
use crate::coefficients::{CoefficientFile, CoefficientModel, Contents};
use crate::rules::{Coefficients, learned_cost, realization};
use std::sync::LazyLock;

/// All models.
pub const MODELS: [&CoefficientModel; 2] = [&learned_cost::MODEL, &realization::MODEL];

/// The files that are chosen, in the order of [`MODELS`].
pub type CoefficientFiles = [CoefficientFile; MODELS.len()];

/// The files that are part of the program.
static BUILT_IN: LazyLock<[Contents; MODELS.len()]> = LazyLock::new(|| {
    MODELS.map(|model| {
        let built_in = model.parse(model.built_in);
        built_in.unwrap_or_else(|reason| unreachable!("coefficients of {}: {reason}", model.rule))
    })
});

/// The model whose option has this name, whatever its case.
pub fn model_of(option: &str) -> Option<&'static CoefficientModel> {
    MODELS.into_iter().find(|model| option.trim().eq_ignore_ascii_case(model.option))
}

/// The place of the model among [`MODELS`], and of the coefficient in it, for `rule.coefficient` in lower case.
fn place(name: &str) -> Option<(usize, usize)> {
    let (rule, coefficient) = name.split_once('.')?;
    let model = MODELS.iter().position(|model| model.rule == rule)?;
    Some((model, MODELS[model].position(coefficient)?))
}

/// The error for the name of a coefficient, which was a parameter in older versions; `None` if the coefficient does not exist.
pub(super) fn refusal(name: &str) -> Option<ParameterError> {
    let (model, _) = place(name)?;
    Some(ParameterError::Coefficient { name: name.to_owned(), option: MODELS[model].option })
}

impl Parameters {
    /// Every model with the file that is chosen for it.
    pub fn coefficient_files(&self) -> impl Iterator<Item = (&'static CoefficientModel, &CoefficientFile)> {
        MODELS.into_iter().zip(&self.coefficients)
    }

    /// Chooses the file of a model.
    pub fn choose_coefficients(&mut self, model: &CoefficientModel, file: CoefficientFile) {
        if let Some(at) = MODELS.iter().position(|known| known.rule == model.rule) {
            self.coefficients[at] = file;
        }
    }

    /// The files in force of all models, whether they are chosen or part of the program.
    pub fn coefficient_contents(&self) -> impl Iterator<Item = (&'static CoefficientModel, &Contents)> {
        (0..MODELS.len()).map(|model| (MODELS[model], self.contents(model)))
    }

    fn contents(&self, model: usize) -> &Contents {
        match &self.coefficients[model] {
            CoefficientFile::Default => &BUILT_IN[model],
            CoefficientFile::File { contents, .. } => contents,
        }
    }

    /// The values of a model by its place.
    fn values(&self, model: usize) -> &[i32] {
        &self.contents(model).values
    }

    /// The coefficients in force, as the search reads them.
    pub fn learned(&self) -> Coefficients {
        let [cost, chances] = std::array::from_fn(|model| self.values(model));
        Coefficients {
            learned_cost: cost.try_into().expect("a file has every weight"),
            realization: realization::Learned::of(chances).expect("a file has every coefficient"),
        }
    }

    /// The value in force of `rule.coefficient`; `None` if the coefficient does not exist.
    pub fn coefficient(&self, name: &str) -> Option<i32> {
        place(name).map(|(model, at)| self.values(model)[at])
    }

    /// The coefficients that differ from the built-in ones, as `rule.coefficient` with their values: for records that hold values, not
    /// files. [`Parameters::restore`] takes them.
    pub fn differing_coefficients(&self) -> impl Iterator<Item = (String, i32)> {
        MODELS.iter().enumerate().flat_map(|(model, declared)| {
            let names = declared.declared().map(|(_, coefficient)| coefficient.name);
            let values = names.zip(self.values(model)).zip(&BUILT_IN[model].values);
            let differing = values.filter(|((_, value), usual)| value != usual);
            differing.map(|((name, value), _)| (format!("{}.{name}", declared.rule), *value))
        })
    }

    /// Sets a recorded value: a parameter, or a coefficient of a record of [`Parameters::differing_coefficients`].
    ///
    /// # Errors
    /// As [`Parameters::set`].
    pub fn restore(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        let Some((model, at)) = place(name) else { return self.set(name, value) };
        if let Some((group, _)) = MODELS[model].declared().nth(at) {
            in_range(name, value.into(), group.min, group.max)?;
        }
        if self.values(model)[at] != value {
            let mut values = self.values(model).to_vec();
            values[at] = value;
            self.coefficients[model] = CoefficientFile::recorded(values);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coefficients::VERSION;
    use std::collections::HashSet;

    #[test]
    fn the_files_of_the_program_are_as_the_program_writes_them() {
        let usual = Parameters::default();
        for model in MODELS {
            let contents = model.parse(model.built_in).expect(model.rule);
            assert_eq!(model.write(&contents), model.built_in, "{}", model.rule);
            let mut in_force = usual.coefficient_contents();
            assert_eq!(in_force.find(|(one, _)| one.rule == model.rule).map(|(_, found)| found), Some(&contents));
            assert!(model.built_in.contains(&format!("version = {VERSION}\n")), "{}", model.rule);
            assert_eq!(contents.date.split('-').map(str::len).collect::<Vec<_>>(), [4, 2, 2], "{}", contents.date);
        }
    }

    #[test]
    fn names_are_unique_no_parameters_and_every_doc_tells_a_unit() {
        let mut seen = HashSet::new();
        for (model, coefficient) in MODELS.iter().flat_map(|model| model.declared().map(move |(_, one)| (model, one))) {
            let name = format!("{}.{}", model.rule, coefficient.name);
            assert!(seen.insert(name.clone()), "{name} declared twice");
            assert!(Parameters::specs().all(|entry| entry.name != name), "{name} is a parameter too");
            assert!(coefficient.doc.contains('(') && coefficient.doc.ends_with(')'), "{name}: no unit");
        }
        assert_eq!(MODELS.map(|model| model.option), ["learned_cost.coefficients", "realization.coefficients"]);
        assert!(MODELS.iter().all(|model| Parameters::specs().any(|entry| entry.group == model.rule)));
    }

    #[test]
    fn a_coefficient_is_no_parameter_and_the_error_names_its_option() {
        for name in ["learned_cost.bias", "Realization.Takes_Pawn"] {
            let lower = name.to_ascii_lowercase();
            let error = Parameters::default().parse(name, "7").expect_err(name);
            assert_eq!(error, refusal(&lower).expect("a coefficient"));
            let option = lower.split('.').next().map(|rule| format!("`{rule}.coefficients`")).expect("a rule");
            let message = error.to_string();
            assert!(message.contains(&format!("`{lower}`")) && message.contains(&option), "{message}");
        }
        assert!(matches!(Parameters::find("learned_cost.byas"), Err(ParameterError::Unknown { .. })));
    }

    #[test]
    fn recorded_coefficients_come_back_in_range_only() {
        let mut changed = Parameters::default();
        changed.restore("null_move.on", 0).expect("a parameter");
        changed.restore("learned_cost.bias", 9000).expect("a coefficient");
        changed.restore("realization.p_recapture", 10_000).expect("a coefficient");
        assert_eq!((changed.learned().learned_cost[0], changed.learned().realization.chances[1]), (9000, 10_000));
        assert_eq!(changed.learned().learned_cost[1], Parameters::default().learned().learned_cost[1]);
        let recorded: Vec<_> = changed.differing_coefficients().collect();
        let expected = [("learned_cost.bias", 9000), ("realization.p_recapture", 10_000)];
        assert_eq!(recorded, expected.map(|(name, value)| (name.to_owned(), value)));
        let mut again = Parameters::default();
        again.set("null_move.on", 0).expect("a switch");
        recorded.iter().for_each(|(name, value)| again.restore(name, *value).expect(name));
        assert_eq!(again, changed);
        for (name, value) in
            [("realization.p_recapture", 0), ("realization.p_recapture", 10_001), ("learned_cost.bias", 16_385)]
        {
            assert!(matches!(again.restore(name, value), Err(ParameterError::OutOfRange { .. })), "{name} {value}");
        }
        assert_eq!(again, changed, "a refused value leaves the old one");
        let mut usual = Parameters::default();
        let value = usual.learned().learned_cost[0];
        usual.restore("learned_cost.bias", value).expect("the built-in value");
        assert_eq!(usual, Parameters::default(), "nothing differs");
    }

    #[test]
    fn former_names_of_coefficients_are_read_as_the_present_ones() {
        let model = realization::MODEL;
        let present = ["p_mate_threat_reply", "p_escape", "p_killer_or_counter"];
        let former = present.into_iter().zip(["p_parry", "p_withdrawal", "p_refuter"]);
        let text = former.fold(model.built_in.to_owned(), |text, (present, former)| text.replace(present, former));
        assert_ne!(text, model.built_in);
        assert_eq!(model.parse(&text), model.parse(model.built_in));
        let mut changed = Parameters::default();
        changed.restore("learned_cost.refuter", 7).expect("a former name");
        assert_eq!(changed.coefficient("learned_cost.killer_or_counter"), Some(7));
    }

    #[test]
    fn a_file_is_chosen_for_its_model_alone() {
        let mut changed = Parameters::default();
        let zeros = vec![0; realization::MODEL.declared().count()];
        changed.choose_coefficients(&realization::MODEL, CoefficientFile::recorded(zeros));
        let (new, old) = (changed.learned(), Parameters::default().learned());
        assert_eq!((new.learned_cost, new.realization.weights), (old.learned_cost, old.realization.weights.map(|_| 0)));
        assert_ne!(changed, Parameters::default());
        let mut copied = Parameters::default();
        copied.copy_group("learned_cost", &changed);
        assert_eq!(copied, Parameters::default());
        copied.copy_group("realization", &changed);
        assert_eq!(copied, changed);
        changed.choose_coefficients(model_of("Realization.Coefficients").expect("an option"), CoefficientFile::Default);
        assert_eq!(changed, Parameters::default());
        assert!(model_of("realization.softmax").is_none());
    }
}
