//! Elements that are noise as a whole, known by their ids and classes.

use std::sync::LazyLock;

use super::{NoiseRule, NoiseRules};

/// What consent tools call their elements; a star stands for any ending.
const BANNERS: &str = "onetrust-consent-sdk onetrust-banner-sdk onetrust-pc-sdk onetrust-pc-dark-filter \
    optanon-alert-box-wrapper optanon-popup-bg \
    CybotCookiebotDialog* CookiebotWidget \
    cc-window cc-banner cc-revoke cc-main cc_div cookieconsent osano-cm-window osano-cm-dialog osano-cm-widget \
    cky-consent-container cky-consent-bar cky-overlay cky-modal cky-btn-revisit-wrapper \
    cookie-law-info-bar cookie-law-info-again cliSettingsPopup cli-modal-backdrop wt-cli-cookie-bar-container \
    qc-cmp2-container qc-cmp2-ui qc-cmp-ui-container \
    sliding-popup eu-cookie-compliance-banner eu-cookie-compliance-content eu-cookie-compliance-popup \
    eu-cookie-compliance-categories eu-cookie-withdraw-banner eu-cookie-withdraw-tab eu-cookie-withdraw-wrapper \
    cmplz-cookiebanner cmplz-cookiebanner-container cmplz-manage-consent cmplz-modal cmplz-soft-cookiewall \
    termly-code-snippet-support termly-consent-banner termly-styles-root \
    usercentrics-root usercentrics-cmp-ui usercentrics-button \
    didomi-host didomi-popup didomi-notice didomi-consent-popup \
    klaro truste-consent-track truste-consent-content truste_box_overlay truste_overlay consent_blackbar \
    cookie-notice cookie-notice-container moove_gdpr_cookie_info_bar moove_gdpr_cookie_modal \
    BorlabsCookieBox iubenda-cs-banner tarteaucitronRoot axeptio_overlay hs-eu-cookie-confirmation \
    sp_message_container_* govuk-cookie-banner cookie-banner cookie-consent-banner gdpr-cookie-notice";

/// What advertising networks and sites call the places of advertisements.
const ADS: &str = "adsbygoogle advertisement ad-slot ad-slot-* ad-container ad-wrapper ad-unit ad-placeholder \
    adslot dfp-ad dfp-ad-* div-gpt-ad* gpt-ad gpt-ad-* google_ads_iframe_* google-auto-placed \
    taboola taboola-* trc_related_container trc_rbox_container OUTBRAIN outbrain outbrain-* ob-widget \
    ezoic-ad ezoic-ad-* adthrive-ad mv-ad-box";

/// Tells whether elements of this name are never noise: they hold a whole page, and tools mark them with
/// words such as `eu-cookie-compliance-popup-open`.
pub(crate) fn is_exempt(element: &[u8]) -> bool {
    matches!(element, b"html" | b"head" | b"body" | b"main" | b"article")
}

/// Returns the rule that takes an element for noise by its id or by a word of its class.
pub(crate) fn noise_of_names(value: &str, rules: NoiseRules) -> Option<NoiseRule> {
    let known = &*KNOWN;
    value.split_ascii_whitespace().find_map(|word| known.rule_of(word)).filter(|rule| rules.contains(*rule))
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let named = |names: &'static str, rule| names.split_whitespace().map(move |name| (name, rule));
    Known::new(named(BANNERS, NoiseRule::CookieBanners).chain(named(ADS, NoiseRule::Ads)))
});

/// The names, so that most words are refused by one look.
struct Known {
    /// By first byte: bit n says that a name of n bytes, or a beginning of at most n, starts with it.
    lengths: [u64; 256],
    names: Vec<(&'static str, NoiseRule)>,
}

impl Known {
    fn new(names: impl Iterator<Item = (&'static str, NoiseRule)>) -> Self {
        let names: Vec<_> = names.collect();
        let mut lengths = [0; 256];
        for (name, _) in &names {
            let first = usize::from(name.as_bytes()[0]);
            match name.strip_suffix('*') {
                Some(start) => lengths[first] |= u64::MAX << start.len(),
                None => lengths[first] |= 1 << name.len(),
            }
        }
        Self { lengths, names }
    }

    fn may_know(&self, word: &[u8]) -> bool {
        let first = word.first().copied().unwrap_or_default();
        self.lengths[usize::from(first)] & (1 << word.len().min(63)) != 0
    }

    fn rule_of(&self, word: &str) -> Option<NoiseRule> {
        if !self.may_know(word.as_bytes()) {
            return None;
        }
        let is_meant = |name: &str| match name.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == name,
        };
        self.names.iter().find(|(name, _)| is_meant(name)).map(|(_, rule)| *rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(value: &str) -> Option<NoiseRule> {
        noise_of_names(value, NoiseRules::from(&NoiseRule::ALL.into_iter().collect()))
    }

    #[test]
    fn elements_are_known_by_whole_words() {
        for (value, rule) in [
            ("onetrust-banner-sdk", NoiseRule::CookieBanners),
            ("CybotCookiebotDialogBody", NoiseRule::CookieBanners),
            ("sliding-popup", NoiseRule::CookieBanners),
            ("cc-window cc-banner cc-type-info", NoiseRule::CookieBanners),
            ("box\n klaro", NoiseRule::CookieBanners),
            ("adsbygoogle", NoiseRule::Ads),
            ("sidebar ad-slot sticky", NoiseRule::Ads),
            ("div-gpt-ad-1699999999-0", NoiseRule::Ads),
            ("google_ads_iframe_/1234/home_0", NoiseRule::Ads),
            ("taboola-below-article-thumbnails", NoiseRule::Ads),
            ("OUTBRAIN", NoiseRule::Ads),
        ] {
            assert_eq!(noise(value), Some(rule), "{value}");
            assert_eq!(noise_of_names(value, NoiseRules::default()), None, "{value}");
        }
    }

    #[test]
    fn words_that_only_contain_such_a_name_stay() {
        for value in [
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
            "cookie-recipes",
            "cookies",
            "my-cookie-banner",
            "cc",
            "cc-by-license",
            "gpt",
            "klaro-",
            "policy-cookie-notices",
        ] {
            assert_eq!(noise(value), None, "{value}");
        }
    }

    #[test]
    fn what_holds_a_page_is_never_noise() {
        for name in ["html", "body", "main", "article"] {
            assert!(is_exempt(name.as_bytes()));
        }
        assert!(!is_exempt(b"div"));
    }
}
