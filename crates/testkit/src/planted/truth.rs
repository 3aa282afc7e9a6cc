//! What a person would write down of a week.

use super::{PlantedSite, page, path};

/// The page that is new in the first week after the start; the menu leads to it.
pub(super) const NEW_PAGE: &str = "/jobs";

/// What a person would write down of a week.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// The pages whose content changed, what matters most first.
    pub changed: Vec<PlantedEdit>,
    /// The pages that are new.
    pub new: Vec<String>,
    /// The pages that are gone.
    pub gone: Vec<String>,
    /// What changed alike on several pages.
    pub shared: Vec<PlantedShare>,
    /// How many pages changed around their content alone, by an edit of their own.
    pub around: usize,
    /// How many pages have nothing but noise.
    pub only_noise: usize,
    /// On how many pages the copyright year is another one.
    pub years: usize,
    /// On how many pages the build line changed and nobody has to be told.
    pub built_in_silence: usize,
}

/// What changed on a page: the line that went and the one that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedEdit {
    /// The page.
    pub path: String,
    /// What went; nothing where a line came alone.
    pub went: Option<String>,
    /// What came; nothing where a line went alone.
    pub came: Option<String>,
}

/// What changed alike on several pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedShare {
    /// How what came begins.
    pub came: String,
    /// Where it stands.
    pub region: &'static str,
    /// On how many pages.
    pub pages: usize,
}

pub(super) fn truth(site: PlantedSite, week: usize) -> Truth {
    let built =
        || PlantedShare { came: "Composed by unit b".to_owned(), region: "footer", pages: site.built() };
    match week {
        1 => Truth {
            changed: vec![
                edit(page::LONGER, None, Some(page::ADDED)),
                edit(page::SHORTER, Some(page::REMOVED), None),
                replaced(page::REWORDED, page::DOGS),
                replaced(page::PASS, page::PASSES),
                replaced(page::TICKET, page::TICKETS),
                replaced(page::DATED, page::VALID),
                replaced(page::NAMED, page::HEAD),
            ],
            new: vec![NEW_PAGE.to_owned()],
            gone: vec![path(page::GONE)],
            shared: vec![
                PlantedShare { came: "Jobs".to_owned(), region: "nav", pages: site.pages - 1 },
                built(),
            ],
            around: 1,
            years: site.pages - 1,
            ..Truth::default()
        },
        2 => Truth {
            changed: vec![edit(page::LONGER, None, Some(page::ADDED_LATER))],
            shared: vec![built()],
            around: 1,
            ..Truth::default()
        },
        3 => Truth {
            changed: vec![replaced(page::LATE, page::BOOTHS)],
            only_noise: site.built(),
            built_in_silence: site.built(),
            ..Truth::default()
        },
        _ => Truth::default(),
    }
}

fn replaced(number: usize, [went, came]: [&str; 2]) -> PlantedEdit {
    edit(number, Some(went), Some(came))
}

fn edit(number: usize, went: Option<&str>, came: Option<&str>) -> PlantedEdit {
    PlantedEdit { path: path(number), went: went.map(str::to_owned), came: came.map(str::to_owned) }
}
