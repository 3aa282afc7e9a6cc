//! Which attributes of a page are kept.

/// The attributes that are kept while parsing; the others are dropped before they cost anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AttributeFilter {
    /// Every attribute, for CSS selectors.
    All,
    /// What links, metadata and the tree builder read, and these names on any element.
    Needed(Vec<String>),
}

impl AttributeFilter {
    /// Tells whether an attribute of a tag is kept. Both names are in lower case.
    pub(crate) fn admits(&self, tag: &[u8], attribute: &[u8]) -> bool {
        let extra = match self {
            Self::All => return true,
            Self::Needed(extra) => extra,
        };
        let is_read = match attribute {
            b"href" => matches!(tag, b"a" | b"area" | b"base" | b"link"),
            b"rel" => matches!(tag, b"a" | b"area" | b"link"),
            b"src" => matches!(tag, b"iframe" | b"frame"),
            b"xlink:href" => tag == b"a",
            b"content" | b"http-equiv" => tag == b"meta",
            b"name" => matches!(tag, b"meta" | b"input"),
            b"lang" => tag == b"html",
            // The tree builder reads these: hidden inputs stay inside tables, `font` with a colour
            // leaves SVG, and annotations in HTML are parsed as HTML.
            b"type" => tag == b"input",
            b"color" | b"face" | b"size" => tag == b"font",
            b"encoding" => tag == b"annotation-xml",
            _ => false,
        };
        is_read || extra.iter().any(|name| name.as_bytes() == attribute)
    }
}
