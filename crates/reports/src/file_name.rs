//! The name under which a stored version is saved as a file.

use jiff::Timestamp;
use recrawl_core::search::readable_address;
use recrawl_core::url::PageUrl;

/// A longer name is cut in its beginning: its end says more.
const LONGEST: usize = 80;

/// Endings by media type, for addresses that have none.
const ENDINGS: [(&str, &str); 16] = [
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("application/xml", "xml"),
    ("application/msword", "doc"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/gif", "gif"),
    ("image/svg+xml", "svg"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("text/plain", "txt"),
];

/// Returns a name of letters, digits, dots, `-` and `_` alone: the path of the page, the day on which it was seen, and
/// an ending by which programs know what it is. So it is harmless in a header, on a command line and in every file system.
pub fn file_name(url: &PageUrl, seen: Timestamp, content_type: Option<&str>) -> String {
    let path = readable_address(url.path());
    let path = path.trim_matches('/');
    let (stem, ending) = match path.rsplit_once('.') {
        Some((stem, ending)) if is_ending(ending) => (stem, ending),
        _ => (path, ending_of(content_type)),
    };
    let mut name = String::new();
    for sign in stem.chars() {
        let is_plain = sign.is_ascii_alphanumeric() || sign == '_';
        match (is_plain, name.ends_with('-')) {
            (true, _) => name.push(sign),
            (false, false) => name.push('-'),
            (false, true) => {}
        }
    }
    let beginning = name.len().saturating_sub(LONGEST);
    let name = name[beginning..].trim_matches('-');
    let name = if name.is_empty() { "index" } else { name };
    format!("{name}-{}.{ending}", seen.strftime("%Y-%m-%d"))
}

fn is_ending(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn ending_of(content_type: Option<&str>) -> &'static str {
    let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(media_type));
    known.map_or("bin", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_its_page_and_day() {
        let seen = "2026-11-16T23:59:00Z".parse().unwrap();
        for (url, content_type, expected) in [
            ("https://example.org/docs/plan.pdf", Some("application/pdf"), "docs-plan-2026-11-16.pdf"),
            ("https://example.org/docs/Plan.PDF?v=2", None, "docs-plan-2026-11-16.pdf"),
            ("https://example.org/budget", Some("Application/PDF; x=y"), "budget-2026-11-16.pdf"),
            ("https://example.org/", Some("text/html"), "index-2026-11-16.html"),
            ("https://example.org/..%2Fetc%2Fpasswd", None, "etc-passwd-2026-11-16.bin"),
            ("https://example.org/a%22%0D%0Ab.zip", None, "a-b-2026-11-16.zip"),
            ("https://example.org/stra%C3%9Fe/%E6%9D%B1%E4%BA%AC.pdf", None, "stra-e-2026-11-16.pdf"),
            ("https://example.org/v1.2-final", Some("image/png"), "v1-2-final-2026-11-16.png"),
        ] {
            assert_eq!(file_name(&url.parse().unwrap(), seen, content_type), expected, "{url}");
        }
        let long = format!("https://example.org/{}/plan.pdf", "folder/".repeat(100));
        let name = file_name(&long.parse().unwrap(), seen, None);
        assert!(name.len() < 100 && name.ends_with("-plan-2026-11-16.pdf"), "{name}");
    }
}
