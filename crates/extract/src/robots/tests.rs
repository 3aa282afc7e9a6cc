use super::*;

#[test]
fn the_longest_match_decides() {
    for (rules, path, allowed) in [
        ("", "/x", true),
        ("disallow:", "/x", true),
        ("disallow: /", "/x", false),
        ("disallow: /\nallow: /", "/x", true),
        ("allow: /\ndisallow: /", "/x", true),
        ("disallow: /a\nallow: /a/b", "/a/b/c", true),
        ("allow: /a\ndisallow: /a/b", "/a/b/c", false),
        ("allow: /p\ndisallow: /*.html", "/p.html", false),
        ("allow: /p/q/r\ndisallow: /*.html", "/p/q/r.html", false),
        ("allow: /p/q/r/s\ndisallow: /*.html", "/p/q/r/s.html", true),
        ("disallow: /a?b", "/a?b=1", false),
        ("disallow: /a?b", "/a", true),
        ("disallow: /A", "/a", true),
        ("disallow: /ö", "/%C3%B6l", false),
        ("disallow: a", "/a", true),
        ("disallow: *a", "/a", false),
        ("disallow: /~joe\nallow: /~joe/public", "/~joe/public/x", true),
        ("disallow: /\nallow: /$", "/", true),
        ("disallow: /\nallow: /$", "/x", false),
        ("disallow: /\nallow: /index.html", "/", true),
    ] {
        let robots = Robots::parse(format!("user-agent: *\n{rules}").as_bytes());
        assert_eq!(robots.allows("recrawl", path), allowed, "{rules:?} on {path}");
    }
}

#[test]
fn a_crawler_obeys_the_groups_that_name_it() {
    for (file, path, allowed) in [
        // Rules before any group belong to nobody.
        ("disallow: /", "/x", true),
        // Own groups are merged, and those for everyone do not count then.
        ("user-agent: *\ndisallow: /x\nuser-agent: recrawl\ndisallow: /y", "/x", true),
        ("user-agent: recrawl\ndisallow: /y\nuser-agent: *\ndisallow: /x", "/y", false),
        (
            "user-agent: recrawl\ndisallow: /x\nuser-agent: b\ndisallow: /z\nuser-agent: recrawl\ndisallow: /y",
            "/x",
            false,
        ),
        (
            "user-agent: recrawl\ndisallow: /x\nuser-agent: b\ndisallow: /z\nuser-agent: recrawl\ndisallow: /y",
            "/y",
            false,
        ),
        (
            "user-agent: recrawl\ndisallow: /x\nuser-agent: b\ndisallow: /z\nuser-agent: recrawl\ndisallow: /y",
            "/z",
            true,
        ),
        ("user-agent: *\ndisallow: /\nuser-agent: recrawl", "/x", true),
        ("user-agent: *\ndisallow: /\nuser-agent: recrawl\ndisallow:", "/x", true),
        ("user-agent: *\ndisallow: /x\n\nuser-agent: *\ndisallow: /y", "/x", false),
        // Several agents share rules; blank, unknown and sitemap lines do not end a group.
        ("user-agent: recrawl\nuser-agent: b\ndisallow: /x", "/x", false),
        ("user-agent: recrawl\n\nfoo: bar\nsitemap: /s\nuser-agent: b\ndisallow: /x", "/x", false),
        ("user-agent: recrawl\ncrawl-delay: 1\nuser-agent: b\ndisallow: /x", "/x", false),
        ("user-agent: *\nuser-agent: recrawl\ndisallow: /x", "/x", false),
        // Tokens are compared whole, without regard to case, up to a version or a blank.
        ("user-agent: ReCrawl\ndisallow: /x", "/x", false),
        ("user-agent: recrawl/2.0\ndisallow: /x", "/x", false),
        ("user-agent: recrawl bot\ndisallow: /x", "/x", false),
        ("user-agent: recrawl-news\ndisallow: /x", "/x", true),
        ("user-agent: rec\ndisallow: /x", "/x", true),
        ("user-agent: * all of you\ndisallow: /x", "/x", false),
        ("user-agent: *bot\ndisallow: /x", "/x", true),
    ] {
        let robots = Robots::parse(file.as_bytes());
        assert_eq!(robots.allows("recrawl", path), allowed, "{file:?} on {path}");
    }
}

