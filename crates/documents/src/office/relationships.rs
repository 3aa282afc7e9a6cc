//! Which part of a file is meant by an id, and where its links lead.

use std::collections::HashMap;

use quick_xml::events::Event;
use recrawl_core::model::document::UnreadDocument;

use super::package::{GO_ON, Package, STOP};
use super::xml::attribute;
use crate::links::Links;

/// More have no use.
const MAX_RELATIONSHIPS: usize = 100_000;

/// What the ids of a part mean.
#[derive(Default)]
pub(super) struct Relationships {
    targets: HashMap<String, Target>,
}

struct Target {
    /// The last word of its type, such as `hyperlink`.
    kind: String,
    path: String,
}

impl Relationships {
    /// Reads what the ids of the part at `path` mean, and adds its links.
    pub(super) fn of(
        package: &mut Package<'_>,
        path: &str,
        links: &mut Links,
    ) -> Result<Self, UnreadDocument> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut targets = HashMap::new();
        package.read(&format!("{folder}/_rels/{name}.rels"), |event| {
            let (Event::Start(element) | Event::Empty(element)) = event else { return GO_ON };
            if element.local_name().as_ref() != "Relationship" {
                return GO_ON;
            }
            let [id, kind, target] =
                ["Id", "Type", "Target"].map(|name| attribute(element, name).unwrap_or_default());
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            if kind == "hyperlink" {
                links.push(&target);
            } else if targets.len() < MAX_RELATIONSHIPS {
                targets.insert(id, Target { kind, path: resolve(folder, &target) });
            } else {
                return STOP;
            }
            GO_ON
        })?;
        Ok(Self { targets })
    }

    /// Returns the path of the part that an id means.
    pub(super) fn path(&self, id: &str) -> Option<&str> {
        self.targets.get(id).map(|target| target.path.as_str())
    }

    /// Returns the path of a part of this kind, such as `notesSlide`.
    pub(super) fn of_kind(&self, kind: &str) -> Option<&str> {
        self.targets.values().find(|target| target.kind == kind).map(|target| target.path.as_str())
    }
}

/// Returns the path of a target that is written in a part of this folder.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved() {
        for (folder, target, expected) in [
            ("word", "media/a.png", "word/media/a.png"),
            ("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml"),
            ("xl", "/xl/worksheets/s.xml", "xl/worksheets/s.xml"),
            ("", "../../x", "x"),
        ] {
            assert_eq!(resolve(folder, target), expected);
        }
    }
}
