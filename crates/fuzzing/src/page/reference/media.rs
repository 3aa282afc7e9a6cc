//! Which images, sounds and films count.

use ::url::Url;
use recrawl_core::url::resolve;
use scraper::node::Element;
use xxhash_rust::xxh3::xxh3_64;

/// What a page shows, in the order of the page.
#[derive(Debug, Default)]
pub(super) struct Gallery {
    /// Addresses, and the texts that stand for images.
    pub(super) shown: Vec<(String, Option<String>)>,
    /// What the picture that was begun last offers.
    offered: Option<String>,
}

impl Gallery {
    pub(super) fn add(&mut self, address: Option<&str>, alternative: Option<&str>) {
        if let Some(address) = address {
            self.shown.push((address.to_owned(), alternative.map(str::to_owned)));
        }
    }

    pub(super) fn note_image(&mut self, element: &Element, counts: bool) {
        match element.name() {
            "picture" => self.offered = None,
            "source" => match element.attr("src") {
                Some(address) if counts => self.add(Some(address), None),
                None if self.offered.is_none() => {
                    self.offered = element.attr("srcset").and_then(first_of).map(str::to_owned);
                }
                Some(_) | None => {}
            },
            _ => {
                let offered = self.offered.take();
                let address = address_of(element, offered.as_deref());
                let alternative = element.attr("alt").filter(|text| !text.trim().is_empty());
                let is_anything = address.is_some() || alternative.is_some();
                if is_anything && counts {
                    self.add(Some(address.unwrap_or_default()), alternative);
                }
            }
        }
    }
}

/// Returns where an image is: its own address unless that is a placeholder, then what scripts would load.
fn address_of<'a>(element: &'a Element, offered: Option<&'a str>) -> Option<&'a str> {
    let filled = |name| element.attr(name).filter(|value: &&str| !value.trim_ascii().is_empty());
    let own = filled("src");
    let others = [
        filled("data-src"),
        filled("data-lazy-src"),
        filled("srcset").and_then(first_of),
        filled("data-srcset").and_then(first_of),
        offered,
    ];
    own.filter(|address| !is_data(address.trim_ascii_start()))
        .or_else(|| others.into_iter().flatten().next())
        .or(own)
}

/// Returns the first address of a `srcset`, if that is no placeholder.
fn first_of(candidates: &str) -> Option<&str> {
    let address = candidates.split_ascii_whitespace().next()?.trim_matches(',');
    (!address.is_empty() && !is_data(address)).then_some(address)
}

fn is_data(address: &str) -> bool {
    address.to_ascii_lowercase().starts_with("data:")
}

/// Writes down what counts of an image: where it is, and the text that stands for it.
pub(super) fn description((address, alternative): &(String, Option<String>), base: &Url) -> Option<String> {
    let address = address.trim_ascii();
    let mut description = if is_data(address) {
        format!("data:{:016x}", xxh3_64(address.as_bytes()))
    } else {
        let resolved = resolve(address, Some(base)).ok().filter(|_| !address.is_empty());
        let resolved = resolved.filter(|url| matches!(url.scheme(), "http" | "https"));
        resolved.map_or_else(String::new, |mut url| {
            url.set_fragment(None);
            url.into()
        })
    };
    if let Some(text) = alternative {
        let words: Vec<&str> = text.split_whitespace().collect();
        description = format!("{description} {:?}", words.join(" "));
    }
    (!description.is_empty()).then_some(description)
}
