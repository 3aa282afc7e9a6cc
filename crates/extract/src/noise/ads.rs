//! Advertisements: elements in which they are placed, and addresses of the networks that place them.

use super::rule::Rule;

pub(super) const RULE: Rule = Rule {
    name: "ads",
    description: "Elements in which advertisements are placed, known by their id or by a whole word of their class, and \
        addresses of the networks that place them.",
    elements: "adsbygoogle advertisement ad-slot ad-slot-* ad-container ad-wrapper ad-unit ad-placeholder \
        adslot dfp-ad dfp-ad-* div-gpt-ad* gpt-ad gpt-ad-* google_ads_iframe_* google-auto-placed \
        taboola taboola-* trc_related_container trc_rbox_container OUTBRAIN outbrain outbrain-* ob-widget \
        ezoic-ad ezoic-ad-* adthrive-ad mv-ad-box",
    element_marks: &["data-ad-slot"],
    servers: &[
        "*.doubleclick.net",
        "*.googlesyndication.com",
        "*.googleadservices.com",
        "*.amazon-adsystem.com",
        "*.taboola.com",
        "*.outbrain.com",
        "*.adnxs.com",
    ],
    ..Rule::NOTHING
};

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_keeps_links, assert_keeps_names, assert_names, assert_reduces_link};

    #[test]
    fn elements_of_advertisements_are_known_by_whole_words() {
        assert_names(
            NoiseRule::Ads,
            &[
                "adsbygoogle",
                "sidebar ad-slot sticky",
                "div-gpt-ad-1699999999-0",
                "google_ads_iframe_/1234/home_0",
                "taboola-below-article-thumbnails",
                "OUTBRAIN",
            ],
        );
        assert_keeps_names(&[
            "",
            "header",
            "site-header address badge gradient road",
            "ad",
            "ads",
            "download",
            "ad-hoc-committee",
            "advertisements-for-bids",
            "upload-container",
            "lead-container",
            "thread-slot",
            "gpt",
        ]);
    }

    #[test]
    fn addresses_of_advertising_networks_do_not_count() {
        let frame = "https://googleads.g.doubleclick.net/pagead/ads?client=ca-pub-1";
        assert_reduces_link(NoiseRule::Ads, &[(frame, "")]);
        assert_keeps_links(&["https://notdoubleclick.net/"]);
    }
}
