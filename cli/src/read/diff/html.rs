//! The comparison as a web page of its own.

use std::io::{self, Write};

use recrawl_reports::text_diff::{Line, Tag};

use super::passages::Passage;
use super::side::Side;
use crate::output::day_and_time;

const STYLE: &str = "\
:root { color-scheme: light dark; --add: #e6ffec; --add-word: #abf2bc; --cut: #ffebe9; --cut-word: #ff8182; --dim: #656d76; }
@media (prefers-color-scheme: dark) {
  :root { --add: #12261e; --add-word: #1f6f3a; --cut: #25171c; --cut-word: #8e2a2e; --dim: #8b949e; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.2rem; overflow-wrap: anywhere; }
p, h2 { color: var(--dim); font-size: .9rem; font-weight: normal; }
.line { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .5rem; }
.line::before { content: attr(data-mark) ' '; color: var(--dim); font-family: monospace; }
.removed { background: var(--cut); }
.added { background: var(--add); }
ins, del { text-decoration: none; border-radius: .2rem; }
ins { background: var(--add-word); }
del { background: var(--cut-word); }
";

pub(super) fn write(
    out: &mut dyn Write,
    older: &Side,
    newer: &Side,
    passages: &[Passage],
    notes: &[String],
) -> io::Result<()> {
    let url = escaped(newer.url.as_str());
    let describe = |side: &Side| format!("{} ({} UTC)", side.crawl, day_and_time(side.time));
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>Changes of {url}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    writeln!(out, "<h1>{url}</h1>\n<p>From {} to {}</p>", describe(older), describe(newer))?;
    if passages.is_empty() {
        writeln!(out, "<p>The two versions have the same text.</p>")?;
    }
    for note in notes {
        writeln!(out, "<p>{}</p>", escaped(note))?;
    }
    for passage in passages {
        writeln!(out, "<section>\n<h2>{}</h2>", passage.heading)?;
        passage.lines.iter().try_for_each(|line| write_line(out, line))?;
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</body>\n</html>")
}

fn write_line(out: &mut dyn Write, line: &Line) -> io::Result<()> {
    let (class, element) = match line.tag {
        Tag::Same => ("same", "span"),
        Tag::Removed => ("removed", "del"),
        Tag::Added => ("added", "ins"),
    };
    // Text of strangers may read from right to left: each line finds its own direction.
    write!(out, "<div class=\"line {class}\" data-mark=\"{}\" dir=\"auto\">", line.tag.mark())?;
    for piece in &line.pieces {
        let text = escaped(&piece.text);
        if piece.emphasised {
            write!(out, "<{element}>{text}</{element}>")?;
        } else {
            write!(out, "{text}")?;
        }
    }
    writeln!(out, "</div>")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::passages::passages;
    use super::*;

    #[test]
    fn markup_of_strangers_stays_text() {
        let lines = passages("say <b>old</b> & 'x'", "say <script>new</script> & \"x\"").0;
        let mut out = Vec::new();
        lines
            .iter()
            .flat_map(|passage| &passage.lines)
            .try_for_each(|line| write_line(&mut out, line))
            .unwrap();
        let html = String::from_utf8(out).unwrap();
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert!(html.contains("&lt;") && html.contains("&amp;"), "{html}");
    }
}
