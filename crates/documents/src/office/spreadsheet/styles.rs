//! Which number format each cell has.

use std::collections::HashMap;

use quick_xml::events::Event;
use recrawl_core::model::document::UnreadDocument;

use super::number_format::NumberFormat;
use crate::office::package::{GO_ON, Package, STOP};
use crate::office::xml::attribute;

/// More styles than Excel allows.
const MAX_STYLES: usize = 70_000;

/// A longer format is none.
const MAX_CODE: usize = 255;

/// The number formats of a workbook.
pub(super) struct Styles {
    formats: HashMap<u32, NumberFormat>,
    /// The format of each style.
    of_style: Vec<u32>,
    is_1904: bool,
}

impl Styles {
    /// Reads the styles of a workbook; without any, numbers are shown as they are.
    pub(super) fn read(package: &mut Package<'_>, is_1904: bool) -> Result<Self, UnreadDocument> {
        let mut codes: HashMap<u32, String> = HashMap::new();
        let mut of_style = Vec::new();
        let mut is_in_cells = false;
        package.read("xl/styles.xml", |event| {
            match event {
                Event::Start(element) | Event::Empty(element) => {
                    let number = |name| attribute(element, name).and_then(|number| number.parse().ok());
                    match element.local_name().as_ref() {
                        "numFmt" => {
                            let code = attribute(element, "formatCode").filter(|code| code.len() <= MAX_CODE);
                            if let (Some(id), Some(code)) = (number("numFmtId"), code) {
                                codes.insert(id, code);
                            }
                        }
                        "cellXfs" => is_in_cells = true,
                        "xf" if is_in_cells => of_style.push(number("numFmtId").unwrap_or(0)),
                        _ => {}
                    }
                }
                Event::End(element) if element.local_name().as_ref() == "cellXfs" => is_in_cells = false,
                _ => {}
            }
            if of_style.len() + codes.len() > MAX_STYLES { STOP } else { GO_ON }
        })?;
        let mut formats = HashMap::new();
        for id in &of_style {
            formats.entry(*id).or_insert_with(|| match codes.get(id) {
                Some(code) => NumberFormat::parse(code),
                None => NumberFormat::parse(built_in(*id)),
            });
        }
        Ok(Self { formats, of_style, is_1904 })
    }

    /// Returns a number as a person sees it in a cell of this style.
    pub(super) fn show(&self, style: usize, value: &str) -> String {
        let Ok(number) = value.parse::<f64>() else { return value.to_owned() };
        match self.of_style.get(style).and_then(|format| self.formats.get(format)) {
            Some(format) => format.show(number, self.is_1904),
            None => super::number_format::general(number),
        }
    }
}

/// Returns the formats that every workbook has.
fn built_in(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 => "0.00",
        3 | 37 | 38 => "#,##0",
        4 | 39 | 40 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        14 => "m/d/yyyy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "m/d/yyyy h:mm",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        _ => "General",
    }
}
