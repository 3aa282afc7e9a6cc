//! The names of elements that the standard's parser knows, and the sets in which it speaks of them.

/// Makes the enum of all names.
macro_rules! names {
    ($($name:ident = $text:literal)+) => {
        /// The name of an element.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Name {
            $($name,)+
            /// One that means nothing to the parser.
            Other,
        }

        /// Every name but [`Name::Other`], as it is written.
        pub(super) const NAMES: [(Name, &str); Name::Other as usize] = [$((Name::$name, text_of($text))),+];

        impl Name {
            /// Returns the name that is written so, in lower case. Compiles to a choice by length and letters.
            fn of_lower(text: &[u8]) -> Self {
                match text {
                    $($text => Self::$name,)+
                    _ => Self::Other,
                }
            }
        }
    };
}

names! {
    A = b"a" Address = b"address" AnnotationXml = b"annotation-xml" Applet = b"applet" Area = b"area" Article = b"article"
    Aside = b"aside" Audio = b"audio" B = b"b" Base = b"base" Basefont = b"basefont" Bgsound = b"bgsound" Big = b"big"
    Blockquote = b"blockquote" Body = b"body" Br = b"br" Button = b"button" Caption = b"caption" Center = b"center"
    Code = b"code" Col = b"col" Colgroup = b"colgroup" Dd = b"dd" Desc = b"desc" Details = b"details" Dialog = b"dialog"
    Dir = b"dir" Div = b"div" Dl = b"dl" Dt = b"dt" Em = b"em" Embed = b"embed" Fieldset = b"fieldset"
    Figcaption = b"figcaption" Figure = b"figure" Font = b"font" Footer = b"footer" ForeignObject = b"foreignobject"
    Form = b"form" Frame = b"frame" Frameset = b"frameset" H1 = b"h1" H2 = b"h2" H3 = b"h3" H4 = b"h4" H5 = b"h5" H6 = b"h6"
    Head = b"head" Header = b"header" Hgroup = b"hgroup" Hr = b"hr" Html = b"html" I = b"i" Iframe = b"iframe"
    Image = b"image" Img = b"img" Input = b"input" Isindex = b"isindex" Keygen = b"keygen" Label = b"label"
    Legend = b"legend" Li = b"li" Link = b"link" Listing = b"listing" Main = b"main" Malignmark = b"malignmark"
    Marquee = b"marquee" Math = b"math" Menu = b"menu" Meta = b"meta" Mglyph = b"mglyph" Mi = b"mi" Mn = b"mn" Mo = b"mo"
    Ms = b"ms" Mtext = b"mtext" Nav = b"nav" Nobr = b"nobr" Noembed = b"noembed" Noframes = b"noframes"
    Noscript = b"noscript" Object = b"object" Ol = b"ol" Optgroup = b"optgroup" Option = b"option" P = b"p"
    Param = b"param" Picture = b"picture" Plaintext = b"plaintext" Pre = b"pre" Rb = b"rb" Rp = b"rp" Rt = b"rt"
    Rtc = b"rtc" Ruby = b"ruby" S = b"s" Script = b"script" Search = b"search" Section = b"section" Select = b"select"
    Small = b"small" Source = b"source" Span = b"span" Strike = b"strike" Strong = b"strong" Style = b"style" Sub = b"sub"
    Summary = b"summary" Sup = b"sup" Svg = b"svg" Table = b"table" Tbody = b"tbody" Td = b"td" Template = b"template"
    Text = b"text" Textarea = b"textarea" Tfoot = b"tfoot" Th = b"th" Thead = b"thead" Title = b"title" Tr = b"tr"
    Track = b"track" Tt = b"tt" U = b"u" Ul = b"ul" Var = b"var" Video = b"video" Wbr = b"wbr" Xmp = b"xmp"
}

const fn text_of(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("names are ASCII"),
    }
}

/// No name that the parser knows is longer.
const LONGEST: usize = 14;

impl Name {
    /// Returns the name that is written so, in upper or lower case.
    pub(super) fn of(text: &[u8]) -> Self {
        if !text.iter().any(u8::is_ascii_uppercase) {
            return Self::of_lower(text);
        }
        let mut lower = [0; LONGEST];
        match lower.get_mut(..text.len()) {
            Some(lower) => {
                lower.copy_from_slice(text);
                lower.make_ascii_lowercase();
                Self::of_lower(lower)
            }
            None => Self::Other,
        }
    }

    /// Returns how the name is written; [`Name::Other`] is not known.
    pub(super) fn text(self) -> &'static str {
        NAMES.get(self as usize).map_or("", |(_, text)| text)
    }
}

/// A set of names.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameSet([u64; 3]);

impl NameSet {
    /// Tells whether a name is in the set.
    pub(super) const fn contains(self, name: Name) -> bool {
        self.0[name as usize / 64] & (1 << (name as usize % 64)) != 0
    }

    const fn of(names: &[Name]) -> Self {
        Self([0; 3]).and(names)
    }

    const fn and(mut self, names: &[Name]) -> Self {
        let mut at = 0;
        while at < names.len() {
            let name = names[at] as usize;
            self.0[name / 64] |= 1 << (name % 64);
            at += 1;
        }
        self
    }
}

