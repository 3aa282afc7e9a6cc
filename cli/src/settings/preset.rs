//! Sets of settings under one name.

use std::time::Duration;

use super::values;

/// A set of settings under one name: below the file, above the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preset {
    /// Careful: few pages, few bytes, a long delay.
    Conservative,
    /// Usual.
    Balanced,
    /// Quick: everything, four pages a second and several at a time where robots.txt permits and the server copes.
    Aggressive,
}

impl Preset {
    const ALL: [Self; 3] = [Self::Conservative, Self::Balanced, Self::Aggressive];

    /// Returns the preset of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
            Self::Aggressive => "aggressive",
        }
    }

    /// Returns the settings it makes, by name.
    pub(super) const fn values(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Conservative => {
                &[("mode", "incremental"), ("max-depth", "3"), ("head", "true"), ("delay", "2")]
            }
            Self::Balanced => &[("mode", "incremental"), ("max-depth", "5")],
            Self::Aggressive => &[
                ("mode", "smart"),
                ("max-depth", "none"),
                ("head", "false"),
                ("delay", "0.25"),
                ("parallel", "8"),
            ],
        }
    }

    /// Returns the shortest delay for a host that has said that it is asked too much; zero to go on as before.
    pub(super) const fn slowed_delay(self) -> Duration {
        match self {
            Self::Conservative | Self::Balanced => Duration::ZERO,
            Self::Aggressive => values::SECOND,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::keys::key;

    #[test]
    fn a_preset_is_found_by_its_name_and_sets_what_can_be_set() {
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.name()), Some(preset));
            assert!(preset.values().iter().all(|(name, _)| key(name).is_some()), "{preset:?}");
        }
        assert_eq!(Preset::named("wild"), None);
    }
}
