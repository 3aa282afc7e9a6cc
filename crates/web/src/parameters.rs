//! The query of a request, and what a form sends.

use std::convert::Infallible;
use std::str::FromStr;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use recrawl_core::model::aspect::Aspect;
use recrawl_core::model::ids::{CrawlId, IdError};
use recrawl_core::model::kind::{Kind, Tier};
use recrawl_core::url::{PageUrl, UrlRules};
use recrawl_reports::changes::{Conditions, Given, ReviewFilter, Words};
use recrawl_reports::{ChangesFilter, Sort};
use url::form_urlencoded;

use crate::address::NO_SECTION;
use crate::error::WebError;
use crate::message::Message;

/// The parameters of a request in their order. A name may come several times; empty values count as absent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads a query.
    pub(crate) fn read(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        Self(pairs.filter(|(_, value)| !value.trim().is_empty()).collect())
    }

    /// Returns all of them, by name and value.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }

    /// Returns every value of `name`, also those in one parameter with commas between them.
    pub(crate) fn list<T: FromStr<Err: ToString>>(&self, name: &str) -> Result<Vec<T>, WebError> {
        let values = self.0.iter().filter(|(key, _)| key == name).flat_map(|(_, value)| value.split(','));
        let values = values.map(str::trim).filter(|value| !value.is_empty());
        values
            .map(|value| value.parse().map_err(|error: T::Err| WebError::BadRequest(error.to_string())))
            .collect()
    }

    /// Returns a number from 1 to `most`.
    pub(crate) fn number(&self, name: &str, most: usize) -> Result<Option<usize>, WebError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (1..=most).contains(number));
        let refused = || WebError::BadRequest(format!("{name} must be a number from 1 to {most}"));
        number.map(Some).ok_or_else(refused)
    }

    /// Returns the page in `url`, brought into normal form.
    pub(crate) fn page(&self) -> Result<PageUrl, WebError> {
        let text =
            self.get("url").ok_or_else(|| WebError::BadRequest("the parameter url is missing".to_owned()))?;
        Ok(UrlRules::keep_all_parameters().page(text, None)?)
    }

    /// Returns which changes are asked for, by `kind`, `aspect`, `path`, `section`, `q`, and the conditions of
    /// `recrawl changes`.
    pub(crate) fn changes_filter(&self) -> Result<ChangesFilter, WebError> {
        let owned = |name| self.get(name).map(str::to_owned);
        let expand = self.is_set("expand")?;
        Ok(ChangesFilter {
            verdicts: self.list("kind")?,
            aspects: self.list::<Aspect>("aspect")?.into_iter().take(1).collect(),
            kinds: self.list::<Kind>("kinds")?.into_iter().collect(),
            tier: self.tier()?,
            expand,
            open_folders: expand,
            min_weight: self
                .number("min-weight", 1_000)?
                .and_then(|weight| u32::try_from(weight).ok())
                .unwrap_or(0),
            conditions: self.conditions()?,
            path: owned("path"),
            section: owned("section")
                .map(|section| if section == NO_SECTION { String::new() } else { section }),
            text: owned("q"),
            review: ReviewFilter { unseen: self.is_set("unseen")?, starred: self.is_set("starred")? },
        })
    }

    /// Tells whether `name` is `true`; absent, it is not.
    fn is_set(&self, name: &str) -> Result<bool, WebError> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(WebError::BadRequest(format!("{name} must be true or false"))),
        }
    }

    /// Returns what must have come or gone, by the names of the command, or as the form of a list has it: `words`, and `which`
    /// of them.
    fn conditions(&self) -> Result<Conditions, WebError> {
        let typed = |which: &str| {
            let is_meant = self.get("which").unwrap_or("either") == which;
            if is_meant { self.words("words") } else { Ok(None) }
        };
        Ok(Conditions {
            either: self.words("match")?.or(typed("either")?),
            added: self.words("match-added")?.or(typed("came")?),
            removed: self.words("match-removed")?.or(typed("went")?),
            exclude: self.words("exclude-match")?,
        })
    }

    fn tier(&self) -> Result<Option<Tier>, WebError> {
        let number = self.number("tier", 3)?.and_then(|number| u8::try_from(number).ok());
        let tier = number.map(Tier::try_from).transpose();
        tier.map_err(|error| WebError::BadRequest(error.to_string()))
    }

    fn words(&self, name: &str) -> Result<Option<Words>, WebError> {
        let words = self.get(name).map(str::parse::<Words>).transpose();
        words.map_err(|error| WebError::Invalid(format!("{name}: {error}")))
    }

    /// Returns the order of a list of changes, by `sort`.
    pub(crate) fn sort(&self) -> Result<Sort, WebError> {
        match self.get("sort") {
            None | Some("weight") => Ok(Sort::Weight),
            Some("path") => Ok(Sort::Path),
            Some("time") => Ok(Sort::Time),
            Some("size") => Ok(Sort::Size),
            Some(_) => Err(WebError::BadRequest("sort must be weight, size, path or time".to_owned())),
        }
    }

    /// Returns the lines of a text that say something.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let lines = self.get(name).unwrap_or_default().lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Returns what is to be said about the form that led here.
    pub(crate) fn message(&self) -> Option<Message> {
        self.get("done").and_then(Message::of)
    }

    /// Returns the end of a window in `name`.
    pub(crate) fn given(&self, name: &str) -> Result<Option<Given>, WebError> {
        let given = self.get(name).map(str::parse::<Given>).transpose();
        given.map_err(|error| WebError::BadRequest(format!("{name}: {error}")))
    }

    /// Returns the crawl in `name`.
    pub(crate) fn crawl(&self, name: &str) -> Result<Option<CrawlId>, IdError> {
        self.get(name).map(str::parse).transpose()
    }
}

