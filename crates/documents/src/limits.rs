//! How much is read of a document. Whoever reads in a process of its own has further limits there.

/// Bytes of text that are read; of a longer document the beginning is compared.
pub(crate) const MAX_TEXT: usize = 3 << 20;

/// Lines that are read.
pub(crate) const MAX_LINES: usize = 200_000;

/// Links that are read, and their bytes together.
pub(crate) const MAX_LINKS: usize = 10_000;
pub(crate) const MAX_LINK_BYTES: usize = 512 << 10;

/// A longer link is data.
pub(crate) const MAX_LINK: usize = 2_000;

/// A longer title is none.
pub(crate) const MAX_TITLE: usize = 1_000;

/// Glyphs that are drawn of a PDF.
pub(crate) const MAX_GLYPHS: usize = 8_000_000;

/// How often a PDF sets a clip, which each form does that is drawn.
pub(crate) const MAX_CLIPS: usize = 1_000_000;

/// Pages of a PDF that are read.
pub(crate) const MAX_PAGES: usize = 200_000;

/// Bytes that are unpacked of an office file.
pub(crate) const MAX_UNPACKED: u64 = 64 << 20;

/// Bytes of the texts that the cells of a workbook share.
pub(crate) const MAX_SHARED: usize = 32 << 20;

/// Why a document was cut, in words.
pub(crate) const CUT: &str = "truncated: only the beginning of its text was compared, it is very long";
