//! A row of the table, and the macro that makes a typed struct of rows.

use crate::preset::Preset;

/// One setting.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Its name: `--name`, `RECRAWL_NAME`, and `name = ` in the file.
    pub name: &'static str,
    /// What it means: a line for the short help, then sentences for the documents.
    help: &'static [&'static str],
    /// The settings that people look for beside it.
    pub group: Group,
    /// What is in force where nobody says otherwise.
    pub default: DefaultValue,
    /// What stands for its value in the help, such as `SECONDS`.
    pub value: &'static str,
    /// Where it means something.
    pub home: Home,
    /// How it is said on the command line.
    pub flag: Flag,
    /// Whether it takes several values.
    pub takes_many: bool,
    /// Whether only the long help shows it.
    pub is_rare: bool,
    by_preset: [Option<&'static str>; Preset::ALL.len()],
}

/// What is in force where nobody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    /// This value, as a person would write it.
    Value(&'static str),
    /// The `Default` of its type, described in these words.
    Unset(&'static str),
}

/// Where a setting means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In the command alone.
    Embedded,
    /// In the services alone: crawl-fn and scheduler.
    Cloud,
    /// In both.
    Both,
}

/// How a setting is said on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// `--name VALUE`.
    Value,
    /// `--name=VALUE`, or `--name` alone for this value.
    Alone(&'static str),
    /// A flag of this other name, which says `false`.
    Negated(&'static str),
}

/// Settings that people look for together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles say what they are")]
pub enum Group {
    Site,
    Pace,
    Limits,
    Scope,
    Comparison,
    Identity,
    Visits,
    Order,
    Weights,
    Afterwards,
    Requests,
    Process,
}

impl Group {
    /// Returns its title in the documents.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Site => "Store and site",
            Self::Pace => "Pace",
            Self::Limits => "Limits",
            Self::Scope => "Scope",
            Self::Comparison => "What counts as a change",
            Self::Identity => "Who is asking",
            Self::Visits => "Which pages to ask for, and how",
            Self::Order => "The order of visits",
            Self::Weights => "How much a change matters",
            Self::Afterwards => "Archiving and schedule",
            Self::Requests => "Requests and memory",
            Self::Process => "Variables of a process",
        }
    }
}

impl Setting {
    /// Makes a setting that takes one value.
    pub(crate) const fn one(name: &'static str, group: Group, help: &'static [&'static str]) -> Self {
        Self {
            name,
            help,
            group,
            default: DefaultValue::Unset("(none)"),
            value: "",
            home: Home::Both,
            flag: Flag::Value,
            takes_many: false,
            is_rare: false,
            by_preset: [None; Preset::ALL.len()],
        }
    }

    /// Makes a setting that takes one value, or none at all.
    pub(crate) const fn some(name: &'static str, group: Group, help: &'static [&'static str]) -> Self {
        Self::one(name, group, help)
    }

    /// Makes a setting that takes a list of values.
    pub(crate) const fn many(name: &'static str, group: Group, help: &'static [&'static str]) -> Self {
        Self { takes_many: true, ..Self::one(name, group, help) }
    }

    pub(crate) const fn default(self, value: &'static str) -> Self {
        Self { default: DefaultValue::Value(value), ..self }
    }

    pub(crate) const fn unset(self, words: &'static str) -> Self {
        Self { default: DefaultValue::Unset(words), ..self }
    }

    pub(crate) const fn value(self, value: &'static str) -> Self {
        Self { value, ..self }
    }

    pub(crate) const fn only_in(self, home: Home) -> Self {
        Self { home, ..self }
    }

    pub(crate) const fn flag(self, flag: Flag) -> Self {
        Self { flag, ..self }
    }

    pub(crate) const fn rare(self) -> Self {
        Self { is_rare: true, ..self }
    }

    pub(crate) const fn preset(mut self, preset: Preset, value: &'static str) -> Self {
        self.by_preset[preset as usize] = Some(value);
        self
    }

    /// Returns the name of its variable.
    pub fn variable(&self) -> String {
        format!("RECRAWL_{}", self.name.replace('-', "_").to_uppercase())
    }

    /// Returns what it means in one line, without a full stop.
    pub fn summary(&self) -> &'static str {
        self.help.first().copied().unwrap_or_default().trim()
    }

    /// Returns what it means in whole sentences.
    pub fn description(&self) -> String {
        let mut sentences = vec![format!("{}.", self.summary())];
        sentences.extend(self.help.iter().skip(1).map(|line| line.trim().to_owned()));
        sentences.join(" ")
    }

    /// Returns what is in force where nobody says otherwise, in words.
    pub const fn default_words(&self) -> &'static str {
        match self.default {
            DefaultValue::Value(words) | DefaultValue::Unset(words) => words,
        }
    }

    /// Returns what a preset sets it to, if it does.
    pub const fn by_preset(&self, preset: Preset) -> Option<&'static str> {
        self.by_preset[preset as usize]
    }

    /// Tells whether it can be set for each site of a deployment.
    pub fn is_for_each_site(&self) -> bool {
        match self.group {
            Group::Process => matches!(self.name, "keep-crawls" | "overlong" | "overdue"),
            Group::Site
            | Group::Pace
            | Group::Limits
            | Group::Scope
            | Group::Comparison
            | Group::Identity
            | Group::Visits
            | Group::Order
            | Group::Weights
            | Group::Afterwards
            | Group::Requests => self.is_for_cloud(),
        }
    }

    /// Tells whether it speaks of one site, so that what is said of one means nothing for the others: which pages are its
    /// own, what of them counts, and when it is crawled.
    pub fn is_of_one_site(&self) -> bool {
        matches!(self.group, Group::Scope | Group::Comparison)
            || matches!(self.name, "schedule" | "time-zone" | "root" | "site")
    }

    /// Tells whether it means something in the services.
    pub const fn is_for_cloud(&self) -> bool {
        matches!(self.home, Home::Cloud | Home::Both)
    }
}

/// Makes a struct with a field for each row, a constant with the rows, and what reads one by the other.
///
/// A row is the help as a doc comment, then `field: Type = one(reader) "name"` and what else is to be said of it by
/// methods of [`Setting`]. In place of `one` stands `some` where the field is an `Option`, and `many` where the value is
/// a list. Rows stand in groups.
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $settings:ident, pub const $table:ident;
        $($group:ident { $(
            $(#[doc = $help:literal])+
            $field:ident: $type:ty = $count:ident($read:path) $name:literal $(.$with:ident($($argument:expr),*))*;
        )+ })+
    ) => {
        $(#[$about])*
        pub struct $settings {
            $($( $(#[doc = $help])+ pub $field: $type, )+)+
        }

        #[doc = concat!("The rows of [`", stringify!($settings), "`], in the order in which people read them.")]
        pub const $table: &[Setting] = &[
            $($( Setting::$count($name, Group::$group, &[$($help),+])$(.$with($($argument),*))*, )+)+
        ];

        impl $settings {
            /// Reads every row; notes in `problems` what is wrong with a value, and who set it.
            pub(crate) fn read_rows(layers: &Layers, problems: &mut Vec<String>) -> Self {
                let mut rows = $table.iter();
                let mut row = || rows.next().expect("there is a row for each field");
                Self { $($( $field: layers.$count(row(), $read, problems), )+)+ }
            }
        }
    };
}
pub(crate) use settings;
