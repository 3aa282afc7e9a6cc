//! Frames: a body, and behind it its text and its outline. They are found again in the body, so that there they cost next
//! to nothing.

use recrawl_core::model::outline::Outline;
use rusqlite::Row;

use crate::compression::decompress;
use crate::error::unreadable;

/// What stands between a text and an outline: a byte that no text has.
pub(crate) const BORDER: u8 = 0xff;

/// What stands behind a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    pub(crate) text: Option<Vec<u8>>,
    pub(crate) outline: Option<Vec<u8>>,
}

/// Takes a body and what stands behind it apart.
pub(crate) fn split(mut body: Vec<u8>, size: u64) -> rusqlite::Result<(Vec<u8>, Rest)> {
    let size = usize::try_from(size).ok().filter(|size| *size <= body.len());
    let size = size.ok_or_else(|| unreadable("a body that is shorter than it should be"))?;
    let mut text = body.split_off(size);
    let border = text.iter().position(|byte| *byte == BORDER);
    let outline = border.map(|border| {
        let outline = text.split_off(border + 1);
        text.truncate(border);
        outline
    });
    Ok((body, Rest { text: Some(text).filter(|text| !text.is_empty()), outline }))
}

/// Reads a frame, if there is one.
pub(crate) fn read_frame(row: &Row, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    let frame = row.get_ref(column)?.as_blob_or_null()?;
    frame.map(|frame| decompress(frame).map_err(unreadable)).transpose()
}

/// Reads the text of a frame.
pub(crate) fn text_of(bytes: Vec<u8>) -> rusqlite::Result<String> {
    String::from_utf8(bytes).map_err(unreadable)
}

/// Reads the outline of a frame.
pub(crate) fn outline_of(bytes: Vec<u8>) -> rusqlite::Result<Outline> {
    Outline::decode(&text_of(bytes)?).ok_or_else(|| unreadable("an outline that is none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_and_what_stands_behind_it_are_taken_apart() {
        let bytes = |text: &str| Some(text.as_bytes().to_vec());
        for (frame, text, outline) in [
            (&b"body"[..], None, None),
            (b"bodytext", bytes("text"), None),
            (b"bodytext\xffoutline", bytes("text"), bytes("outline")),
            (b"body\xffoutline", None, bytes("outline")),
            (b"b\xffdytext\xff1", bytes("text"), bytes("1")),
        ] {
            let (body, rest) = split(frame.to_vec(), 4).unwrap();
            assert_eq!((body.as_slice(), rest), (&frame[..4], Rest { text, outline }));
        }
        assert!(split(b"bod".to_vec(), 4).is_err());
    }
}
