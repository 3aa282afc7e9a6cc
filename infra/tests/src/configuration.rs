//! The blocks of a Terraform configuration, by their addresses.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use hcl::{Block, Body, Expression};

/// What the files of one directory declare.
#[derive(Debug, Default)]
pub struct Configuration {
    /// Variables by name.
    pub variables: BTreeMap<String, Body>,
    /// Local values by name.
    pub locals: BTreeMap<String, Expression>,
    /// Resources by type and name.
    pub resources: BTreeMap<(String, String), Body>,
    /// Data sources by type and name.
    pub data: BTreeMap<(String, String), Body>,
    /// Outputs by name.
    pub outputs: BTreeMap<String, Body>,
    /// Providers by name.
    pub providers: BTreeMap<String, Body>,
    /// The block `terraform`: versions.
    pub terraform: Option<Body>,
}

impl Configuration {
    /// Reads every `*.tf` of a directory.
    pub fn read(directory: &Path) -> Result<Self> {
        let mut configuration = Self::default();
        let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "tf") {
                let text = std::fs::read_to_string(&path)?;
                configuration.add(&text).with_context(|| path.display().to_string())?;
            }
        }
        Ok(configuration)
    }

    /// Reads one text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut configuration = Self::default();
        configuration.add(text)?;
        Ok(configuration)
    }

    fn add(&mut self, text: &str) -> Result<()> {
        let body = hcl::parse(text)?;
        if let Some(attribute) = body.attributes().next() {
            bail!("`{}` stands outside of a block", attribute.key());
        }
        body.into_blocks().try_for_each(|block| self.add_block(block))
    }

    fn add_block(&mut self, block: Block) -> Result<()> {
        let kind = block.identifier().to_owned();
        let labels: Vec<String> = block.labels().iter().map(|label| label.as_str().to_owned()).collect();
        let is_known = match (kind.as_str(), labels.as_slice()) {
            ("variable", [name]) => self.variables.insert(name.clone(), block.body).is_some(),
            ("output", [name]) => self.outputs.insert(name.clone(), block.body).is_some(),
            ("provider", [name]) => self.providers.insert(name.clone(), block.body).is_some(),
            ("resource", [of, name]) => {
                self.resources.insert((of.clone(), name.clone()), block.body).is_some()
            }
            ("data", [of, name]) => self.data.insert((of.clone(), name.clone()), block.body).is_some(),
            ("terraform", []) => self.terraform.replace(block.body).is_some(),
            ("locals", []) => {
                for attribute in block.body.into_attributes() {
                    let name = attribute.key().to_owned();
                    if self.locals.insert(name.clone(), attribute.expr).is_some() {
                        bail!("local.{name} is declared twice");
                    }
                }
                false
            }
            (_, _) => bail!("a block `{kind}` with {} labels is not known here", labels.len()),
        };
        if is_known {
            bail!("{kind} {} is declared twice", labels.join("."));
        }
        Ok(())
    }
}

/// Returns an attribute of a body.
pub fn attribute<'a>(body: &'a Body, name: &str) -> Option<&'a Expression> {
    body.attributes().find(|attribute| attribute.key() == name).map(hcl::Attribute::expr)
}

/// Returns the nested blocks of a name, static or dynamic, as what is inside of them.
pub fn blocks<'a>(body: &'a Body, name: &str) -> Vec<&'a Body> {
    body.blocks()
        .filter_map(|block| content(block))
        .filter(|(of, _)| *of == name)
        .map(|(_, body)| body)
        .collect()
}

/// Returns the name of a nested block and what is inside, looking through `dynamic`.
pub fn content(block: &Block) -> Option<(&str, &Body)> {
    if block.identifier() != "dynamic" {
        return Some((block.identifier(), block.body()));
    }
    let name = block.labels().first()?.as_str();
    let inner = block.body().blocks().find(|inner| inner.identifier() == "content")?;
    Some((name, inner.body()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_twice_is_refused() {
        for text in [
            "variable \"a\" {}\nvariable \"a\" {}",
            "locals { a = 1 }\nlocals { a = 2 }",
            "resource \"t\" \"a\" {}\nresource \"t\" \"a\" {}",
        ] {
            let error = Configuration::parse(text).unwrap_err().to_string();
            assert!(error.contains("declared twice"), "{text}: {error}");
        }
    }

    #[test]
    fn a_block_of_no_known_kind_is_refused() {
        assert!(Configuration::parse("resource \"t\" {}").is_err());
        assert!(Configuration::parse("resourse \"t\" \"a\" {}").is_err());
        assert!(Configuration::parse("stray = 1").is_err());
    }

    #[test]
    fn a_dynamic_block_counts_as_the_block_it_makes() {
        let body = hcl::parse("dynamic \"env\" {\n for_each = []\n content {\n name = 1\n }\n}").unwrap();
        let found = blocks(&body, "env");
        assert!(attribute(found[0], "name").is_some());
    }
}
