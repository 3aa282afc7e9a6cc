//! What an element's name says about the text around it and about the page.

use html5ever::{LocalName, Namespace, local_name, ns};

/// The namespace of an element: one of those that the parser of HTML makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementNamespace {
    Html,
    Svg,
    MathMl,
    None,
}

impl ElementNamespace {
    pub(super) fn of(namespace: &Namespace) -> Self {
        match *namespace {
            ns!(html) => Self::Html,
            ns!(svg) => Self::Svg,
            ns!(mathml) => Self::MathMl,
            _ => Self::None,
        }
    }

    pub(super) fn name(self) -> Namespace {
        match self {
            Self::Html => ns!(html),
            Self::Svg => ns!(svg),
            Self::MathMl => ns!(mathml),
            Self::None => ns!(),
        }
    }
}

/// How an element divides the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Part of the line around it.
    Inline,
    /// Stands on lines of its own.
    Block,
    /// Separated from its neighbours on the line by a space.
    Word,
    /// Its text is not part of the page's text.
    Dropped,
}

/// What an element can say about the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing beyond its text.
    None,
    /// `html`, which carries the language.
    Root,
    /// `a` and `area`.
    Anchor,
    /// `a` in SVG.
    SvgAnchor,
    /// `base`.
    Base,
    /// `iframe` and `frame`.
    Frame,
    /// `img`.
    Image,
    /// `input`.
    Input,
    /// `link`.
    Link,
    /// `meta`.
    Meta,
    /// `object`.
    Object,
    /// `picture`.
    Picture,
    /// `audio`, `embed` and `video`.
    Player,
    /// `source`.
    Source,
    /// `image` in SVG.
    SvgImage,
    /// `title`.
    Title,
    /// `annotation-xml` in MathML whose content is HTML.
    HtmlAnnotation,
}

/// What part of a page an element is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// No certain one.
    #[default]
    None,
    /// A menu.
    Nav,
    /// The head of the site, or of an article.
    Header,
    /// The foot.
    Footer,
    /// What stands beside the content.
    Aside,
    /// A window before the page.
    Dialog,
    /// A form to search the site.
    Search,
    /// The content of the page.
    Main,
    /// A text that stands for itself.
    Article,
    /// A heading.
    Heading,
    /// A button, an option or the label of a field.
    Control,
}

impl Part {
    /// Returns the part that an ARIA role names.
    pub(super) fn of_role(roles: &[u8]) -> Self {
        const ROLES: [(&str, Part); 14] = [
            ("navigation", Part::Nav),
            ("menu", Part::Nav),
            ("menubar", Part::Nav),
            ("banner", Part::Header),
            ("contentinfo", Part::Footer),
            ("complementary", Part::Aside),
            ("dialog", Part::Dialog),
            ("alertdialog", Part::Dialog),
            ("search", Part::Search),
            ("main", Part::Main),
            ("article", Part::Article),
            ("heading", Part::Heading),
            ("button", Part::Control),
            ("option", Part::Control),
        ];
        let of = |role: &[u8]| {
            let known = ROLES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(role));
            known.map(|(_, part)| *part)
        };
        // Of several, the first that is known counts.
        roles.split(u8::is_ascii_whitespace).find_map(of).unwrap_or_default()
    }

    /// Returns the part that an element is by its name.
    pub(super) fn of_element(namespace: &Namespace, name: &LocalName) -> Self {
        if *namespace != ns!(html) {
            return Self::None;
        }
        match *name {
            local_name!("nav") => Self::Nav,
            local_name!("header") => Self::Header,
            local_name!("footer") => Self::Footer,
            local_name!("aside") => Self::Aside,
            local_name!("dialog") => Self::Dialog,
            local_name!("search") => Self::Search,
            local_name!("main") => Self::Main,
            local_name!("article") => Self::Article,
            local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6") => Self::Heading,
            local_name!("button")
            | local_name!("option")
            | local_name!("optgroup")
            | local_name!("label")
            | local_name!("legend") => Self::Control,
            _ => Self::None,
        }
    }
}