/// What a form sends in the body of a request.
pub(crate) struct Typed(pub(crate) Parameters);

impl<S: Send + Sync> FromRequest<S> for Typed {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, WebError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")) {
            return Err(WebError::BadRequest("this address takes the form of a page".to_owned()));
        }
        let text = String::from_request(request, state).await;
        let text = text.map_err(|error| WebError::BadRequest(error.body_text()))?;
        Ok(Self(Parameters::read(&text)))
    }
}

impl<S: Sync> FromRequestParts<S> for Parameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use recrawl_core::model::verdict::Verdict;

    use super::*;

    #[test]
    fn lists_come_with_commas_or_as_several_parameters() {
        for query in ["kind=new,gone", "kind=new&kind=gone", "kind=new,&kind=&kind=gone&x=1"] {
            let kinds = Parameters::read(query).list::<Verdict>("kind").unwrap();
            assert_eq!(kinds, [Verdict::New, Verdict::Gone], "{query}");
        }
        assert!(Parameters::read("kind=nes").list::<Verdict>("kind").is_err());
    }

    #[test]
    fn what_is_true_or_false_is_nothing_else() {
        for (query, expected) in
            [("", Some(false)), ("a=true", Some(true)), ("a=false", Some(false)), ("a=null", None)]
        {
            assert_eq!(Parameters::read(query).is_set("a").ok(), expected, "{query}");
        }
    }

    #[test]
    fn numbers_have_bounds_and_empty_values_are_absent() {
        let read = |query: &str| Parameters::read(query).number("page", 9);
        assert_eq!(read("page=3").unwrap(), Some(3));
        assert_eq!(read("page=+").unwrap(), None);
        for query in ["page=0", "page=10", "page=x", "page=-1"] {
            assert!(read(query).is_err(), "{query}");
        }
    }

    #[test]
    fn addresses_are_brought_into_normal_form() {
        let page = Parameters::read("url=HTTPS%3A%2F%2FExample.org%2Fa%3Fb%3D1%23c").page().unwrap();
        assert_eq!(page.as_str(), "https://example.org/a?b=1");
        assert!(Parameters::read("url=javascript:alert(1)").page().is_err());
        assert!(Parameters::read("").page().is_err());
    }
}
