use std::io::Write;

use encoding_rs::WINDOWS_1252;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

const URL: &str = "https://a/maps/s.xml";

fn read(text: &str) -> Sitemap {
    parse(text.as_bytes(), None, URL)
}

/// Returns the addresses, sitemaps with a `+` before them.
fn addresses(sitemap: &Sitemap) -> Vec<String> {
    let entries = sitemap.entries.iter();
    entries
        .map(|entry| match entry.kind {
            EntryKind::Page => entry.loc.clone(),
            EntryKind::Sitemap => format!("+{}", entry.loc),
        })
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf_16(text: &str, is_big: bool) -> Vec<u8> {
    let pair = |unit: u16| {
        if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }
    };
    text.encode_utf16().flat_map(pair).collect()
}

#[test]
fn a_sitemap_lists_pages_with_what_is_said_about_them() {
    let sitemap = read(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <url><loc> https://a/x?y=1&amp;z=%20 </loc><lastmod>2024-05-01T10:00+02:00</lastmod>
            <changefreq>Daily</changefreq><priority>0.8</priority></url>
          <url><priority>7</priority><changefreq>often</changefreq><loc>https://a/</loc></url>
        </urlset>"#,
    );
    assert_eq!(sitemap.warnings, [""; 0]);
    let lines: Vec<String> =
        sitemap.entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    assert_eq!(
        lines,
        [
            r#"{"kind":"page","loc":"https://a/x?y=1&z=%20","lastmod":"2024-05-01T08:00:00Z","changefreq":"daily","priority":0.8}"#,
            r#"{"kind":"page","loc":"https://a/","lastmod":null,"changefreq":null,"priority":null}"#,
        ]
    );
}

#[test]
fn addresses_are_found_in_every_dress() {
    for (text, expected) in [
        ("<urlset><url><loc>https://a/x</loc></url></urlset>", vec!["https://a/x"]),
        (
            "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>",
            vec!["+https://a/1.xml", "+https://a/maps/2.xml.gz"],
        ),
        ("<s:urlset xmlns:s='x'><s:url><s:loc>/x</s:loc></s:url></s:urlset>", vec!["https://a/x"]),
        ("<urlset><url><loc><![CDATA[ /x?a&b ]]></loc></url></urlset>", vec!["https://a/x?a&b"]),
        ("<urlset><url><loc>/&#120;&#x79;&lt;&apos;</loc></url></urlset>", vec!["https://a/xy%3C'"]),
        ("<urlset><url><loc>/x?a=1&b=2</loc></url></urlset>", vec!["https://a/x?a=1&b=2"]),
        ("<urlset><url><loc>\n /x\n </loc></url></urlset>", vec!["https://a/x"]),
        ("<urlset><url><loc>/x<!-- no --></loc><loc>/y</loc></url></urlset>", vec!["https://a/x"]),
        (
            "<urlset><url><image:image><image:loc>/i</image:loc></image:image><loc>/x</loc></url></urlset>",
            vec!["https://a/x"],
        ),
        ("<urlset><url><image:loc>/i</image:loc><loc>/x</loc></url></urlset>", vec!["https://a/x"]),
        ("<urlset><url><loc>/x</loc></url><url><loc>https://a/x</loc></url></urlset>", vec!["https://a/x"]),
        (
            "<urlset><url><loc>/x</loc></url><sitemap><loc>/y</loc></sitemap></urlset>",
            vec!["https://a/x", "+https://a/y"],
        ),
        ("<urlset><url><video><loc>/v</loc></video><loc>/x</loc></url></urlset>", vec!["https://a/x"]),
        ("<urlset/>", vec![]),
        (
            "<rss><channel><link>/no</link><image><url>/no</url></image><item><atom:link href='/no'/><link>/x</link><guid>/g</guid></item><item><guid>https://b/</guid></item></channel></rss>",
            vec!["https://a/x", "https://b/"],
        ),
        (
            "<rdf:RDF><channel><link>/no</link></channel><item><link>/x</link></item></rdf:RDF>",
            vec!["https://a/x"],
        ),
        (
            "<feed><link href='/no'/><entry><link rel='self' href='/no'/><link href='/x?a&amp;b'/></entry><entry><link rel='alternate' href='/y'></link></entry></feed>",
            vec!["https://a/x?a&b", "https://a/y"],
        ),
        ("\u{feff}https://a/x\r\n\r\n  HTTPS://A/y \nhttps://a/x", vec!["https://a/x", "https://a/y"]),
        ("", vec![]),
    ] {
        let sitemap = read(text);
        assert_eq!(addresses(&sitemap), expected, "{text}");
        assert_eq!(sitemap.warnings, [""; 0], "{text}");
    }
}

