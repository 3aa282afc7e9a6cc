//! Documents written for tests: PDF and office files that say what a test wants, and files that mean harm.

pub mod hostile;
mod office;
mod pdf;

pub use office::{Office, office};
pub use pdf::{Pdf, PdfPage};
