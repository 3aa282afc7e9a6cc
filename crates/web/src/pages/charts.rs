//! Charts, drawn as SVG without a script. Each has its figures in a table beside it.

use maud::{Markup, html};

use super::layout::scrolled;

/// One bar: its name, and its parts from the bottom up.
pub(super) struct Bar {
    /// What it is of.
    pub(super) name: String,
    /// The size of each part, in the order of the chart's series.
    pub(super) parts: Vec<u64>,
}

/// A chart of bars with parts.
pub(super) struct Bars<'a> {
    /// What it shows.
    pub(super) title: &'a str,
    /// The names of the parts, each with its class.
    pub(super) series: &'a [(&'a str, &'a str)],
    /// The bars, from left to right.
    pub(super) columns: Vec<Bar>,
    /// Writes a size.
    pub(super) written: fn(u64) -> String,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;

/// Returns a chart with its legend and its figures.
pub(super) fn bars(chart: &Bars<'_>) -> Markup {
    let largest = chart.columns.iter().map(|bar| bar.parts.iter().sum::<u64>()).max().unwrap_or(0);
    let top = round_up(largest);
    html! {
        figure.chart {
            figcaption { (chart.title) }
            (legend(chart.series))
            @if largest == 0 { p.muted { "Nothing so far." } } @else { (drawn(chart, top)) }
            details {
                summary { "Figures" }
                (scrolled(chart.title, &figures(chart)))
            }
        }
    }
}

fn figures(chart: &Bars<'_>) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "When" }
                    @for (name, _) in chart.series { th.figure scope="col" { (name) } }
                }
            }
            tbody {
                @for bar in chart.columns.iter().rev() {
                    tr {
                        th scope="row" { (bar.name) }
                        @for part in &bar.parts { td.figure { ((chart.written)(*part)) } }
                    }
                }
            }
        }
    }
}

fn legend(series: &[(&str, &str)]) -> Markup {
    html! {
        ul.legend {
            @for (name, class) in series {
                li { span class=(format!("key {class}")) aria-hidden="true" {} (name) }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a picture has fewer than 2^52 points")]
fn drawn(chart: &Bars<'_>, top: u64) -> Markup {
    let area = HEIGHT - TOP - BOTTOM;
    let step = (WIDTH - LEFT) / (chart.columns.len().max(6)) as f64;
    let width = (step * 0.7).min(48.0);
    let height = |size: u64| size as f64 / top as f64 * area;
    // Names of bars need about 70 points each.
    let every = (1_u32..=70).find(|every| f64::from(*every) * step >= 70.0).unwrap_or(1);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img"
            aria-label=(format!("{}: figures below", chart.title)) {
            @for share in [0_u64, 1, 2] {
                @let y = TOP + area - height(top * share / 2);
                line.grid x1=(LEFT) x2=(WIDTH) y1=(point(y)) y2=(point(y)) {}
                text.axis x=(LEFT - 6.0) y=(point(y + 4.0)) text-anchor="end" {
                    ((chart.written)(top * share / 2))
                }
            }
            @for (place, bar) in chart.columns.iter().enumerate() {
                @let x = LEFT + step * place as f64 + (step - width) / 2.0;
                g {
                    title {
                        (bar.name) @for ((name, _), part) in chart.series.iter().zip(&bar.parts) {
                            ", " (name) " " ((chart.written)(*part))
                        }
                    }
                    @for ((_, class), (below, part)) in chart.series.iter().zip(stacked(&bar.parts)) {
                        @if part > 0 {
                            rect class=(class) x=(point(x)) width=(point(width))
                                y=(point(TOP + area - height(below + part)))
                                height=(point(height(part).max(1.0))) {}
                        }
                    }
                }
                @if (chart.columns.len() - 1 - place).is_multiple_of(every as usize) {
                    text.axis x=(point(x + width / 2.0)) y=(HEIGHT - 6.0) text-anchor="middle" { (bar.name) }
                }
            }
        }
    }
}

fn stacked(parts: &[u64]) -> Vec<(u64, u64)> {
    let mut below = 0;
    let mut stacked = Vec::new();
    for part in parts {
        stacked.push((below, *part));
        below += part;
    }
    stacked
}

fn point(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns the next number that has one digit and is even before its zeros, so that its half is round, too.
fn round_up(number: u64) -> u64 {
    let mut unit = 1_u64;
    loop {
        for digit in [2, 4, 6, 8, 10] {
            if digit * unit >= number {
                return digit * unit;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Returns one bar whose parts are shares of a whole, with their figures as a list.
#[expect(clippy::cast_precision_loss, reason = "a picture has fewer than 2^52 points")]
pub(super) fn shares(title: &str, parts: &[(String, u64, &str)]) -> Markup {
    let whole: u64 = parts.iter().map(|(_, size, _)| size).sum();
    let sizes: Vec<u64> = parts.iter().map(|(_, size, _)| *size).collect();
    let width = |size: u64| size as f64 / whole.max(1) as f64 * WIDTH;
    html! {
        figure.chart {
            figcaption { (title) }
            @if whole > 0 {
                svg.share viewBox=(format!("0 0 {WIDTH} 24")) preserveAspectRatio="none" role="img"
                    aria-label=(format!("{title}: figures below")) {
                    @for ((name, size, class), (before, _)) in parts.iter().zip(stacked(&sizes)) {
                        rect class=(class) x=(point(width(before))) y="0" height="24"
                            width=(point(width(*size).max(1.0))) {
                            title { (name) ": " (size) }
                        }
                    }
                }
            }
            ul.legend {
                @for (name, size, class) in parts {
                    li {
                        span class=(format!("key {class}")) aria-hidden="true" {}
                        (name) " " strong { (crate::words::number(*size)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers_whose_halves_are_round() {
        for (number, expected) in
            [(0, 2), (1, 2), (3, 4), (9, 10), (11, 20), (21, 40), (99, 100), (101, 200), (3500, 4000)]
        {
            assert_eq!(round_up(number), expected, "{number}");
        }
        assert!(round_up(u64::MAX / 20) > 0);
    }
}