#[test]
fn feeds_have_dates() {
    for (text, expected) in [
        (
            "<rss><item><link>/x</link><pubDate>Wed, 01 May 2024 10:00:00 +0200</pubDate></item></rss>",
            "2024-05-01T08:00:00Z",
        ),
        ("<rss><item><link>/x</link><dc:date>2024-05-01</dc:date></item></rss>", "2024-05-01"),
        (
            "<feed><entry><link href='/x'/><published>2024-04-01</published><updated>2024-05-01T10:00:00Z</updated></entry></feed>",
            "2024-05-01T10:00:00Z",
        ),
    ] {
        let lastmod = read(text).entries[0].lastmod.unwrap();
        assert_eq!(lastmod.to_string(), expected, "{text}");
    }
}

#[test]
fn a_broken_file_yields_what_could_be_read() {
    for (text, expected, warning) in [
        ("<urlset><url><loc>/x</loc></url><url><loc>/y", vec!["https://a/x"], "ends in the middle"),
        ("<urlset><url><loc>/x</loc><lastmod>20", vec!["https://a/x"], "ends in the middle"),
        ("<urlset><url><loc>/x</loc></url><url", vec!["https://a/x"], "is broken at byte"),
        (
            "<urlset><url><loc>/x</loc><url><loc>/y</loc></url></urlset>",
            vec!["https://a/x", "https://a/y"],
            "ends in the middle",
        ),
        ("<urlset><url><loc>/x</loc></url></oops></urlset>", vec!["https://a/x"], ""),
        (
            "<urlset><url><loc></loc></url><url><loc>mailto:x</loc></url><url/><url><loc>/x</loc></url></urlset>",
            vec!["https://a/x"],
            "3 entries without a usable",
        ),
        (
            "<urlset><url><loc>/x</loc><lastmod>soon</lastmod></url></urlset>",
            vec!["https://a/x"],
            "1 entries with an unreadable date, the first is \"soon\"",
        ),
        ("<!DOCTYPE html><html><body><a href='/x'>x</a></body></html>", vec![], "starts with <html>"),
        ("https://a/x\nNot found", vec!["https://a/x"], "plain list with lines"),
    ] {
        let sitemap = read(text);
        assert_eq!(addresses(&sitemap), expected, "{text}");
        assert!(sitemap.warnings.concat().contains(warning), "{text}: {:?}", sitemap.warnings);
        assert_eq!(
            sitemap.warnings.len(),
            usize::from(!warning.is_empty()),
            "{text}: {:?}",
            sitemap.warnings
        );
    }
}

#[test]
fn entities_of_the_document_are_not_expanded() {
    let sitemap = read(
        "<!DOCTYPE urlset [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
         <urlset><url><loc>/x?&b;&f;</loc></url></urlset>",
    );
    assert_eq!(addresses(&sitemap), ["https://a/x?&b;&f;"]);
}

