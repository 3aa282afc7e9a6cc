//! The first line of an answer: two digits, and what they are about.

use recrawl_core::decide::answer::GeminiStatus;

/// What capsules mean where they name no media type.
const DEFAULT: &str = "text/gemini; charset=utf-8";

/// The longest line: a status, a space, 1,024 bytes, and what ends it.
const LONGEST: usize = 2 + 1 + 1024 + 2;

/// What an answer says before its body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: GeminiStatus,
    /// A media type, an address, a number of seconds, or words, as the status has it.
    pub(crate) meta: String,
    /// How long the line was.
    pub(crate) length: usize,
}

impl Head {
    /// Takes the first line off `received`; `None` if it is not whole yet.
    pub(crate) fn read(received: &mut Vec<u8>) -> Result<Option<Self>, &'static str> {
        let end = received.iter().take(LONGEST).position(|byte| *byte == b'\n');
        let Some(end) = end else {
            return if received.len() < LONGEST {
                Ok(None)
            } else {
                Err("the first line of the answer has no end")
            };
        };
        let line: Vec<u8> = received.drain(..=end).collect();
        let head = Self::of_line(line.trim_ascii_end(), line.len());
        head.map(Some).ok_or("the answer does not begin with a status of the Gemini protocol")
    }

    fn of_line(line: &[u8], length: usize) -> Option<Self> {
        let (status, meta) = line.split_at_checked(2)?;
        let digits = status.iter().all(u8::is_ascii_digit).then_some(status)?;
        let status = GeminiStatus::new(10 * (digits[0] - b'0') + (digits[1] - b'0'))?;
        if !matches!(meta.first(), None | Some(b' ' | b'\t')) {
            return None;
        }
        let meta = String::from_utf8_lossy(meta).trim().to_owned();
        // A line break in an address or a media type is no part of it, and a terminal should not see it.
        let is_plain = !meta.chars().any(char::is_control);
        is_plain.then_some(Self { status, meta, length })
    }

    /// Returns the media type of a body, with its parameters.
    pub(crate) fn media_type(&self) -> String {
        if self.meta.is_empty() { DEFAULT.to_owned() } else { self.meta.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Option<(u8, String)>, &'static str> {
        let head = Head::read(&mut bytes.to_vec())?;
        Ok(head.map(|head| (head.status.number(), head.meta)))
    }

    #[test]
    fn a_status_and_what_it_is_about_are_read() {
        for (line, status, meta) in [
            (&b"20 text/gemini\r\n"[..], 20, "text/gemini"),
            (b"20\r\n", 20, ""),
            (b"20 \r\n", 20, ""),
            (b"20 text/plain\n", 20, "text/plain"),
            (b"44\t 60 \r\n", 44, "60"),
            (b"31 gemini://a/ b\r\n", 31, "gemini://a/ b"),
            (b"51 caf\xe9\r\n", 51, "caf\u{fffd}"),
        ] {
            assert_eq!(read(line), Ok(Some((status, meta.to_owned()))), "{line:?}");
        }
    }

    #[test]
    fn what_follows_is_the_body() {
        let mut received = b"20 text/gemini\r\n# Title\r\n".to_vec();
        assert_eq!(Head::read(&mut received).unwrap().unwrap().length, 16);
        assert_eq!(received, b"# Title\r\n");
    }

    #[test]
    fn a_line_that_is_not_whole_is_waited_for_and_one_without_end_is_not() {
        assert_eq!(read(b""), Ok(None));
        assert_eq!(read(b"20 text/gem"), Ok(None));
        let mut longest = format!("20 {}\r\n", "x".repeat(1024)).into_bytes();
        assert_eq!(Head::read(&mut longest).unwrap().unwrap().meta.len(), 1024);
        assert!(read(format!("20 {}", "x".repeat(1026)).as_bytes()).is_err());
    }

    #[test]
    fn other_lines_are_no_answer() {
        for line in [
            &b"\r\n"[..],
            b"2\r\n",
            b"200 OK\r\n",
            b"00 x\r\n",
            b"99 x\r\n",
            b"HTTP/1.1 200\r\n",
            b" 20\r\n",
            b"20 a\0b\r\n",
        ] {
            assert!(read(line).is_err(), "{line:?}");
        }
    }
}
