//! Servers that measure or advertise.

use crate::text::NoiseRule;

/// Services that measure visitors by pixels and frames; a star stands for any server under the name.
const MEASURE: [&str; 21] = [
    "www.googletagmanager.com",
    "www.google-analytics.com",
    "ssl.google-analytics.com",
    "stats.g.doubleclick.net",
    "bat.bing.com",
    "px.ads.linkedin.com",
    "analytics.twitter.com",
    "ct.pinterest.com",
    "tr.snapchat.com",
    "pixel.wp.com",
    "stats.wp.com",
    "pixel.quantserve.com",
    "sb.scorecardresearch.com",
    "b.scorecardresearch.com",
    "c.statcounter.com",
    "mc.yandex.ru",
    "*.nr-data.net",
    "*.newrelic.com",
    "*.hotjar.com",
    "*.clarity.ms",
    "*.siteimproveanalytics.io",
];

/// Services that place advertisements.
const ADVERTISE: [&str; 7] = [
    "*.doubleclick.net",
    "*.googlesyndication.com",
    "*.googleadservices.com",
    "*.amazon-adsystem.com",
    "*.taboola.com",
    "*.outbrain.com",
    "*.adnxs.com",
];

/// Returns the rule by which an address on this host is noise.
pub(super) fn rule_of(host: &str, path: &str, query: Option<&str>) -> Option<NoiseRule> {
    let is_in = |names: &[&str]| names.iter().any(|name| is_meant(name, host));
    let is_pixel = query.is_some()
        && (path.ends_with("/matomo.php")
            || path.ends_with("/piwik.php")
            || (path == "/tr" && host == "www.facebook.com"));
    if is_pixel || is_in(&MEASURE) {
        return Some(NoiseRule::Monitoring);
    }
    is_in(&ADVERTISE).then_some(NoiseRule::Ads)
}

fn is_meant(name: &str, host: &str) -> bool {
    match name.strip_prefix('*') {
        Some(end) => host.ends_with(end),
        None => host == name,
    }
}
