//! The device on which a page of a PDF is drawn: it keeps the glyphs and drops everything else.

use std::collections::HashMap;
use std::panic::resume_unwind;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use super::letters::{Letters, replacement};
use super::line::{Line, Place};
use super::stretch::Stretch;
use crate::limits::{MAX_CLIPS, MAX_GLYPHS, MAX_TEXT};

/// Unwinds out of the interpreter, which cannot be told to stop: a limit is reached.
pub(super) struct LimitReached;

/// What is drawn of a document, as text.
#[derive(Default)]
pub(super) struct TextDevice {
    stretches: Vec<Stretch>,
    /// Where the last letter was drawn.
    last: Option<(Place, char)>,
    /// Bytes of all pages.
    bytes: usize,
    glyphs: usize,
    unmapped: usize,
    clips: usize,
}

impl TextDevice {
    /// Tells whether more than a tenth of the glyphs stand for letters that nobody knows.
    pub(super) fn is_unmapped(&self) -> bool {
        self.unmapped * 10 > self.glyphs
    }

    /// Returns the lines of the page that was drawn last, in the order in which they were drawn.
    pub(super) fn take_page(&mut self) -> Vec<Line> {
        self.last = None;
        let mut lines: Vec<Line> = Vec::new();
        // A shadow is the same words once more, a hair beside.
        let mut drawn: HashMap<&str, Vec<Place>> = HashMap::new();
        for stretch in &self.stretches {
            let text = stretch.text.trim_end();
            if text.is_empty() {
                continue;
            }
            let places = drawn.entry(text).or_default();
            let place = stretch.place();
            if places.iter().rev().take(8).any(|before| before.is_near(place, 0.2 * stretch.size)) {
                continue;
            }
            places.push(place);
            match lines.last_mut() {
                Some(line) if line.goes_on_with(stretch) => line.append(text, stretch),
                Some(_) | None => lines.push(Line::new(text, stretch)),
            }
        }
        drop(drawn);
        self.stretches.clear();
        lines
    }

    fn draw(&mut self, text: &str, at: Affine, advance: f64, em: f64) {
        let [right, up, ..] = at.as_coeffs();
        let (width, height) = scale(at);
        let (x, y) = at.translation().into();
        if width == 0.0 || !width.is_finite() || !height.is_finite() || !x.is_finite() || !y.is_finite() {
            return;
        }
        let Some(first) = text.chars().next() else { return };
        // Glyphs have a thousand units an em.
        let size = (height * 1000.0).max(em);
        let direction = (right / width, up / width);
        let place =
            Place { along: x * direction.0 + y * direction.1, across: y * direction.0 - x * direction.1 };
        // The same letter drawn again a hair beside itself is a fake bold.
        if let Some((before, letter)) = self.last
            && letter == first
            && !first.is_whitespace()
            && before.is_near(place, 0.1 * size)
        {
            return;
        }
        self.last = Some((place, first));
        let end = place.along + advance;
        let is_blank = text.chars().all(char::is_whitespace);
        if let Some(stretch) = self.stretches.last_mut()
            && stretch.goes_on_at(place, direction, size)
        {
            self.bytes += stretch.push(text, is_blank, place, end, size);
        } else if !is_blank {
            self.bytes += text.len() + 1;
            self.stretches.push(Stretch::new(text, direction, place, end, size));
        }
    }

    fn count_glyph(&mut self) {
        self.glyphs += 1;
        if self.glyphs > MAX_GLYPHS || self.bytes > MAX_TEXT {
            resume_unwind(Box::new(LimitReached));
        }
    }
}

impl<'a> Device<'a> for TextDevice {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let unit = type3_em(run);
        for glyph in run.glyphs() {
            self.count_glyph();
            let at = props.transform * glyph.transform();
            let (width, height) = scale(at);
            let (advance, is_stretched) = match &**glyph {
                Glyph::Outline(outline) => {
                    // A font in place of a missing one is squeezed to the widths of that.
                    let is_squeezed =
                        (width - height).abs() > 0.001 * height && outline.font_data().is_none();
                    (outline.advance_width(), is_squeezed)
                }
                Glyph::Type3(drawn) => (drawn.advance_width(), false),
            };
            let advance = f64::from(advance.unwrap_or(500.0)) * if is_stretched { height } else { width };
            let em = unit * width;
            match glyph.as_unicode() {
                Some(BfString::Char(letter)) => self.draw(&Letters::of(letter), at, advance, em),
                Some(BfString::String(text)) => {
                    let text: String = text.chars().map(replacement).collect();
                    self.draw(&text, at, advance, em);
                }
                None => {
                    let code = glyph.char_code();
                    if code > 255 {
                        self.unmapped += 1;
                    }
                    self.draw(&Letters::of_code(code), at, advance, em);
                }
            }
        }
    }

    /// Each form pushes its box, so this counts forms that draw forms, too.
    fn push_clip_path(&mut self, _: &ClipPath) {
        self.clips += 1;
        if self.clips > MAX_CLIPS {
            resume_unwind(Box::new(LimitReached));
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Returns how wide and how high a unit of glyphs is drawn.
fn scale(at: Affine) -> (f64, f64) {
    let [right, up, left, down, ..] = at.as_coeffs();
    (right.hypot(up), left.hypot(down))
}

/// Guesses the em of a font of type 3, which may have any unit, from the widths of its letters.
fn type3_em(run: &GlyphRun<'_, '_>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for glyph in run.glyphs() {
        if let Glyph::Type3(drawn) = &**glyph {
            sum += f64::from(drawn.advance_width().unwrap_or(0.0));
            count += 1.0;
        }
    }
    if count > 0.0 { 1.9 * sum / count } else { 0.0 }
}
