//! Attributes that change by themselves, where a user has them count as text.

use super::{NoiseRule, NoiseRules};

/// Names of inputs that carry a token drawn anew for every answer, in lower case.
const TOKEN_INPUTS: [&str; 23] = [
    "__eventvalidation",
    "__requestdigest",
    "__requestverificationtoken",
    "__viewstate",
    "__viewstategenerator",
    "_token",
    "_wpnonce",
    "antibot_key",
    "authenticity_token",
    "captcha_sid",
    "captcha_token",
    "form_build_id",
    "form_key",
    "form_token",
    "honeypot_time",
    "nonce",
    "request_token",
    "requestverificationtoken",
    "security_token",
    "sesskey",
    "state_token",
    "verification_token",
    "wpnonce",
];

/// Tells whether an input of this name carries a token.
///
/// Besides the known names these are all that speak of request forgery or end in «nonce», and the 32
/// hexadecimal digits by which Joomla names its own.
pub(crate) fn is_token_name(name: &str) -> bool {
    let name = name.trim_ascii().to_ascii_lowercase();
    TOKEN_INPUTS.contains(&name.as_str())
        || name.contains("csrf")
        || name.contains("xsrf")
        || name.ends_with("_nonce")
        || name.ends_with("-nonce")
        || (name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Tells whether an attribute of this name, which is in lower case, is noise wherever it stands.
pub(crate) fn is_noisy_attribute(name: &str, rules: NoiseRules) -> bool {
    let measures = name.starts_with("data-newrelic") || name.starts_with("data-nr-");
    (measures && rules.contains(NoiseRule::Monitoring))
        || (name == "data-cfemail" && rules.contains(NoiseRule::CacheBusting))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_known_by_the_names_that_frameworks_give_them() {
        for name in [
            "csrfmiddlewaretoken",
            "authenticity_token",
            "_token",
            "__VIEWSTATE",
            "__RequestVerificationToken",
            "form_build_id",
            "antibot_key",
            "honeypot_time",
            "_wpnonce",
            "woocommerce-login-nonce",
            "X-XSRF-TOKEN",
            "9b74c9897bac770ffc029102a200c5de",
        ] {
            assert!(is_token_name(name), "{name}");
        }
        for name in ["q", "email", "token_name", "announce", "state", "9b74c9897bac", "form_id", "search_api"]
        {
            assert!(!is_token_name(name), "{name}");
        }
    }

    #[test]
    fn attributes_of_measuring_services_are_noise_by_their_rule_alone() {
        let all = NoiseRules::from(&NoiseRule::ALL.into_iter().collect());
        for (name, expected) in [
            ("data-newrelic-trace", true),
            ("data-nr-id", true),
            ("data-cfemail", true),
            ("data-new", false),
            ("data-email", false),
            ("value", false),
        ] {
            assert_eq!(is_noisy_attribute(name, all), expected, "{name}");
            assert!(!is_noisy_attribute(name, NoiseRules::default()), "{name}");
        }
    }
}
