//! The years of a copyright, which are written anew every January.

use super::rule::{Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "years",
    description: "The years of a copyright: \"© 2026\", \"Copyright 2019-2026\", \"© Harbor Office 2026\". The rest of the \
        line stays, and so do the years of everything else that it says.",
    text: &[
        TextRule {
            words_beside_digits: &["©", "℗", "(c) 1", "(c) 2", "(c)1", "(c)2", "copyright", "copyleft"],
            pattern: beside_mark,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &[
                "rights reserved",
                "droits réservés",
                "rechte vorbehalten",
                "derechos reservados",
                "direitos reservados",
                "diritti riservati",
                "rechten voorbehouden",
            ],
            pattern: behind_rights,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["©", "℗"],
            pattern: behind_owner,
            unless: &DATED,
            ..TextRule::NOTHING
        },
    ],
    ..Rule::NOTHING
};

/// One year, several, or a range, of which the last may be written with two digits.
const YEARS: &str = r"(?: (?:19|20)[0-9]{2}
    (?: (?: \x20? (?:-|–|—|−|,|/|~|&) \x20? | \x20 (?:and|et|und|y|e|to|bis|à|al) \x20 )
        (?:(?:19|20)[0-9]{2}|[0-9]{2}|present) \b )* )";

fn beside_mark() -> String {
    format!(
        r"(?xi-u)
        (?P<keep>
            (?: (?: \b copy(?:right|left) | © | ℗ ) (?: \x20? (?: © | ℗ | \([cpr]\) | [:.,] | by ) )* | \(c\) ) \x20? )
            {YEARS} \b
        | \b {YEARS} (?P<rest> \x20? (?:©|℗) )"
    )
}

/// The owner stands between the sign and the years, and nothing else does.
fn behind_owner() -> String {
    format!(
        r"(?xi-u)
        (?P<keep> (?:©|℗) (?u:[^0-9|·•:;!?©℗]){{2,60}}? [\x20,(] ) {YEARS}
        (?P<rest> \)? (?: [.,)] | \x20? $ | \x20 (?: [|(] | - | – | — | · | • ) ) )"
    )
}

/// The rights are reserved, and then nothing follows but the years.
fn behind_rights() -> String {
    format!(
        r"(?xi-u)
        (?P<keep> \b (?: all \x20 rights \x20 reserved | tous \x20 droits \x20 réservés | alle \x20 rechte \x20 vorbehalten
            | todos \x20 (?:los|os) \x20 (?:derechos|direitos) \x20 reservados | tutti \x20 i \x20 diritti \x20 riservati
            | alle \x20 rechten \x20 voorbehouden ) (?: \x20? (?:[.,:-]|–|—) )? \x20 \(? )
        {YEARS} (?P<rest> \)? \.? (?: $ | \x20 (?:\||·|•) ) )"
    )
}

/// What else a line can tell behind the owner: a year with one of these is part of a date or says when something began.
const DATED: [&str; 70] = [
    // Spanish and Portuguese write "marzo de 2026".
    " de 2",
    " of 2",
    " january 2",
    " february 2",
    " march 2",
    " april 2",
    " may 2",
    " june 2",
    " july 2",
    " august 2",
    " september 2",
    " october 2",
    " november 2",
    " december 2",
    " jan 2",
    " feb 2",
    " mar 2",
    " apr 2",
    " jun 2",
    " jul 2",
    " aug 2",
    " sep 2",
    " oct 2",
    " nov 2",
    " dec 2",
    " janvier 2",
    " février 2",
    " mars 2",
    " avril 2",
    " mai 2",
    " juin 2",
    " juillet 2",
    " août 2",
    " septembre 2",
    " octobre 2",
    " novembre 2",
    " décembre 2",
    " januar 2",
    " februar 2",
    " märz 2",
    " juni 2",
    " juli 2",
    " oktober 2",
    " dezember 2",
    " gennaio 2",
    " febbraio 2",
    " marzo 2",
    " aprile 2",
    " maggio 2",
    " giugno 2",
    " luglio 2",
    " agosto 2",
    " settembre 2",
    " ottobre 2",
    " dicembre 2",
    " spring 2",
    " summer 2",
    " autumn 2",
    " winter 2",
    "effective",
    "updated",
    "revised",
    "since",
    "until",
    "valid",
    "version",
    "amended",
    "mise à jour",
    "vigueur",
    "gültig",
];

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn the_years_of_a_copyright_vanish() {
        assert_cleans(
            NoiseRule::Years,
            &[
                ("© 2026 Harbor Office", "© Harbor Office"),
                ("©2026 Harbor Office", "© Harbor Office"),
                ("© 2013–2026 Harbor Office, a nonprofit.", "© Harbor Office, a nonprofit."),
                ("Copyright © 1999-2026 Harbor Office", "Copyright © Harbor Office"),
                ("Copyright (c) 2019, 2021, 2026 by J. Lind", "Copyright (c) by J. Lind"),
                ("COPYRIGHT 2026 HARBOR OFFICE", "COPYRIGHT HARBOR OFFICE"),
                ("Copyright. All rights reserved © 1998—2026", "Copyright. All rights reserved ©"),
                ("© Copyright 2026. All rights reserved.", "© Copyright . All rights reserved."),
                ("© 2019-26 Harbor Office", "© Harbor Office"),
                ("2026 © Harbor Office", "© Harbor Office"),
                ("Library © 2026", "Library ©"),
                (
                    "Market Gazette © 2026 River Press Ltd. All rights reserved",
                    "Market Gazette © River Press Ltd. All rights reserved",
                ),
                ("© Harbor Office 2026", "© Harbor Office"),
                (
                    "© Harbor Office, Inc. 2019 - 2026. Tous droits réservés",
                    "© Harbor Office, Inc. . Tous droits réservés",
                ),
                (
                    "Prices with taxes © Shop.example 2026 - Legal notice",
                    "Prices with taxes © Shop.example - Legal notice",
                ),
                ("Contact | © The Bakery, 2026 | Help", "Contact | © The Bakery, | Help"),
                ("© 2026 River Press. Terms of May 2025", "© River Press. Terms of May 2025"),
                ("© 2026 株式会社みなと", "© 株式会社みなと"),
                ("All rights reserved 2026.", "All rights reserved ."),
                ("Harbor Office. Tous droits réservés, 2019-2026", "Harbor Office. Tous droits réservés,"),
                ("Alle Rechte vorbehalten 2026 | Kontakt", "Alle Rechte vorbehalten | Kontakt"),
            ],
        );
    }

    #[test]
    fn years_of_anything_else_stay() {
        assert_keeps(&[
            "Copyright Act 1976",
            "The Copyright, Designs and Patents Act 1988",
            "Copyright law changed in 2026",
            "Budget 2026",
            "All rights reserved. Terms of May 2026",
            "All rights reserved 2026 members",
            "No rights are reserved before 2026",
            "© Harbor Office. Effective January 2026",
            "© Harbor Office. Prices valid through 2026.",
            "© Harbor Office, March 2026",
            "© Ann Lee, mars 2026",
            "© Ann Lee, marzo de 2026",
            "© Harbor Office. Serving boats since 1998.",
            "(c) the annual report for 2026",
            "(c) 12 months from the date",
            "© Harbor Office, 12 Dock Street, 97203",
            "© Harbor Office: the 2026 tables",
            "Founded 1931",
            "1998-2026",
        ]);
    }
}
