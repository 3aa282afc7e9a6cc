//! What the head of a page says, as it is compared.

use recrawl_core::model::aspect::Signature;
use recrawl_core::model::outline::MetaKind;
use xxhash_rust::xxh3::Xxh3;

use super::directives::RobotsDirectives;

/// Lists what a head says, in the order of [`MetaKind::ALL`], without what is empty.
pub(super) fn parts(
    title: Option<String>,
    description: Option<String>,
    canonical: Option<String>,
    robots: RobotsDirectives,
) -> Vec<(MetaKind, String)> {
    let robots = match (robots.noindex, robots.nofollow) {
        (true, true) => Some("noindex, nofollow"),
        (true, false) => Some("noindex"),
        (false, true) => Some("nofollow"),
        (false, false) => None,
    };
    let parts = [title, description, canonical, robots.map(str::to_owned)];
    let filled =
        |(kind, part): (MetaKind, Option<String>)| Some((kind, part.filter(|part| !part.is_empty())?));
    MetaKind::ALL.into_iter().zip(parts).filter_map(filled).collect()
}

/// Returns the fingerprint of what a head says.
pub(super) fn signature(parts: &[(MetaKind, String)]) -> Signature {
    let mut hasher = Xxh3::new();
    for (kind, part) in parts {
        for piece in [kind.word(), "\t", part, "\n"] {
            hasher.update(piece.as_bytes());
        }
    }
    Signature(hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_is_listed() {
        let robots = |noindex, nofollow| RobotsDirectives { noindex, nofollow };
        let word = |robots| parts(None, None, None, robots).pop().map(|(_, word)| word);
        assert_eq!(word(robots(true, true)).as_deref(), Some("noindex, nofollow"));
        assert_eq!(word(robots(true, false)).as_deref(), Some("noindex"));
        assert_eq!(word(robots(false, true)).as_deref(), Some("nofollow"));
        assert_eq!(word(robots(false, false)), None);
        let said =
            parts(Some(String::new()), Some("d".to_owned()), Some("c".to_owned()), robots(false, false));
        assert_eq!(said, [(MetaKind::Description, "d".to_owned()), (MetaKind::Canonical, "c".to_owned())]);
    }

    #[test]
    fn a_fingerprint_tells_parts_apart() {
        let title = vec![(MetaKind::Title, "a".to_owned())];
        let description = vec![(MetaKind::Description, "a".to_owned())];
        assert_ne!(signature(&title), signature(&description));
        assert_ne!(signature(&title), signature(&[]));
    }
}
