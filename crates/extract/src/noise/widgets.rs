//! Widgets that show the world as it is now: weather, share prices, and time that runs out.

use super::rule::{Removes, Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "widgets",
    description: "Widgets that show the world as it is now: the weather (\"18°C Cloudy\") and share prices (\"HRB $39.46 \
        ▼-0.03%\"), where that is all that a line, or a part of it between bars, says; countdowns (\"ends in 7h 26m 24s\"); \
        and elements of clocks, countdowns, tickers and weather, known by their id or by a whole word of their class.",
    text: &[
        TextRule {
            words_beside_digits: &["°", "º"],
            removes: Removes::Part,
            pattern: weather,
            unless: &["mon", "tue", "wed", "thu", "fri", "sat", "sun ", "sunday", "tomorrow", "tonight"],
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["▲", "▼", "△", "▽", "↑", "↓"],
            removes: Removes::Part,
            pattern: share_price,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &[
                "s in ",
                "s in:",
                "ing in ",
                "ing in:",
                "et in ",
                "et in:",
                "plus que",
                "noch",
                "quedan",
                " left",
                " remaining",
                "nt in ",
                " dans ",
                "a en ",
                "a em ",
                "a in ",
                "de in ",
                "ce in ",
                "a tra ",
                "e tra ",
                "digt over ",
                "countdown",
                "restan",
            ],
            pattern: countdown,
            ..TextRule::NOTHING
        },
        TextRule {
            words_beside_digits: &["sec", "sek", "segundo"],
            removes: Removes::Part,
            pattern: all_units,
            ..TextRule::NOTHING
        },
    ],
    elements: "countdown-timer is-countdown elementor-countdown-wrapper flip-clock-wrapper flipclock flipdown \
        current-date current-time todays-date today-date date-today live-clock live-date digital-clock server-time \
        weather-widget weatherwidget-io awesome-weather-wrap stock-ticker stock-ticker-widget ticker-tape \
        tradingview-widget-container",
    ..Rule::NOTHING
};

fn weather() -> String {
    let place = r"(?-i: (?u: \p{Lu} [\p{L}'.-]{1,20} ,? \x20 ){0,3} (?: : \x20 )? )";
    let label = r"(?: (?: (?:current|local|today(?:'|’)s) \x20 )? (?:weather|wetter|météo|meteo|tiempo) \x20? : \x20 )?";
    let sky_sign = r"(?: ☀ | ☁ | ⛅ | ⛈ | 🌤 | 🌥 | 🌦 | 🌧 | 🌨 | 🌩 | 🌫 | ❄ | 🌙 ) (?u:\x{fe0f})?";
    let degrees = r"(?: (?:-|–|−|\+)? [0-9]{1,3} \x20? (?:°|º) \x20? [cf]? )";
    let sky = r"(?: (?:partly|mostly|partially) \x20 (?:cloudy|sunny|clear) | sunny | clear (?:\x20sky)? | fair | cloudy
        | overcast (?:\x20clouds)? | (?:scattered|broken|few) \x20 clouds | (?:light\x20|heavy\x20)? (?:rain|snow|drizzle)
        | rainy | showers | snowy | fog | foggy | mist | misty | haze | hazy | windy | thunderstorms? | sleet
        | ensoleillé | nuageux | couvert | éclaircies | pluie | averses | brouillard | neige | ciel \x20 dégagé
        | sonnig | heiter | wolkig | bewölkt | bedeckt | regen | nebel | schnee | klar
        | soleado | (?:parcialmente\x20)? nublado | despejado | lluvia | niebla | sereno | soleggiato | nuvoloso | pioggia
        | zonnig | bewolkt | ensolarado | céu \x20 limpo | chuva )";
    format!(
        r"(?xi-u) ^ (?: {label} {place} (?: {degrees} (?: [,:] | \x20(?:-|–|/) )? \x20 {sky}
            | {sky} (?: [,:] | \x20(?:-|–|/) )? \x20 {degrees} )
            | {place} (?: {sky_sign} \x20? {degrees} | {degrees} \x20? {sky_sign} )
            | (?-i: (?u: \p{{Lu}} [\p{{L}}'.-]{{1,20}} \x20 ){{0,2}} (?u: \p{{Lu}} [\p{{L}}'.-]{{1,20}} ) , \x20 [A-Z]{{2}} ) :? \x20 {degrees}
            | current \x20 temperature :? \x20 {degrees} | (?:right\x20)? now :? \x20 {degrees} ) $"
    )
}