/// What an element means by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// How it divides the text around it.
    pub(crate) flow: Flow,
    /// What it can say about the page.
    pub(crate) role: Role,
    /// What part of the page it is.
    pub(crate) part: Part,
}

impl Meaning {
    /// An element inside a line that says nothing.
    pub(crate) const NOTHING: Self = Self { flow: Flow::Inline, role: Role::None, part: Part::None };

    /// Returns what an element of HTML means, whose name is in lower case.
    pub(crate) fn of_html(name: &str) -> Self {
        Self::of(&ns!(html), name)
    }

    /// Returns what an element of SVG means, whose name is in lower case.
    pub(crate) fn of_svg(name: &str) -> Self {
        Self::of(&ns!(svg), name)
    }

    fn of(namespace: &Namespace, name: &str) -> Self {
        let name = LocalName::from(name);
        let (flow, role) = classify(namespace, &name);
        Self { flow, role, part: Part::of_element(namespace, &name) }
    }
}

/// Returns the flow and role of an element.
pub(super) fn classify(namespace: &Namespace, name: &LocalName) -> (Flow, Role) {
    if *namespace == ns!(html) {
        (html_flow(name), html_role(name))
    } else if *namespace == ns!(svg) {
        match *name {
            local_name!("a") => (Flow::Inline, Role::SvgAnchor),
            local_name!("image") => (Flow::Inline, Role::SvgImage),
            local_name!("script") | local_name!("style") => (Flow::Dropped, Role::None),
            local_name!("title") | local_name!("desc") | local_name!("text") => (Flow::Word, Role::None),
            _ => (Flow::Inline, Role::None),
        }
    } else {
        (Flow::Inline, Role::None)
    }
}

fn html_role(name: &LocalName) -> Role {
    match *name {
        local_name!("a") | local_name!("area") => Role::Anchor,
        local_name!("audio") | local_name!("embed") | local_name!("video") => Role::Player,
        local_name!("base") => Role::Base,
        local_name!("frame") | local_name!("iframe") => Role::Frame,
        local_name!("html") => Role::Root,
        local_name!("img") => Role::Image,
        local_name!("input") => Role::Input,
        local_name!("link") => Role::Link,
        local_name!("meta") => Role::Meta,
        local_name!("object") => Role::Object,
        local_name!("picture") => Role::Picture,
        local_name!("source") => Role::Source,
        local_name!("title") => Role::Title,
        _ => Role::None,
    }
}

fn html_flow(name: &LocalName) -> Flow {
    match *name {
        local_name!("head") | local_name!("script") | local_name!("style") | local_name!("template") => {
            Flow::Dropped
        }
        local_name!("td") | local_name!("th") => Flow::Word,
        local_name!("address")
        | local_name!("article")
        | local_name!("aside")
        | local_name!("blockquote")
        | local_name!("body")
        | local_name!("br")
        | local_name!("caption")
        | local_name!("center")
        | local_name!("dd")
        | local_name!("details")
        | local_name!("dialog")
        | local_name!("dir")
        | local_name!("div")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("fieldset")
        | local_name!("figcaption")
        | local_name!("figure")
        | local_name!("footer")
        | local_name!("form")
        | local_name!("frameset")
        | local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("header")
        | local_name!("hgroup")
        | local_name!("hr")
        | local_name!("html")
        | local_name!("iframe")
        | local_name!("legend")
        | local_name!("li")
        | local_name!("listing")
        | local_name!("main")
        | local_name!("menu")
        | local_name!("nav")
        | local_name!("noframes")
        | local_name!("noscript")
        | local_name!("ol")
        | local_name!("optgroup")
        | local_name!("option")
        | local_name!("p")
        | local_name!("plaintext")
        | local_name!("pre")
        | local_name!("search")
        | local_name!("section")
        | local_name!("select")
        | local_name!("summary")
        | local_name!("table")
        | local_name!("tbody")
        | local_name!("textarea")
        | local_name!("tfoot")
        | local_name!("thead")
        | local_name!("tr")
        | local_name!("ul")
        | local_name!("xmp") => Flow::Block,
        _ => Flow::Inline,
    }
}
