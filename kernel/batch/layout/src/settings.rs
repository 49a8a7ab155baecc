//! Settings of a solve as numbers: a graphics processor's code is compiled at another time and by another compiler than the
//! program that calls it, so no struct can be passed between them.
use stiction::{BounceMode, LocalRule, MethodChoice, PositionCorrection, Real, Settings, SweepOrder};

/// Scalars of settings: relaxation of plain and of accelerated sweeps, tolerance, restitution threshold, error reduction,
/// slop, largest correction speed.
pub const SCALARS: usize = 7;
/// Words of settings: method, local rule, bounce, order, position correction; sweeps, factorisations, fewest sweeps,
/// normal sweeps.
pub const WORDS: usize = 9;

const METHODS: [MethodChoice; 4] =
    [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct];
const RULES: [LocalRule; 4] = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
const BOUNCES: [BounceMode; 2] = [BounceMode::Together, BounceMode::Sequential];
const ORDERS: [SweepOrder; 3] = [SweepOrder::Alternating, SweepOrder::Forward, SweepOrder::Colours];
const CORRECTIONS: [PositionCorrection; 3] =
    [PositionCorrection::None, PositionCorrection::SplitImpulse, PositionCorrection::Bias];

/// Settings as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingsNumbers<T> {
    /// Those that are scalars.
    pub scalars: [T; SCALARS],
    /// Choices and counts.
    pub words: [u32; WORDS],
}

impl<T: Real> SettingsNumbers<T> {
    /// The numbers of settings.
    pub fn of(settings: &Settings<T>) -> Self {
        SettingsNumbers {
            scalars: [
                settings.relaxation,
                settings.accelerated_relaxation,
                settings.tolerance,
                settings.restitution_threshold,
                settings.error_reduction,
                settings.slop,
                settings.max_correction_speed,
            ],
            words: [
                word(&METHODS, settings.method),
                word(&RULES, settings.local),
                word(&BOUNCES, settings.bounce),
                word(&ORDERS, settings.order),
                word(&CORRECTIONS, settings.position_correction),
                settings.sweeps,
                settings.factorisations,
                settings.min_sweeps,
                settings.normal_sweeps,
            ],
        }
    }

    /// The settings of numbers; none if a choice is unknown.
    pub fn settings(&self) -> Option<Settings<T>> {
        let [method, local, bounce, order, correction, sweeps, factorisations, min_sweeps, normal_sweeps] = self.words;
        let [relaxation, accelerated_relaxation, tolerance, threshold, error_reduction, slop, speed] = self.scalars;
        Some(Settings {
            method: choice(&METHODS, method)?,
            local: choice(&RULES, local)?,
            bounce: choice(&BOUNCES, bounce)?,
            order: choice(&ORDERS, order)?,
            relaxation,
            accelerated_relaxation,
            sweeps,
            factorisations,
            min_sweeps,
            normal_sweeps,
            tolerance,
            restitution_threshold: threshold,
            position_correction: choice(&CORRECTIONS, correction)?,
            error_reduction,
            slop,
            max_correction_speed: speed,
        })
    }
}

fn word<C: PartialEq>(choices: &[C], choice: C) -> u32 {
    choices.iter().position(|known| *known == choice).unwrap_or(usize::MAX) as u32
}

fn choice<C: Copy>(choices: &[C], word: u32) -> Option<C> {
    choices.get(word as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_settings_are_the_settings() {
        for k in 0..4 {
            let settings = Settings::<f64> {
                method: METHODS[k],
                local: RULES[k],
                bounce: BOUNCES[k % 2],
                order: ORDERS[k % 3],
                relaxation: 1.0,
                accelerated_relaxation: 2.0,
                sweeps: 3,
                factorisations: 4,
                min_sweeps: 5,
                normal_sweeps: 6,
                tolerance: 7.0,
                restitution_threshold: 8.0,
                position_correction: CORRECTIONS[k % 3],
                error_reduction: 9.0,
                slop: 10.0,
                max_correction_speed: 11.0,
            };
            assert_eq!(SettingsNumbers::of(&settings).settings(), Some(settings));
        }
        let mut unknown = SettingsNumbers::of(&Settings::<f32>::default());
        unknown.words[2] = 2;
        assert_eq!(unknown.settings(), None);
    }
}
