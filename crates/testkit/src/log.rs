//! A log that is kept in memory.

#![expect(clippy::unwrap_used, reason = "a thread that panicked has failed the test")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Everything that was written to it and its clones.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Returns everything as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