fn share_price() -> String {
    let symbol = r"(?-i: (?:[A-Z]{2,8}:\x20?)? [A-Z]{1,6} (?:[./-][A-Z]{1,6})? )";
    let number = r"[0-9]{1,7} (?:[.,][0-9]{1,4}){0,3}";
    let sign = r"(?: - | \+ | − )?";
    format!(
        r"(?xi-u) ^ {symbol} :? \x20 (?:\$|€|£|¥)? \x20? {number} (?:\x20? (?:usd|eur|gbp|gbx|chf|€|£))? \x20
        \(? (?:▲|▼|△|▽|↑|↓) \x20? {sign} {number} \x20? %? (?:\x20? \(? {sign} {number} \x20? % \)?)? \)? $"
    )
}

// The units of time that runs out.
const DAYS: &str = r"(?: [0-9]{1,3} \x20? (?:d|days?|j|jours?|tage?n?|d(?:i|í)as?|giorn[oi]|dag(?:en)?) \b )";
const HOURS: &str =
    r"(?: [0-9]{1,3} \x20? (?:h|hours?|hrs?|heures?|std\.?|stunden?|horas?|or[ae]|uur|uren) )";
const MINUTES: &str = r"(?: [0-9]{1,2} \x20? (?:m|mins?|minutes?|minuten?|minut[oi]s?|minuut) \b )";
const SECONDS: &str = r"(?: [0-9]{1,2} \x20? (?:s|secs?|seconds?|secondes?|sek\.?|sekunden?|segundos?|second[oi]|seconden?) \b )";
const AND: &str = r"(?: [\x20,:]{0,3} (?: (?:and|et|und|y|e|en) \x20 )? )";

fn countdown() -> String {
    // Hours with minutes, or days with hours: whole days and weeks are also terms of a contract.
    let rest = format!(
        r"(?: (?: {DAYS} {AND} )? {HOURS} {AND} {MINUTES} (?: {AND} {SECONDS} )?
            | (?: {DAYS} {AND} | [0-9]{{1,3}}: )? [0-9]{{1,3}}:[0-9]{{2}}:[0-9]{{2}} )"
    );
    format!(
        r"(?xi-u) (?P<keep> \b (?:
            (?: (?:ends|starts|begins|closes|expires|opens|launches|(?:end|start|beginn|clos|expir|open|launch)ing|endet|startet)
                    \x20 in
                | time \x20 (?:left|remaining) | countdown | temps \x20 restant | tiempo \x20 restante
                | plus \x20 que | noch | quedan ) \x20? :?
            | beginnt \x20 in | (?:se\x20termine|finit|prend\x20fin|commence|débute|ouvre|expire) \x20 dans
            | (?:termina|acaba|finaliza|empieza|comienza|expira) \x20 en | (?:termina|acaba|começa|expira) \x20 em
            | (?:termina|scade|inizia|finisce) \x20 (?:in|tra) | eindigt \x20 over ) \x20 ) (?: {rest} | {DAYS} {AND} {HOURS} \b )
        | \b {rest} (?P<rest> \x20 (?:left|remaining) \b )"
    )
}