#[test]
fn encodings_are_recognised() {
    let text = "<?xml version='1.0' encoding='windows-1252'?><urlset><url><loc>/é</loc></url></urlset>";
    let (latin, _, _) = WINDOWS_1252.encode(text);
    let unicode = text.replace("windows-1252", "UTF-16");
    for (bytes, content_type) in [
        (text.replace("windows-1252", "utf-8").into_bytes(), None),
        (format!("\u{feff}{text}").into_bytes(), Some("text/xml; charset=utf-16")),
        (latin.to_vec(), None),
        (latin.to_vec(), Some("application/xml")),
        (text.as_bytes().to_vec(), Some("text/xml; Charset=\"UTF-8\"")),
        (unicode.as_bytes().to_vec(), None),
        (utf_16(&unicode, false), None),
        (utf_16(&unicode, true), None),
        (utf_16(&format!("\u{feff}{unicode}"), false), None),
        (utf_16(&format!("\u{feff}{unicode}"), true), None),
        (utf_16(&unicode, true), Some("text/xml; charset=utf-16be")),
    ] {
        let sitemap = parse(&bytes, content_type, URL);
        assert_eq!(addresses(&sitemap), ["https://a/%C3%A9"], "{content_type:?} {bytes:?}");
    }
}

#[test]
fn gzip_is_recognised_by_its_bytes() {
    let plain = b"<urlset><url><loc>/x</loc></url></urlset>";
    let two_members = [gzip(&plain[..20]), gzip(&plain[20..])].concat();
    for (bytes, content_type, url) in [
        (gzip(plain), None, "https://a/s.xml"),
        (gzip(plain), Some("application/x-gzip"), "https://a/s"),
        (gzip(&gzip(plain)), None, "https://a/s.xml.gz"),
        (plain.to_vec(), Some("application/gzip"), "https://a/s.xml.gz"),
        (two_members, None, "https://a/s.xml.gz"),
    ] {
        let sitemap = parse(&bytes, content_type, url);
        assert_eq!(addresses(&sitemap), ["https://a/x"], "{content_type:?} {url}");
        assert_eq!(sitemap.warnings, [""; 0]);
    }
}

#[test]
fn a_cut_gzip_file_is_read_to_the_cut() {
    let entries: Vec<String> = (0..5_000).map(|number| format!("<url><loc>/{number}</loc></url>")).collect();
    let bytes = gzip(format!("<urlset>{}</urlset>", entries.concat()).as_bytes());
    let sitemap = parse(&bytes[..bytes.len() / 2], None, URL);
    assert!((1_000..5_000).contains(&sitemap.entries.len()), "{}", sitemap.entries.len());
    assert!(sitemap.warnings[0].contains("is not whole gzip"), "{:?}", sitemap.warnings);
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let mut text = b"<urlset><url><loc>/x</loc></url>".to_vec();
    text.resize(MAX_BYTES + 1_000_000, b' ');
    let sitemap = parse(&gzip(&text), None, URL);
    assert_eq!(addresses(&sitemap), ["https://a/x"]);
    assert!(sitemap.warnings[0].contains("is longer than 52428800 bytes"), "{:?}", sitemap.warnings);
}

#[test]
fn entries_beyond_the_limit_are_not_read() {
    let list = |count: usize| -> String {
        let lines = (0..count).map(|number| format!("https://a/{number}\nhttps://a/{number}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let full = read(&list(MAX_ENTRIES));
    assert_eq!((full.entries.len(), full.warnings.len()), (MAX_ENTRIES, 0));
    let over = read(&list(MAX_ENTRIES + 1));
    assert_eq!(over.entries.len(), MAX_ENTRIES);
    assert_eq!(over.warnings, ["has more than 50000 entries, the rest is not read"]);
}

#[test]
fn without_an_address_of_its_own_a_sitemap_has_absolute_entries_only() {
    let text = "<urlset><url><loc>/x</loc></url><url><loc>https://a/y</loc></url></urlset>";
    assert_eq!(addresses(&parse(text.as_bytes(), None, "s.xml")), ["https://a/y"]);
}
