//! Functions for what was crawled: what an HTML body says.

use recrawl_core::model::content::Extractor as _;
use recrawl_core::url::UrlRules;
use recrawl_extract::HtmlExtractor;
use recrawl_extract::text::TextRules;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};
use scraper::{Html, Selector};

/// Adds them to a connection.
pub(crate) fn add_to(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("html_text", 1, flags, |context| {
        Ok(text_of(context, 0)?.map(|body| html_text(&body)))
    })?;
    connection.create_scalar_function("css", 2, flags, |context| {
        let Some(found) = select(context)? else { return Ok(None) };
        Ok(found.into_iter().next())
    })?;
    connection.create_scalar_function("css_all", 2, flags, |context| {
        Ok(select(context)?.map(|found| serde_json::Value::from(found).to_string()))
    })?;
    connection.create_scalar_function("links", 2, flags, |context| {
        let (Some(body), Some(url)) = (text_of(context, 0)?, text_of(context, 1)?) else { return Ok(None) };
        Ok(Some(serde_json::Value::from(links(&body, &url)?).to_string()))
    })?;
    connection.create_scalar_function("json_ld", 1, flags, |context| {
        Ok(text_of(context, 0)?.map(|body| serde_json::Value::from(json_ld(&body)).to_string()))
    })?;
    connection.create_scalar_function("url_host", 1, flags, |context| {
        let url = text_of(context, 0)?;
        Ok(url.and_then(|url| recrawl_settings::page(&url).ok()).map(|page| page.host().to_owned()))
    })
}

/// Tells whether a media type is that of a page.
pub(crate) fn is_html(media_type: &str) -> bool {
    matches!(media_type, "text/html" | "application/xhtml+xml")
}

fn text_of(context: &Context<'_>, argument: usize) -> Result<Option<String>> {
    match context.get_raw(argument) {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
        }
        ValueRef::Integer(_) | ValueRef::Real(_) => Err(said("a text is expected, and not a number")),
    }
}

fn said(sentence: impl Into<String>) -> Error {
    Error::UserFunctionError(sentence.into().into())
}

/// Returns the text of a page, as pages are compared.
fn html_text(body: &str) -> String {
    let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::default(), false);
    let Ok(nowhere) = "http://text.invalid/".parse() else { return String::new() };
    let read = extractor.extract(&nowhere, Some("text/html; charset=utf-8"), body.as_bytes());
    read.map(|extracted| extracted.text).unwrap_or_default()
}

/// Returns the texts of the elements that a selector matches.
fn select(context: &Context<'_>) -> Result<Option<Vec<String>>> {
    let (Some(body), Some(selector)) = (text_of(context, 0)?, text_of(context, 1)?) else { return Ok(None) };
    let parsed = Selector::parse(&selector);
    let parsed = parsed.map_err(|_| said(format!("{selector:?} is no CSS selector")))?;
    let document = Html::parse_document(&body);
    Ok(Some(document.select(&parsed).map(|element| collapsed(element.text())).collect()))
}

fn collapsed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let text: String = texts.collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns where a page leads: http and https addresses, each once, in the order of the page.
fn links(body: &str, url: &str) -> Result<Vec<String>> {
    let page = recrawl_settings::page(url).map_err(|_| said(format!("{url:?} is no URL")))?;
    let extractor = HtmlExtractor::new(TextRules::default(), UrlRules::keep_all_parameters(), false);
    let read = extractor.extract(&page, Some("text/html; charset=utf-8"), body.as_bytes());
    Ok(read.map(|extracted| extracted.links.into_iter().map(String::from).collect()).unwrap_or_default())
}

/// Returns the JSON-LD of a page; what cannot be read is left out.
fn json_ld(body: &str) -> Vec<serde_json::Value> {
    let Ok(selector) = Selector::parse(r#"script[type="application/ld+json"]"#) else { return Vec::new() };
    let document = Html::parse_document(body);
    let scripts = document.select(&selector).map(|script| script.text().collect::<String>());
    scripts.filter_map(|script| serde_json::from_str(script.trim()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<html><head><title>T</title>
        <script type="application/ld+json">{"@type": "Product", "price": 7}</script>
        <script type="application/ld+json">{broken</script></head>
        <body><h1>One <b>two</b></h1><h1>Three</h1><p>Text.</p>
        <a href="/a?utm_source=x">a</a><a href="http://b.example/">b</a><a href="mailto:x@b.example">m</a></body></html>"#;

    fn ask(sql: &str) -> Result<Option<String>> {
        let connection = Connection::open_in_memory().unwrap();
        add_to(&connection).unwrap();
        connection.query_row(sql, [PAGE], |row| row.get(0))
    }

    #[test]
    fn functions_say_what_a_page_says() {
        for (sql, expected) in [
            ("SELECT css(?1, 'h1')", Some("One two")),
            ("SELECT css(?1, 'h2')", None),
            ("SELECT css_all(?1, 'h1')", Some(r#"["One two","Three"]"#)),
            ("SELECT json_ld(?1) ->> '$[0].price' || ''", Some("7")),
            ("SELECT json_array_length(json_ld(?1)) || ''", Some("1")),
            (
                "SELECT links(?1, 'https://h.example/x/')",
                Some(r#"["https://h.example/a?utm_source=x","http://b.example/"]"#),
            ),
            (
                "SELECT url_host('https://www.Example.org:8443/a') || substr(?1, 1, 0)",
                Some("www.example.org"),
            ),
            ("SELECT url_host('nothing') || substr(?1, 1, 0)", None),
            ("SELECT css(NULL, 'h1') || ?1", None),
        ] {
            assert_eq!(ask(sql).unwrap().as_deref(), expected, "{sql}");
        }
        assert!(ask("SELECT html_text(?1)").unwrap().unwrap().contains("One two\nThree\nText."));
        assert!(ask("SELECT css(?1, 'h1[')").unwrap_err().to_string().contains("is no CSS selector"));
    }
}
