//! What a body means beside the one before it: the same bytes, the same meaning, a soft error, or a change.

use super::comparing::compare;
use super::{Asked, Evidence, Fact, Interpreted, Stored};
use crate::changes::noise::stands_in;
use crate::decide::judge::Observation;
use crate::decide::partial;
use crate::decide::soft_error::{self, Examined};
use crate::model::aspect::Aspects;
use crate::model::content::{Content, Extracted, Reading};
use crate::model::ids::{ContentHash, SemanticHash};
use crate::model::record::ContentRef;
use crate::ports::{NotFoundAnswer, Response};
use crate::url::PageUrl;

/// What was looked up so far. The outer `Option` says whether somebody looked, the inner what they found.
#[derive(Debug, Default)]
pub struct Facts {
    /// The body, whose hash is known.
    pub content: Option<Content>,
    /// Whether the extractor has read it.
    pub is_read: bool,
    /// Links of a stored content that were not queued yet.
    pub links: Option<(ContentHash, Option<Vec<PageUrl>>)>,
    /// The previous content, as the rules in force read it.
    pub before: Option<Option<Before>>,
    /// What the previous content says, as it is stored.
    pub reading: Option<Option<Reading>>,
    /// The text of an earlier meaning.
    pub text: Option<KnownText>,
    /// How the host answers for pages that it does not have.
    pub not_found: Option<NotFoundAnswer>,
}

impl Facts {
    /// Returns the links of a stored content, once somebody looked.
    pub(super) fn links_of(&self, content: &ContentHash) -> Option<&Option<Vec<PageUrl>>> {
        self.links.as_ref().filter(|(hash, _)| hash == content).map(|(_, links)| links)
    }

    fn text_of(&self, meaning: SemanticHash) -> Option<&KnownText> {
        self.text.as_ref().filter(|known| known.meaning == meaning)
    }
}

/// The text of a meaning, where it is stored.
#[derive(Debug)]
pub struct KnownText {
    /// The meaning.
    pub meaning: SemanticHash,
    /// Its text.
    pub text: Option<String>,
}

/// What a page said before, as the rules in force read it.
#[derive(Debug, Clone)]
pub struct Before {
    /// The content.
    pub reference: ContentRef,
    /// What it says, where that is at hand.
    pub reading: Option<Reading>,
}

