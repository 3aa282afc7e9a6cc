//! The package of an office file, and how much of it is unpacked.

use std::io::{BufReader, Cursor, Read as _};
use std::ops::ControlFlow;

use quick_xml::Reader;
use quick_xml::events::Event;
use recrawl_core::model::document::UnreadDocument;
use zip::ZipArchive;

use crate::limits::MAX_UNPACKED;

/// How the reading of a part goes on.
pub(super) type Flow = ControlFlow<()>;

/// Goes on.
pub(super) const GO_ON: Flow = ControlFlow::Continue(());

/// Ends the part: what comes has no room.
pub(super) const STOP: Flow = ControlFlow::Break(());

/// An office file.
pub(super) struct Package<'bytes> {
    archive: ZipArchive<Cursor<&'bytes [u8]>>,
    /// How many bytes may still be unpacked.
    left: u64,
}

impl<'bytes> Package<'bytes> {
    /// Opens a file.
    pub(super) fn open(bytes: &'bytes [u8]) -> Result<Self, UnreadDocument> {
        if is_encrypted(bytes) {
            return Err(UnreadDocument::Password);
        }
        if !bytes.starts_with(b"PK") {
            return Err(UnreadDocument::Damaged);
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| UnreadDocument::BreaksOff)?;
        Ok(Self { archive, left: MAX_UNPACKED })
    }

    /// Tells whether the file has such a part.
    pub(super) fn has(&self, path: &str) -> bool {
        self.archive.index_for_name(path).is_some()
    }

    /// Returns the names of the parts that begin so, sorted.
    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        let names = self.archive.file_names().flatten().filter(|name| name.starts_with(prefix));
        let mut names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
        names.sort();
        names
    }

    /// Calls `read` for each event of a part; tells whether there is such a part.
    ///
    /// A part that is not well-formed is an error: nobody knows what is missing.
    pub(super) fn read(
        &mut self,
        path: &str,
        mut read: impl FnMut(&Event<'_>) -> Flow,
    ) -> Result<bool, UnreadDocument> {
        let entry = match self.archive.by_name(path) {
            Ok(entry) if entry.encrypted() => return Err(UnreadDocument::Password),
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Ok(false),
            Err(_) => return Err(UnreadDocument::Damaged),
        };
        let mut counted = entry.take(self.left);
        let mut reader = Reader::from_reader(BufReader::with_capacity(32 << 10, &mut counted));
        reader.config_mut().check_end_names = false;
        let mut buffer = Vec::new();
        let result = loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Eof) => break Ok(true),
                Ok(event) => {
                    if read(&event).is_break() {
                        break Ok(true);
                    }
                }
                Err(_) => break Err(UnreadDocument::Damaged),
            }
        };
        drop(reader);
        self.left = counted.limit();
        if self.left == 0 { Err(UnreadDocument::Memory) } else { result }
    }
}

/// Tells whether an office file is wrapped in the container that Microsoft encrypts files in.
fn is_encrypted(bytes: &[u8]) -> bool {
    const CONTAINER: &[u8] = b"\xD0\xCF\x11\xE0";
    let name: Vec<u8> = "EncryptedPackage".bytes().flat_map(|byte| [byte, 0]).collect();
    bytes.starts_with(CONTAINER) && bytes.windows(name.len()).any(|window| window == name)
}
