//! Pages that are hard to read: deep, wide, huge, in no charset, full of strange links.

use std::fmt::Write as _;
use std::io;

use super::{Case, html, html_repeated, pieces};
use crate::listener::{Connection, Then};

const READ: &[&str] = &["new", "failed"];

pub(super) const CASES: &[Case] = &[
    Case::new("links-without-host", "links of schemes that have no host", |_, connection| {
        html(
            connection,
            "<a href='mailto:?subject=Privacy&body=https://www.example.org/help?CMP=share'>a</a>\
             <a href='sms:?body=https://example.org/x?utm_source=y'>b</a><a href='tg:msg?text=https://x.example/?a=b'>c</a>\
             <a href='geo:0,0?q=https://x.example/?sid=1'>d</a><a href='tel:+1?x=//y?z'>e</a><a href='data:,//?sid=1'>f</a>\
             <a href='javascript:\"//x?\"'>g</a><a href='about:blank?//a'>h</a><a href='blob:https://x/?y'>i</a>\
             <a href=':'>j</a><a href='//'>k</a><a href='http://'>l</a><a href='http:?x'>m</a><a href='?'>n</a><a href='#'>o</a>",
        )
        .map(Some)
    })
    .bad(&["new"])
    .requests(60),
    Case::new("links-strange", "links that are hardly addresses", |_, connection| {
        let mut text = String::new();
        for link in [
            "http://[::1", "http://[fe80::1%25eth0]/", "http://1.1.1.1.1/", "http://0x7f.1/", "http://2130706433/",
            "http://user:pa ss@127.0.0.1/", "http://127.0.0.1:99999/", "http://127.0.0.1:/", "http://xn--/", "http://a..b/",
            "http://\u{202e}moc.elpmaxe/", "http://%00/", "/%", "/%zz", "/%00", "/\u{fffd}", "/../../../etc/passwd", "\\\\server\\share",
            "http:///x", "///x", "/a\tb\nc", "&#0;", "&#x110000;", "\u{feff}/x",
        ] {
            let _ = write!(text, "<a href=\"{link}\">x</a>");
        }
        html(connection, text).map(Some)
    })
    .bad(&["new"])
    .requests(80),
    Case::new("links-1mb", "links of 1 MB", |_, connection| {
        let links = (0..5).map(|number| format!("<a href=/{number}{}>x</a>", "x".repeat(1 << 20)));
        html(connection, links.collect::<String>()).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("links-inside", "links to other machines", |ask, connection| {
        let text = format!(
            "<a href={}/a>a</a><a href=http://169.254.169.254/>b</a><a href=http://10.0.0.5/>c</a><img src={}/i>\
             <link rel=stylesheet href={}/s><iframe src={}/f></iframe>",
            ask.stranger, ask.stranger, ask.stranger, ask.stranger
        );
        html(connection, text).map(Some)
    })
    .bad(&["new"]),
    Case::new("nested-200000", "200,000 elements in each other", |_, connection| {
        html_repeated(connection, b"<div>", 200_000)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("nested-inline", "20,000 pieces of formatting in each other", |_, connection| {
        html_repeated(connection, b"<b><i><u>", 20_000)
    })
    .bad(READ)
    .seconds(20.0, 8.0),
    Case::new("tables-nested", "10,000 tables in each other, text between the rows", |_, connection| {
        html_repeated(connection, b"<table><tr>x<td>", 10_000)
    })
    .bad(READ)
    .seconds(20.0, 8.0),
    Case::new("misnested", "50,000 elements closed in the wrong order", |_, connection| {
        html_repeated(connection, b"<a><p><b></a></p><div></b>", 20_000)
    })
    .bad(READ)
    .seconds(20.0, 12.0)
    .heavy(),
    Case::new("selects-templates", "selects, templates, SVG and MathML in each other", |_, connection| {
        html_repeated(connection, b"<select><template><svg><math><foreignObject><option>x", 5_000)
    })
    .bad(READ)
    .seconds(20.0, 8.0),
    Case::new("siblings-800000", "800,000 siblings and a rule that compares each with all before", |_, connection| {
        html_repeated(connection, b"<b></b><p>x", 400_000)
    })
    .flags(&["--ignore-selector", "b ~ p", "--max-time", "15s"])
    // It may be left for the next crawl by the limit of time.
    .bad(&[])
    .seconds(25.0, 15.0)
    .heavy(),
    Case::new("attribute-5mb", "an attribute of 5 MB", |_, connection| {
        html(connection, format!("<p title='{}'>x", "x".repeat(5 << 20))).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("attributes-100000", "an element with 100,000 attributes", |_, connection| {
        let attributes = pieces(100_000, |number| format!(" a{number}=x"));
        html(connection, format!("<p{attributes}>x")).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 12.0)
    .heavy(),
    Case::new("title-2mb", "a title of 2 MB", |_, connection| {
        html(connection, format!("<html lang={}><title>{}</title><p>x", "e".repeat(100_000), "t".repeat(2 << 20))).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("word-8mb", "a word of 8 MB", |_, connection| html_repeated(connection, b"w", 8 << 20))
        .bad(READ)
        .seconds(20.0, 10.0)
        .heavy(),
    Case::new("lines-1000000", "a million lines", |_, connection| html_repeated(connection, b"x<br>", 1_000_000))
        .bad(READ)
        .seconds(20.0, 15.0)
        .heavy(),
    Case::new("entities", "a million references to letters", |_, connection| {
        html_repeated(connection, b"&CounterClockwiseContourIntegral;&#99999999;&x", 100_000)
    })
    .bad(READ)
    .seconds(20.0, 10.0)
    .heavy(),
    Case::new("comment-open", "a comment of 5 MB that is never closed", |_, connection| {
        html(connection, format!("<p>x<!--{}", "- ".repeat(2 << 20))).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("script-open", "a script of 5 MB that is never closed", |_, connection| {
        html(connection, format!("<p>x<script>{}", "<!--<script>".repeat(400_000))).map(Some)
    })
    .bad(READ)
    .seconds(20.0, 8.0),
    Case::new("charset-none", "bytes of no charset, claimed to be of one that nobody knows", |_, connection| {
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
        typed(connection, "text/html; charset=klingon", &bytes)
    })
    .bad(READ)
    .seconds(20.0, 6.0),
    Case::new("charset-wrong", "UTF-8 that claims to be UTF-16, and a meta that claims something else", |_, connection| {
        typed(connection, "text/html; charset=utf-16le", b"<meta charset=shift_jis><title>x</title><p>caf\xc3\xa9")
    })
    .bad(READ),
    Case::new("charset-cut", "UTF-8 cut in letters, and surrogates", |_, connection| {
        typed(connection, "text/html; charset=utf-8", &b"<p>\xf0\x9f\x98 \xed\xa0\x80 \xc3( \xff\xfe".repeat(5_000))
    })
    .bad(READ),
    Case::new("bom-utf-16", "UTF-16 with a byte order mark and an odd length", |_, connection| {
        let text: Vec<u8> = "<title>Bad</title><p>x".encode_utf16().flat_map(u16::to_be_bytes).collect();
        typed(connection, "text/html", &[&[0xfe, 0xff][..], &text, &[0]].concat())
    })
    .bad(READ),
    Case::new("type-png-as-html", "an image that claims to be a page", |_, connection| {
        typed(connection, "text/html", &[&b"\x89PNG\r\n\x1a\n"[..], &[0xa5; 50_000]].concat())
    })
    .bad(READ),
    Case::new("type-html-as-png", "a page that claims to be an image", |_, connection| {
        typed(connection, "image/png", b"<title>x</title><a href=/good-1>x</a>")
    })
    .bad(&["new", "failed", "excluded"]),
    Case::new("type-none", "a page of no type", |_, connection| connection.respond("200 OK", &[], b"<p>x").map(Some))
        .bad(&["new", "failed", "excluded"]),
    Case::new("type-10kb", "a type of 10 kB", |_, connection| {
        typed(connection, &format!("text/html; charset={}", "x".repeat(10_000)), b"<p>x")
    })
    .bad(READ),
    Case::new("xhtml-broken", "XHTML that is no XML", |_, connection| {
        typed(connection, "application/xhtml+xml", b"<html><p>a<b>c</p>&nbsp;&undefined;<![CDATA[")
    })
    .bad(READ),
    Case::new("xml-laughs", "XML of a billion laughs", |_, connection| {
        let mut text = "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a0 \"ha\">".to_owned();
        for number in 1..12 {
            let _ = write!(text, "<!ENTITY a{number} \"{}\">", format!("&a{};", number - 1).repeat(10));
        }
        typed(connection, "application/xml", (text + "]><x>&a11;</x>").as_bytes())
    })
    .bad(READ),
    Case::new("pdf-broken", "a PDF that is none", |_, connection| {
        typed(connection, "application/pdf", &[&b"%PDF-1.7\n"[..], &[0xa5; 100_000]].concat())
    })
    .bad(READ),
    Case::new("base-strange", "bases that lead elsewhere", |_, connection| {
        html(connection, "<base href='javascript:x'><base href='data:,'><base href='http://[::1'><a href=good-1>x</a>").map(Some)
    })
    .bad(&["new"]),
    Case::new("terminal-title", "a title that would take over a terminal", |_, connection| {
        html(connection, "<title>\x1b]0;owned\x07\x1b[2J\x1b[31mBad \u{202e}dab\u{200b}</title><p>x").map(Some)
    })
    .bad(&["new"]),
    Case::new("frames", "an iframe in noscript in the head, as React writes it", |_, connection| {
        html(connection, "<head><noscript><iframe src=/f /></noscript><title>Bad</title></head><body><a href=/good-1>x</a>").map(Some)
    })
    .bad(&["new"]),
    Case::new("empty", "a page of no bytes", |_, connection| html(connection, "").map(Some)).bad(READ),
    Case::new("bodies-10mb", "40 pages of 10 MB at once", |ask, connection| {
        if ask.path == "/bad" {
            let links = pieces(40, |number| format!("<a href=/large-{number}>x</a>"));
            return html(connection, links).map(Some);
        }
        if !ask.path.starts_with("/large-") {
            return Ok(None);
        }
        let line = format!("<p>{} and so on</p>", ask.path).into_bytes();
        html_repeated(connection, &line, (10 << 20) / line.len())
    })
    .everywhere()
    .requests(100)
    .seconds(120.0, 100.0)
    .heavy(),
];

fn typed(connection: &mut Connection, media_type: &str, body: &[u8]) -> io::Result<Option<Then>> {
    connection.respond("200 OK", &[&format!("Content-Type: {media_type}")], body).map(Some)
}
