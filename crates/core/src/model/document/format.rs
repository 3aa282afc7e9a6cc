//! Which bodies are documents.

use std::fmt;

/// A kind of document whose text can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the name of its format")]
pub enum DocumentFormat {
    Pdf,
    Docx,
    Xlsx,
    Pptx,
    Odt,
    Ods,
}

/// A format: its media types, the endings of its files, and what its parts are called.
struct Known {
    format: DocumentFormat,
    name: &'static str,
    types: &'static [&'static str],
    endings: &'static [&'static str],
    part: Option<&'static str>,
}

const KNOWN: [Known; 6] = [
    Known {
        format: DocumentFormat::Pdf,
        name: "PDF",
        types: &["application/pdf", "application/x-pdf", "application/acrobat", "text/pdf"],
        endings: &["pdf"],
        part: Some("page"),
    },
    Known {
        format: DocumentFormat::Docx,
        name: "DOCX",
        types: &[
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
            "application/vnd.ms-word.document.macroenabled.12",
        ],
        endings: &["docx", "docm", "dotx"],
        part: None,
    },
    Known {
        format: DocumentFormat::Xlsx,
        name: "XLSX",
        types: &[
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
            "application/vnd.ms-excel.sheet.macroenabled.12",
        ],
        endings: &["xlsx", "xlsm", "xltx"],
        part: Some("sheet"),
    },
    Known {
        format: DocumentFormat::Pptx,
        name: "PPTX",
        types: &[
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
            "application/vnd.openxmlformats-officedocument.presentationml.template",
            "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        ],
        endings: &["pptx", "pptm", "ppsx", "potx"],
        part: Some("slide"),
    },
    Known {
        format: DocumentFormat::Odt,
        name: "ODT",
        types: &[
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.text-template",
        ],
        endings: &["odt", "ott"],
        part: None,
    },
    Known {
        format: DocumentFormat::Ods,
        name: "ODS",
        types: &[
            "application/vnd.oasis.opendocument.spreadsheet",
            "application/vnd.oasis.opendocument.spreadsheet-template",
        ],
        endings: &["ods", "ots"],
        part: Some("sheet"),
    },
];

/// Media types that say nothing but that a file is to be kept; then its ending decides. Old programs and servers call new
/// files by the types of old formats, too.
const VAGUE: [&str; 12] = [
    "",
    "application/octet-stream",
    "binary/octet-stream",
    "application/x-octet-stream",
    "application/force-download",
    "application/download",
    "application/x-download",
    "application/zip",
    "application/x-zip-compressed",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
];

impl DocumentFormat {
    /// Every format.
    pub const ALL: [Self; 6] = [Self::Pdf, Self::Docx, Self::Xlsx, Self::Pptx, Self::Odt, Self::Ods];

    /// Returns which kind of document a header promises at an address with this path; none where it is something else.
    pub fn of(content_type: Option<&str>, path: &str) -> Option<Self> {
        let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        if let Some(known) = KNOWN.iter().find(|known| known.types.contains(&essence.as_str())) {
            return Some(known.format);
        }
        if !VAGUE.contains(&essence.as_str()) {
            return None;
        }
        let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let has = |known: &&Known| known.endings.iter().any(|known| known.eq_ignore_ascii_case(ending));
        KNOWN.iter().find(has).map(|known| known.format)
    }

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<Self> {
        KNOWN.iter().find(|known| known.name == name).map(|known| known.format)
    }

    /// Returns the name that people know, such as `PDF`.
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// Returns the media type by which it is served.
    pub fn media_type(self) -> &'static str {
        self.known().types.first().copied().unwrap_or_default()
    }

    /// Returns what its parts are called, if it has any that are counted.
    pub(super) fn part(self) -> Option<&'static str> {
        self.known().part
    }

    fn known(self) -> &'static Known {
        KNOWN
            .iter()
            .find(|known| known.format == self)
            .expect("every format is in the table, as a test holds")
    }
}

impl fmt::Display for DocumentFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_known_by_its_name() {
        for format in DocumentFormat::ALL {
            assert_eq!(DocumentFormat::named(format.name()), Some(format));
            assert_eq!(DocumentFormat::of(Some(format.media_type()), "/"), Some(format));
        }
    }

    #[test]
    fn the_header_decides_and_where_it_is_vague_the_ending() {
        let pdf = Some(DocumentFormat::Pdf);
        for (content_type, path, expected) in [
            (Some("application/pdf"), "/show", pdf),
            (Some("Application/PDF; charset=binary"), "/a.html", pdf),
            (Some("application/octet-stream"), "/a/Plan.PDF", pdf),
            (None, "/plan.pdf", pdf),
            (None, "/pdf", None),
            (None, "/a.pdf/b", None),
            (Some("text/html"), "/plan.pdf", None),
            (Some("text/plain"), "/plan.docx", None),
            (Some("application/msword"), "/plan.docx", Some(DocumentFormat::Docx)),
            (Some("application/msword"), "/plan.doc", None),
            (Some("application/zip"), "/fees.xlsx", Some(DocumentFormat::Xlsx)),
            (Some("application/vnd.oasis.opendocument.text"), "/", Some(DocumentFormat::Odt)),
        ] {
            assert_eq!(DocumentFormat::of(content_type, path), expected, "{content_type:?} {path}");
        }
    }
}
