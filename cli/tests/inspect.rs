//! `recrawl inspect`: what the crawler sees in a file.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage stops")]

use assert_cmd::cargo::cargo_bin_cmd;

struct Outcome {
    status: i32,
    stdout: String,
    stderr: String,
}

fn inspect(arguments: &[&str], stdin: &[u8]) -> Outcome {
    let output =
        cargo_bin_cmd!("recrawl").arg("inspect").args(arguments).write_stdin(stdin).output().unwrap();
    Outcome {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn printed(arguments: &[&str], stdin: &str) -> String {
    let outcome = inspect(arguments, stdin.as_bytes());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome.stdout
}

#[test]
fn links_are_printed_in_document_order_without_doubles() {
    let page = "<a href=b#x>1</a><a href='/c?utm_source=y' rel=nofollow>2</a><a href=mailto:a@b>3</a><a href=b>4</a>\
                <link rel=canonical href=//EXAMPLE.net/ü><iframe src=d></iframe>";
    let expected = "https://example.org/a/b\nhttps://example.org/c?utm_source=y\nhttps://example.net/%C3%BC\nhttps://example.org/a/d\n";
    assert_eq!(printed(&["links", "--base", "https://example.org/a/", "-"], page), expected);
}

#[test]
fn the_content_type_decides_how_a_file_is_read() {
    let page = "<a href='?é'>1</a>";
    let links =
        |content_type| printed(&["links", "--base", "https://a/", "--content-type", content_type, "-"], page);
    assert_eq!(links("text/html; charset=utf-8"), "https://a/?%C3%A9\n");
    assert_eq!(links("text/html; charset=iso-8859-1"), "https://a/?%C3%A9\n");
    assert_eq!(links("application/pdf"), "");
    let latin = inspect(
        &["links", "--base", "https://a/", "--content-type", "text/html; charset=iso-8859-1", "-"],
        b"<a href='?\xe9'>",
    );
    assert_eq!(latin.stdout, "https://a/?%E9\n");
}

#[test]
fn text_and_hash_follow_the_rules() {
    let page = "<title>T</title><h1>Head</h1><p>One  two.</p><p class=ad>Buy!</p><p>Visitor 17</p>";
    assert_eq!(printed(&["text", "-"], page), "Head\nOne two.\nBuy!\nVisitor 17\n");
    let rules = ["--ignore-selector", ".ad", "--ignore-regex", r"Visitor \d+"];
    assert_eq!(printed(&[&["text"], &rules[..], &["-"]].concat(), page), "Head\nOne two.\n");
    let hash = |page| printed(&[&["hash"], &rules[..], &["-"]].concat(), page);
    assert_eq!(hash(page), hash("<h1>Head</h1><p>One two."));
    assert_ne!(hash(page), hash("<h1>Head</h1><p>One three."));
    assert_eq!(hash(page).trim_end().len(), 64);
    let bytes = printed(&["hash", "--content-type", "application/pdf", "-"], "abc");
    assert_eq!(bytes, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n");
}

#[test]
fn an_outline_tells_where_each_line_stands() {
    let page =
        "<nav><a href=/>Home</a></nav><h1>Head</h1><p>One two.<p class=cart>Three<p class=sponsor>Four";
    let outline = printed(&["outline", "--frame-words", "+sponsor", "--frame-words", "-cart", "-"], page);
    assert_eq!(
        outline,
        "nav      l Home\ncontent h  Head\ncontent    One two.\ncontent    Three\nother      Four\n"
    );
    assert_eq!(inspect(&["outline", "--frame-words", "cart", "-"], b"").status, 2);
}

#[test]
fn text_files_have_lines_and_other_files_have_bytes() {
    let json = ["--content-type", "application/json", "-"];
    assert_eq!(printed(&[&["text"], &json[..]].concat(), "{\"a\":1}"), "{\n\"a\": 1\n}\n");
    let hash = |body| printed(&[&["hash"], &json[..]].concat(), body);
    assert_eq!(hash("{\"a\":1}"), hash("{ \"a\": 1 }\r\n"));
    assert_eq!(printed(&["text", "--content-type", "application/pdf", "-"], "%PDF"), "");
}

#[test]
fn robots_answers_a_line_a_url() {
    let file = "User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: other\nDisallow: /\n";
    let urls = ["https://a/private/x", "https://a/private/open", "", "https://a/"];
    let answered = |agent| printed(&[&["robots", "--agent", agent, "-"], &urls[..]].concat(), file);
    assert_eq!(
        answered("recrawl"),
        "disallow https://a/private/x\nallow https://a/private/open\nallow \nallow https://a/\n"
    );
    assert_eq!(answered("other").matches("disallow").count(), 4);
}

#[test]
fn a_sitemap_is_printed_as_json_lines() {
    let sitemap = "<urlset><url><loc>https://a/b</loc><lastmod>2026-11-16</lastmod><priority>0.5</priority></url>\
                   <url><loc>/c</loc><changefreq>weekly</changefreq></url></urlset>";
    let lines = printed(&["sitemap", "--url", "https://a/sitemap.xml", "-"], sitemap);
    let entries: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let read = |entry: usize, field: &str| entries[entry][field].clone();
    assert_eq!((read(0, "kind"), read(0, "loc")), ("page".into(), "https://a/b".into()));
    assert_eq!((read(0, "priority"), read(0, "changefreq")), (0.5.into(), serde_json::Value::Null));
    assert!(read(0, "lastmod").as_str().is_some_and(|time| time.starts_with("2026-11-16")), "{lines}");
    assert_eq!((read(1, "loc"), read(1, "changefreq")), ("https://a/c".into(), "weekly".into()));
}

#[test]
fn a_broken_sitemap_yields_what_could_be_read_and_a_warning() {
    let outcome = inspect(
        &["sitemap", "--url", "https://a/sitemap.xml", "-"],
        b"<urlset><url><loc>https://a/b</loc></url><url><lo",
    );
    assert_eq!((outcome.status, outcome.stdout.lines().count()), (0, 1));
    assert!(outcome.stderr.starts_with("warning: "), "{}", outcome.stderr);
}

#[test]
fn urls_are_normalised_or_refused_with_the_reason() {
    let outcome = inspect(&["url", "HTTP://A:80/../b?utm_source=x&c=#d", "mailto:a@b", "/c"], b"");
    assert_eq!(outcome.status, 0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "http://a/b?c=");
    assert!(lines[1].starts_with("invalid: not an http, https or gemini URL"), "{}", lines[1]);
    assert!(lines[2].starts_with("invalid: not a URL"), "{}", lines[2]);
    assert_eq!(inspect(&["url", "--base", "https://a/b/", "c"], b"").stdout, "https://a/b/c\n");
    assert_eq!(inspect(&["url", "nowhere"], b"").status, 1);
}

#[test]
fn wrong_usage_is_one_clear_message() {
    for arguments in [
        &["links", "--base", "https://a/", "no-such-file"][..],
        &["links", "--base", "nowhere", "-"],
        &["links", "-"],
        &["text", "--ignore-selector", "[", "-"],
        &["hash", "--ignore-regex", "(", "-"],
        &["robots", "--agent", "a", "-"],
    ] {
        let outcome = inspect(arguments, b"");
        assert_eq!((outcome.status, outcome.stdout.as_str()), (2, ""), "{arguments:?}: {}", outcome.stderr);
    }
}