/// Says what the body of an answer means.
pub(super) fn read_body(asked: &Asked<'_>, response: &Response, facts: &Facts) -> Interpreted {
    let Some(content) = &facts.content else { return Interpreted::Needs(Fact::Body) };
    let previous = asked.known.and_then(|known| known.content.as_ref());
    let current = if response.truncated { asked.rules.of_beginning() } else { asked.rules.clone() };
    let transfer_bytes = response.received_bytes;
    let remark = partial::remark(response.truncated, content.size);
    if let Some(reference) =
        previous.filter(|it| it.hash == content.hash && it.rules.is_comparable_with(&current))
    {
        match facts.links_of(&reference.hash) {
            None => return Interpreted::Needs(Fact::StoredLinks(reference.hash)),
            Some(Some(links)) => {
                let (reference, difference) = (reference.clone(), Some(Aspects::NONE));
                let observation = Observation::Content { reference, difference, transfer_bytes };
                let seen = Evidence::answered(response, observation);
                return Interpreted::seen(Evidence { links: links.clone(), reason: remark, ..seen });
            }
            Some(None) => {}
        }
    }
    if !facts.is_read {
        return Interpreted::Needs(Fact::Body);
    }
    let before = match previous {
        None => None,
        Some(previous) if previous.rules.is_comparable_with(&content.extracted.rules) => {
            Some(Before { reference: previous.clone(), reading: None })
        }
        Some(_) => match &facts.before {
            None => return Interpreted::Needs(Fact::PreviousContent),
            Some(before) => before.clone(),
        },
    };
    let same = match before.as_ref().map(|before| same_so_far(before, content, facts)) {
        Some(Err(fact)) => return Interpreted::Needs(fact),
        Some(Ok(same)) => same,
        None => SameSoFar::No,
    };
    let mut reference = content.reference();
    let mut stores = Stored::AsRead;
    if let SameSoFar::AsMeaning(semantic, text) = &same {
        reference.semantic = *semantic;
        stores = Stored::AsMeaning(*semantic, text.clone());
    }
    let (before, read_before) = before.map(|before| (before.reference, before.reading)).unzip();
    let read_before: Option<Reading> = read_before.flatten();
    // What it said before, it may say again.
    if before.as_ref().is_none_or(|before| before.semantic != reference.semantic) {
        let text = |meaning| facts.text_of(meaning);
        match soft_error::examine(
            asked.url,
            asked.root,
            before.as_ref(),
            content,
            &text,
            facts.not_found.as_ref(),
        ) {
            Examined::Needs(fact) => return Interpreted::Needs(fact),
            Examined::NotThePage(reason) => return Evidence::no_evidence(response, reason),
            Examined::Page => {}
        }
    }
    let mut difference = before.as_ref().map(|before| match before.differences(&reference) {
        _ if same != SameSoFar::No => Aspects::NONE,
        differences => differences.among(asked.policy.compare),
    });
    let compared = match &before {
        Some(before) if same == SameSoFar::No && before.hash != reference.hash => {
            match compare(asked, before, read_before.as_ref(), content, facts) {
                Ok(compared) => compared,
                Err(fact) => return Interpreted::Needs(fact),
            }
        }
        Some(_) | None => None,
    };
    if compared.as_ref().is_some_and(|compared| compared.edits.have_replaced_content())
        && let Some(line) = asked.noise.stand_in(&content.extracted.text)
    {
        return Evidence::no_evidence(response, stands_in(line));
    }
    if let Some(compared) = &compared {
        // Lines in another order, and learnt noise, are no difference.
        difference = difference.map(|difference| difference.among(compared.news()));
    }
    let extracted = &content.extracted;
    Interpreted::seen(Evidence {
        rebased: previous.is_some_and(|previous| previous.rules != extracted.rules),
        links: extracted.links.clone(),
        truncated: response.truncated || extracted.cut.is_some(),
        reason: unread_document(extracted).or(remark).or_else(|| extracted.cut.clone()),
        stores: Some(stores),
        compared: compared.map(Box::new),
        ..Evidence::answered(response, Observation::Content { reference, difference, transfer_bytes })
    })
}

/// Returns why a document is judged by its bytes.
fn unread_document(extracted: &Extracted) -> Option<String> {
    extracted.document.clone().filter(|_| extracted.rules.is_bytes())
}

/// Whether two contents, of which at least one breaks off, say the same as far as both go.
#[derive(Debug, PartialEq, Eq)]
enum SameSoFar {
    No,
    Yes,
    /// Both break off: that the limit fell a few lines earlier or later is no other version of the page, so the new one
    /// takes over the meaning of the old.
    AsMeaning(SemanticHash, String),
}

fn same_so_far(before: &Before, content: &Content, facts: &Facts) -> Result<SameSoFar, Fact> {
    let Before { reference, reading } = before;
    let was_beginning = reference.rules.is_of_beginning();
    let is_beginning = content.extracted.rules.is_of_beginning();
    if !was_beginning && !is_beginning || reference.semantic == content.extracted.semantic {
        return Ok(SameSoFar::No);
    }
    let stored = if let Some(reading) = reading {
        Some(reading.text.as_str())
    } else {
        let known = facts.text_of(reference.semantic).ok_or(Fact::Text(reference.semantic))?;
        known.text.as_deref()
    };
    let Some(said) = stored else { return Ok(SameSoFar::No) };
    let says = content.extracted.text.as_str();
    Ok(match partial::is_same_so_far((said, was_beginning), (says, is_beginning)) {
        false => SameSoFar::No,
        true if was_beginning && is_beginning => SameSoFar::AsMeaning(reference.semantic, said.to_owned()),
        true => SameSoFar::Yes,
    })
}
