//! Words that stand for something: names, addresses, choices.

use recrawl_core::address::{AddressClass, literal};
use recrawl_core::model::archive::ArchivePolicy;
use recrawl_core::model::aspect::{Aspect, Aspects};
use recrawl_core::model::content::KeepBodies;
use recrawl_core::model::crawl::Mode;
use recrawl_core::model::ids::SiteId;
use recrawl_core::secret::Secret;
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_schedule::{Schedule, ScheduleError};

use super::{Bad, bad, truth};
use crate::preset::Preset;

/// Stands in the user agent until the person who crawls says where to reach them.
pub(crate) const CONTACT: &str = "https://recrawl.example/";

#[expect(clippy::unnecessary_wraps, reason = "a reader like the others")]
pub(crate) fn secret(text: &str) -> Result<Secret, Bad> {
    Ok(Secret::new(text))
}

/// Reads the name of a site.
pub(crate) fn site(text: &str) -> Result<SiteId, Bad> {
    text.parse().or_else(|_| bad("a short name of a-z, 0-9, '.', '_' and '-'"))
}

/// Reads the root of a site as people type it: `https://` may be left out.
pub fn page(text: &str) -> Result<PageUrl, Bad> {
    let host = text.split(['/', '?']).next().unwrap_or_default();
    let lacks_scheme =
        !text.contains("://") && host.contains('.') && !host.contains(':') && !host.starts_with('.');
    let with_scheme = if lacks_scheme { format!("https://{text}") } else { text.to_owned() };
    let page = UrlRules::default().page(&with_scheme, None);
    let page = page.map_err(|error| Bad(format!("a URL such as https://example.org/news ({error})")))?;
    match literal(page.host()).map(AddressClass::of) {
        Some(class @ AddressClass::Metadata) => {
            Err(Bad(format!("another site: this one is {class}, and is never visited")))
        }
        Some(_) | None => Ok(page),
    }
}

pub(crate) fn preset(name: &str) -> Result<Preset, Bad> {
    Preset::named(name).map_or_else(|| bad("conservative, balanced or aggressive"), Ok)
}

pub(crate) fn mode(text: &str) -> Result<Mode, Bad> {
    let mode = [Mode::Full, Mode::Incremental, Mode::Smart].into_iter().find(|mode| mode.word() == text);
    mode.map_or_else(|| bad("full, incremental or smart"), Ok)
}

pub(crate) fn archiving(text: &str) -> Result<ArchivePolicy, Bad> {
    match (text, truth(text)) {
        ("never", _) | (_, Ok(false)) => Ok(ArchivePolicy::Never),
        ("changes", _) | (_, Ok(true)) => Ok(ArchivePolicy::Changes),
        ("all", _) => Ok(ArchivePolicy::All),
        (_, Err(_)) => bad("never, changes or all"),
    }
}

pub(crate) fn keep_bodies(text: &str) -> Result<KeepBodies, Bad> {
    match text {
        "all" => Ok(KeepBodies::All),
        "changed" => Ok(KeepBodies::Changed),
        "none" => Ok(KeepBodies::None),
        _ => bad("all, changed or none"),
    }
}

/// Reads where site owners can reach the person who crawls.
pub(crate) fn contact(text: &str) -> Result<String, Bad> {
    let plain = text.chars().all(|character| character.is_ascii_graphic() && !"()".contains(character));
    let reachable = ["https://", "http://", "mailto:"].iter().any(|scheme| text.starts_with(scheme));
    if plain && reachable {
        Ok(text.to_owned())
    } else {
        bad("a URL, such as https://example.org/bot or mailto:me@example.org")
    }
}

pub(crate) fn user_agent(text: &str) -> Result<String, Bad> {
    let plain = text.chars().all(|character| character == ' ' || character.is_ascii_graphic());
    if plain && !text.trim().is_empty() { Ok(text.to_owned()) } else { bad("printable ASCII") }
}

pub(crate) fn cron(text: &str) -> Result<String, Bad> {
    match Schedule::new(text, "UTC") {
        Ok(_) => Ok(text.to_owned()),
        Err(ScheduleError::Never(_)) => bad("a time that comes"),
        Err(ScheduleError::Expression { .. } | ScheduleError::Zone(_)) => {
            bad("a cron expression of five fields, like \"0 3 * * 1\" for Mondays at 3:00")
        }
    }
}

pub(crate) fn time_zone(text: &str) -> Result<String, Bad> {
    match Schedule::new("0 0 * * *", text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => bad("a time zone, like UTC or America/Los_Angeles"),
    }
}

/// Reads the sides from which a page can change, separated by commas or given one by one.
pub(crate) fn aspects(values: &[String]) -> Result<Aspects, Bad> {
    let words = values.iter().flat_map(|value| value.split(',')).map(str::trim);
    let aspects: Result<Aspects, _> = words.map(str::parse::<Aspect>).collect();
    match aspects {
        Ok(aspects) if !aspects.is_empty() => Ok(aspects),
        Ok(_) | Err(_) => bad("some of text, links and media"),
    }
}

/// Reads media types without parameters.
pub(crate) fn media_types(values: &[String]) -> Result<Vec<String>, Bad> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let media_type = |text: &String| match text.split_once('/') {
        Some((kind, name)) if is_name(kind) && is_name(name) => Ok(text.to_ascii_lowercase()),
        Some(_) | None => bad("a media type, such as text/gemini"),
    };
    values.iter().map(media_type).collect()
}
