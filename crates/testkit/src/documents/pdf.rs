//! A writer of PDF files: lines of text at places, as programs write them.

#![expect(clippy::format_push_string, reason = "the files of tests are short")]

/// A PDF under way.
#[derive(Debug, Clone, Default)]
pub struct Pdf {
    /// Its pages.
    pub pages: Vec<PdfPage>,
    /// Its title.
    pub title: Option<String>,
    /// Who made it, when, and under which id: another export has others.
    pub export: u32,
    /// Where its links lead; they stand on the first page.
    pub links: Vec<String>,
}

/// A page: lines from its top to its bottom.
#[derive(Debug, Clone, Default)]
pub struct PdfPage {
    /// What stands at its top.
    pub header: Option<String>,
    /// The lines, of which empty ones are gaps.
    pub lines: Vec<String>,
    /// What stands at its bottom.
    pub footer: Option<String>,
}

/// How many letters a line has at most.
const WIDTH: usize = 80;

/// How many lines a page has at most.
const HEIGHT: usize = 45;

impl Pdf {
    /// Makes a document of paragraphs: broken into lines and pages as a word processor does, with a number on each page.
    pub fn of_paragraphs(header: &str, paragraphs: &[&str]) -> Self {
        let mut lines: Vec<String> = Vec::new();
        for paragraph in paragraphs {
            let mut line = String::new();
            for word in paragraph.split_whitespace() {
                if !line.is_empty() && line.len() + 1 + word.len() > WIDTH {
                    lines.push(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            lines.push(line);
            lines.push(String::new());
        }
        let pages = lines.chunks(HEIGHT).enumerate().map(|(number, lines)| PdfPage {
            header: Some(header.to_owned()),
            lines: lines.to_vec(),
            footer: Some(format!("Page {} of {}", number + 1, 1)),
        });
        let mut pages: Vec<PdfPage> = pages.collect();
        let count = pages.len();
        for (number, page) in pages.iter_mut().enumerate() {
            page.footer = Some(format!("Page {} of {count}", number + 1));
        }
        Self { pages, ..Self::default() }
    }

    /// Writes the file.
    pub fn write(&self) -> Vec<u8> {
        let mut objects: Vec<String> = Vec::new();
        let page_objects: Vec<usize> = (0..self.pages.len()).map(|number| 5 + 2 * number).collect();
        let kids: Vec<String> = page_objects.iter().map(|number| format!("{number} 0 R")).collect();
        objects.push("<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>".to_owned());
        objects.push(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()));
        // Fixed width: what a line takes follows from its letters.
        objects.push(
            "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".to_owned(),
        );
        let title =
            self.title.as_deref().map_or_else(String::new, |title| format!("/Title ({})", escaped(title)));
        let export = self.export;
        objects.push(format!(
            "<< {title} /Producer (Exporter {export}.2) /CreationDate (D:202611{:02}120000Z) >>",
            1 + export % 28
        ));
        for (number, page) in self.pages.iter().enumerate() {
            let content = page.content();
            let links = if number == 0 { self.annotations() } else { String::new() };
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> \
                 /Contents {} 0 R {links} >>",
                page_objects[number] + 1
            ));
            objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
        }
        write_objects(&objects, export)
    }

    fn annotations(&self) -> String {
        let links = self.links.iter().map(|link| {
            format!(
                "<< /Type /Annot /Subtype /Link /Rect [50 50 90 60] /A << /S /URI /URI ({}) >> >>",
                escaped(link)
            )
        });
        format!("/Annots [{}]", links.collect::<Vec<_>>().join(" "))
    }
}

impl PdfPage {
    fn content(&self) -> String {
        let mut content = String::new();
        let mut write = |text: &str, height: usize| {
            content.push_str(&format!("BT /F1 10 Tf 1 0 0 1 57 {height} Tm ({}) Tj ET\n", escaped(text)));
        };
        if let Some(header) = &self.header {
            write(header, 800);
        }
        for (number, line) in self.lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            write(line, 770 - 15 * number);
        }
        if let Some(footer) = &self.footer {
            write(footer, 40);
        }
        content
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

/// Writes objects, numbered from 1, with what leads to them: the first is the catalogue, the fourth says what it is.
pub(super) fn write_objects(objects: &[String], export: u32) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).into_bytes());
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let info = if objects.len() > 3 { "/Info 4 0 R" } else { "" };
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R {info} /ID [<{export:032x}> <{export:032x}>] >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    file.extend(trailer.into_bytes());
    file
}
