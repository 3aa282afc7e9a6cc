//! Request tokens (CSRF, nonces) in forms.

use super::rule::Rule;

pub(super) const RULE: Rule = Rule {
    name: "form-tokens",
    description: "Hidden inputs and inputs named like a request token: their kept attributes do not count.",
    ..Rule::NOTHING
};

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
/// Besides the known names these are all that speak of request forgery or end in "nonce", and the 32
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
}