use Name::{
    A, Address, Applet, Area, Article, Aside, B, Base, Basefont, Bgsound, Big, Blockquote, Body, Br, Button,
    Caption, Center, Code, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Em, Embed, Fieldset, Figcaption,
    Figure, Font, Footer, Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, I,
    Iframe, Img, Input, Isindex, Li, Link, Listing, Main, Marquee, Menu, Meta, Mi, Mn, Mo, Ms, Mtext, Nav,
    Nobr, Noembed, Noframes, Noscript, Object, Ol, Optgroup, Option as Opt, P, Param, Plaintext, Pre, Rb, Rp,
    Rt, Rtc, Ruby, S, Script, Section, Select, Small, Source, Span, Strike, Strong, Style, Sub, Summary, Sup,
    Table, Tbody, Td, Template, Textarea, Tfoot, Th, Thead, Title, Tr, Track, Tt, U, Ul, Var, Wbr, Xmp,
};

/// [Special](https://html.spec.whatwg.org/multipage/parsing.html#special) elements of HTML, as the tree builder has them.
pub(super) const SPECIAL: NameSet = NameSet::of(&[
    Address, Applet, Area, Article, Aside, Base, Basefont, Bgsound, Blockquote, Body, Br, Button, Caption,
    Center, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Embed, Fieldset, Figcaption, Figure, Footer, Form,
    Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, Iframe, Img, Input, Isindex, Li,
    Link, Listing, Main, Marquee, Menu, Meta, Nav, Noembed, Noframes, Noscript, Object, Ol, P, Param,
    Plaintext, Pre, Script, Section, Select, Source, Style, Summary, Table, Tbody, Td, Template, Textarea,
    Tfoot, Th, Thead, Title, Tr, Track, Ul, Wbr, Xmp,
]);

/// What ends the search for an element [in scope](https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope).
pub(super) const SCOPE: NameSet =
    NameSet::of(&[Applet, Caption, Html, Table, Td, Th, Marquee, Object, Select, Template]);

/// The same for buttons.
pub(super) const BUTTON_SCOPE: NameSet = SCOPE.and(&[Button]);

/// The same for items of lists.
pub(super) const LIST_ITEM_SCOPE: NameSet = SCOPE.and(&[Ol, Ul]);

/// The same for parts of tables.
pub(super) const TABLE_SCOPE: NameSet = NameSet::of(&[Html, Table, Template]);

/// What rows stand in.
pub(super) const TABLE_BODY_CONTEXT: NameSet = NameSet::of(&[Tbody, Tfoot, Thead, Template, Html]);

/// What cells stand in.
pub(super) const TABLE_ROW_CONTEXT: NameSet = NameSet::of(&[Tr, Template, Html]);

/// What stands between a table and its cells: text and other elements do not belong there.
pub(super) const TABLE_PARTS: NameSet = NameSet::of(&[Table, Tbody, Tfoot, Thead, Tr]);

/// Elements whose end tags may be
/// [left out](https://html.spec.whatwg.org/multipage/parsing.html#generate-implied-end-tags).
pub(super) const IMPLIED_END: NameSet = NameSet::of(&[Dd, Dt, Li, Opt, Optgroup, P, Rb, Rp, Rt, Rtc]);

/// The same at the end of a template.
pub(super) const THOROUGHLY_IMPLIED_END: NameSet =
    IMPLIED_END.and(&[Caption, Colgroup, Tbody, Td, Tfoot, Th, Thead, Tr]);

/// Headings.
pub(super) const HEADINGS: NameSet = NameSet::of(&[H1, H2, H3, H4, H5, H6]);

/// Cells of tables.
pub(super) const CELLS: NameSet = NameSet::of(&[Td, Th]);

/// HTML elements that end
/// [foreign content](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign).
pub(super) const BREAKS_OUT: NameSet = NameSet::of(&[
    B, Big, Blockquote, Body, Br, Center, Code, Dd, Div, Dl, Dt, Em, Embed, H1, H2, H3, H4, H5, H6, Head, Hr,
    I, Img, Li, Listing, Menu, Meta, Nobr, Ol, P, Pre, Ruby, S, Small, Span, Strong, Strike, Sub, Sup, Table,
    Tt, U, Ul, Var,
]);

/// [Formatting](https://html.spec.whatwg.org/multipage/parsing.html#formatting) elements.
pub(super) const FORMATTING: NameSet =
    NameSet::of(&[A, B, Big, Code, Em, Font, I, Nobr, S, Small, Strike, Strong, Tt, U]);

/// Elements of MathML in which HTML text may stand.
pub(super) const MATH_TEXT: NameSet = NameSet::of(&[Mi, Mn, Mo, Ms, Mtext]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_upper_and_lower_case() {
        for (name, text) in NAMES {
            assert_eq!(Name::of(text.as_bytes()), name);
            assert_eq!(Name::of(text.to_ascii_uppercase().as_bytes()), name);
            assert_eq!(name.text(), text);
            assert!(text.len() <= LONGEST, "{text}");
        }
        for text in ["", "x", "h7", "x-y", "DIVV", "annotation-xmlx", "A-VERY-LONG-NAME-OF-AN-ELEMENT"] {
            assert_eq!(Name::of(text.as_bytes()), Name::Other, "{text}");
        }
    }
}
