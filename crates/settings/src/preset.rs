//! Sets of settings under one name. What they set stands in the rows of the table.

use std::time::Duration;

/// A set of settings under one name: below the file, above the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Careful: few pages, few bytes, a long delay.
    Conservative,
    /// Usual.
    Balanced,
    /// Quick: everything, four pages a second and several at a time where robots.txt permits and the server copes.
    Aggressive,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [Self::Conservative, Self::Balanced, Self::Aggressive];

    /// Returns the preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
            Self::Aggressive => "aggressive",
        }
    }

    /// Returns the shortest delay for a host that has said that it is asked too much; zero to go on as before.
    pub(crate) const fn slowed_delay(self) -> Duration {
        match self {
            Self::Conservative | Self::Balanced => Duration::ZERO,
            Self::Aggressive => Duration::from_secs(1),
        }
    }
}