/// Days, hours, minutes and seconds, one behind the other: a clock that runs backwards.
fn all_units() -> String {
    let seconds = r"(?: [0-9]{1,2} \x20? (?:secs?|seconds?|secondes?|sek\.?|sekunden?|segundos?|second[oi]|seconden?) )";
    format!(r"(?xi-u) ^ {DAYS} {AND} {HOURS} {AND} {MINUTES} {AND} {seconds} $")
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps, assert_keeps_names, assert_names};

    #[test]
    fn weather_and_share_prices_vanish() {
        assert_cleans(
            NoiseRule::Widgets,
            &[
                ("18°C Cloudy", ""),
                ("Partly cloudy, 64 °F", ""),
                ("Old Harbor 18° Light rain", ""),
                ("Home | 64°F Sunny | Contact", "Home | Contact"),
                ("-3°C, Schnee", ""),
                ("Nuageux 12 °C", ""),
                ("HRB $39.46 ▼-0.03%", ""),
                ("NYSE: HRB 39.46 ▲ 1.20 (3.1%)", ""),
                ("Weather: 18°C, cloudy", ""),
                ("Paris : 12°C, nuageux", ""),
                ("☀ 18°", ""),
                ("Portland, OR 54°F", ""),
                ("Home | Now 64°F | Contact", "Home | Contact"),
                ("Current temperature: 64°F", ""),
            ],
        );
        assert_keeps(&[
            "18°C",
            "Store at 5°C",
            "Water temperature: 9°C",
            "Portland 54°F",
            "Oven, XL 240°C hot",
            "Now 64°F is enough",
            "Monday Sunny 64°F",
            "Saturday: cloudy, 18°C",
            "Bake at 180°C for 20 minutes",
            "Clear 12 items",
            "Cloudy apple juice 18%",
            "The rate rose to 5.25 (+0.25%)",
            "Sales 39.46 (3%)",
            "Turnout ▲ 3%",
            "HRB $39.46",
            "Save 15% (3%)",
        ]);
    }

    #[test]
    fn time_that_runs_out_vanishes() {
        assert_cleans(
            NoiseRule::Widgets,
            &[
                ("The fair ends in 7h 26m 24s.", "The fair ends in ."),
                ("Offer ends in 02:14:33", "Offer ends in"),
                ("Starts in: 3 days, 4 hours, 12 minutes and 5 seconds", "Starts in:"),
                ("⏱ Plus que 0J 0H 0M 0S", "⏱ Plus que"),
                ("2d 3h 4m left to register", "left to register"),
                ("Noch 3 Tage 4 Stunden 12 Minuten", "Noch"),
                ("Sale ends in 2 days 14:33:10", "Sale ends in"),
                ("Offer ends in 2 days, 3 hours", "Offer ends in"),
                ("Endet in 2 Tagen 14 Stunden 33 Minuten", "Endet in"),
                ("Se termine dans 2 j 14 h 33 min", "Se termine dans"),
                ("Termina en 2 días 14 horas 33 minutos", "Termina en"),
                ("Termina in 14:33:10", "Termina in"),
                ("Time left: 14:33:10", "Time left:"),
                ("Only 2 days 14:33:10 left", "Only left"),
                ("Countdown: 14:33:10", "Countdown:"),
                ("02 days 14 hours 33 minutes 10 seconds", ""),
                ("2 Tage, 14 Stunden, 33 Minuten und 10 Sekunden", ""),
            ],
        );
        assert_keeps(&[
            "Your trial ends in 30 days",
            "Registration closes in 2 weeks",
            "Das Abo endet in 30 Tagen",
            "L'essai se termine dans 2 jours",
            "Il arrive dans 2 h 30 min",
            "14 hours 33 minutes 10 seconds",
            "The strike lasted 2 days 14 hours 33 minutes 10 seconds",
            "The race was won in 2h 14m 33s",
            "Opens in 2027",
            "Parking for 2 hours 30 minutes",
            "12 days left",
        ]);
    }

    #[test]
    fn widgets_are_known_by_whole_words() {
        assert_names(
            NoiseRule::Widgets,
            &[
                "live-clock",
                "header-item current-date",
                "tradingview-widget-container",
                "countdown-timer big",
            ],
        );
        assert_keeps_names(&["clock", "date", "countdown", "weather", "event-date", "ticker", "time"]);
    }
}