#[test]
fn a_delay_belongs_to_the_agents_above_it() {
    let file = "User-agent: a\nCrawl-delay: 10\n\nUser-agent: b\nUser-agent: c\nDisallow: /\nCrawl-delay: 2.5\n\
                User-agent: d\nAllow: /\nUser-agent: *\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 3\nCrawl-delay: x";
    let robots = Robots::parse(file.as_bytes());
    for (agent, milliseconds) in
        [("a", Some(10_000)), ("B", Some(2_500)), ("c", Some(2_500)), ("d", None), ("e", Some(1_000))]
    {
        let expected = milliseconds.map(Duration::from_millis);
        assert_eq!(robots.crawl_delay(agent), expected, "{agent}");
    }
    assert_eq!(Robots::parse(b"Crawl-delay: 5").crawl_delay("a"), None);
}

#[test]
fn agents_are_kept_once_however_many_delays_they_have() {
    let agents = "User-agent: a\nUser-agent: *\n".repeat(1_000);
    let delays: Vec<String> = (0..1_000).map(|number| format!("Crawl-delay: {}\n", number % 7)).collect();
    let delays = delays.concat();
    let robots = Robots::parse(format!("{agents}{delays}User-agent: b\nCrawl-delay: 1\n").as_bytes());
    assert_eq!(robots.delays.len(), 2);
    assert_eq!(robots.crawl_delay("a"), Some(Duration::from_secs(6)));
    assert_eq!(robots.crawl_delay("b"), Some(Duration::from_secs(1)));
}

#[test]
fn sitemaps_are_found_anywhere_and_once() {
    let robots = Robots::parse(
        b"Sitemap: https://a/1.xml\nUser-agent: b\nDisallow: /\nsitemap: /2.xml # two\nSITEMAP:https://a/1.xml",
    );
    assert_eq!(robots.sitemaps(), ["https://a/1.xml", "/2.xml"]);
}

#[test]
fn a_decision_names_its_rule() {
    let robots = Robots::parse(b"\n# x\nuser-agent: *\ndisalow /a%c3\nallow: /a/b\n");
    let decided = |path: &str| {
        let decision = robots.decision("recrawl", path);
        (decision.allowed, decision.rule, decision.line)
    };
    assert_eq!(decided("/a%C3x"), (false, Some("Disallow: /a%C3".into()), Some(4)));
    assert_eq!(decided("/a/b"), (true, Some("Allow: /a/b".into()), Some(5)));
    assert_eq!(decided("/"), (true, None, None));
}

#[test]
fn an_unreadable_file_allows_everything() {
    for bytes in [&b""[..], b"\0\0\0", b"\xFF\xFE\xFD", b"<html><body>404</body></html>"] {
        assert_eq!(Robots::parse(bytes), Robots::default(), "{bytes:?}");
    }
}

#[test]
fn the_rules_of_a_capsule_are_prefixes_for_our_name_our_kinds_or_everyone() {
    let file = "User-agent: *\nDisallow: /everyone\nAllow: /everyone/but\n\
                User-agent: archiver\nDisallow: /old\nUser-agent: indexer\nUser-agent: webproxy\nDisallow: /list*$\n\
                User-agent: webproxy\nDisallow: /proxy\nCrawl-delay: 9\n";
    let own = format!("{file}User-agent: recrawl\nDisallow: /%7Eours\nCrawl-delay: 2\n");
    for (file, path, allowed) in [
        (file, "/", true),
        (file, "/everyone/but", false),
        (file, "/older", false),
        (file, "/lists", true),
        (file, "/list*$x", false),
        (file, "/proxy", true),
        (own.as_str(), "/everyone", true),
        (own.as_str(), "/~ours/x", false),
        (own.as_str(), "/old", false),
    ] {
        let robots = Robots::parse_of_capsule(file.as_bytes());
        assert_eq!(robots.allows("recrawl", path), allowed, "{path}");
    }
    assert_eq!(Robots::parse_of_capsule(own.as_bytes()).crawl_delay("recrawl"), Some(Duration::from_secs(2)));
    assert!(Robots::parse(file.as_bytes()).allows("recrawl", "/old"), "on the web there are no such kinds");
}
