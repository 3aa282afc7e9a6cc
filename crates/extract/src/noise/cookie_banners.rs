//! Cookie banners: elements of the known tools that ask for consent.

use super::rule::Rule;

pub(super) const RULE: Rule = Rule {
    name: "cookie-banners",
    description: "Elements of the known tools that ask for consent to cookies.",
    elements: "onetrust-consent-sdk onetrust-banner-sdk onetrust-pc-sdk onetrust-pc-dark-filter \
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
        sp_message_container_* govuk-cookie-banner cookie-banner cookie-consent-banner gdpr-cookie-notice",
    ..Rule::NOTHING
};

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_keeps_names, assert_names};

    #[test]
    fn consent_tools_are_known_by_whole_words() {
        assert_names(
            NoiseRule::CookieBanners,
            &[
                "onetrust-banner-sdk",
                "CybotCookiebotDialogBody",
                "sliding-popup",
                "cc-window cc-banner cc-type-info",
                "box\n klaro",
            ],
        );
        assert_keeps_names(&[
            "cookie-recipes",
            "cookies",
            "my-cookie-banner",
            "cc",
            "cc-by-license",
            "klaro-",
            "policy-cookie-notices",
        ]);
    }
}
