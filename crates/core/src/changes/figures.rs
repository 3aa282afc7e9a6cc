//! Lines whose figures are what watchers came for, whatever else changes by itself.

/// Words that make the figures of a line news for ever, in the languages of most sites, in lower case.
const PROTECTED: [&str; 84] = [
    "effective",
    "revised",
    "deadline",
    "due",
    "until",
    "fee",
    "fees",
    "price",
    "prices",
    "rate",
    "rates",
    "total",
    "cost",
    "costs",
    "charge",
    "tax",
    "salary",
    "budget",
    "amount",
    "balance",
    "expires",
    "expiry",
    "valid",
    "closes",
    "closing",
    "opens",
    "opening",
    "starts",
    "begins",
    "ends",
    "amended",
    "adopted",
    "meeting",
    "hearing",
    "election",
    "population",
    "limit",
    "minimum",
    "maximum",
    "quorum",
    "penalty",
    "fine",
    // German
    "g\u{fc}ltig",
    "frist",
    "bis",
    "geb\u{fc}hr",
    "geb\u{fc}hren",
    "preis",
    "preise",
    "summe",
    "gesamt",
    "stichtag",
    "beitrag",
    "kosten",
    // French
    "tarif",
    "tarifs",
    "prix",
    "\u{e9}ch\u{e9}ance",
    "jusqu'au",
    "montant",
    "frais",
    "co\u{fb}t",
    "vigueur",
    // Spanish, Portuguese
    "precio",
    "precios",
    "tarifa",
    "tarifas",
    "plazo",
    "hasta",
    "importe",
    "vigente",
    "pre\u{e7}o",
    "prazo",
    "valor",
    // Italian, Dutch, Polish, Swedish
    "prezzo",
    "prezzi",
    "scadenza",
    "importo",
    "prijs",
    "tarieven",
    "geldig",
    "cena",
    "op\u{142}ata",
    "pris",
];

/// Tells whether the figures of a line are never noise.
pub(super) fn are_protected(line: &str) -> bool {
    let line = line.to_lowercase();
    line.split(|character: char| !character.is_alphanumeric() && character != '\'')
        .any(|word| PROTECTED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_watchers_came_for_are_protected() {
        for line in ["Fee: $4.10", "Valid UNTIL 3 May", "Frist: 12.3.", "Prix 3 \u{20ac}", "Total 4,310,000"]
        {
            assert!(are_protected(line), "{line}");
        }
        for line in ["Page built 3 May", "12 people are here", "Feedback 5", "dues"] {
            assert!(!are_protected(line), "{line}");
        }
    }
}
