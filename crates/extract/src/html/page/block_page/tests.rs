use url::Url;

use crate::html::page::Page;
use crate::html::text::TextRules;

fn block_page(html: &str) -> Option<String> {
    let url = Url::parse("https://example.com/").expect("valid address");
    Page::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &TextRules::default())
        .unwrap()
        .block_page
}

#[test]
fn pages_of_firewalls_and_captchas_are_known() {
    for (html, expected) in [
        (
            "<!DOCTYPE html><html lang=en-US><head><title>Just a moment...</title></head><body>\
             <noscript><span id=challenge-error-text>Enable JavaScript and cookies to continue</span></noscript>\
             <script>(function(){window._cf_chl_opt={cvId:'3',cType:'managed'}})();</script></body></html>",
            "a challenge page (Cloudflare)",
        ),
        (
            "<title>example.com</title><body><h1>example.com</h1><p>Performing security verification</p>\
             <script>window._cf_chl_opt={}</script>",
            "a challenge page (Cloudflare)",
        ),
        (
            "<h1>Checking your browser before accessing example.com.</h1><p>This process is automatic.</p>",
            "a challenge page (Cloudflare)",
        ),
        (
            "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>\
             <h2>You are unable to access example.com</h2><p>Cloudflare Ray ID: 8a1b2c3d4e5f</p>",
            "a block page (Cloudflare)",
        ),
        (
            "<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have \
             permission to access \"http&#58;&#47;&#47;example.com&#47;\" on this server.<P>\
             Reference&#32;&#35;18&#46;2f1e3b17&#46;1699999999&#46;1a2b3c4d</BODY></HTML>",
            "a block page (Akamai)",
        ),
        (
            "<html style='height:100%'><head><META NAME=ROBOTS CONTENT='NOINDEX, NOFOLLOW'></head>\
             <body style='margin:0px;height:100%'><iframe id=main-iframe src='/_Incapsula_Resource?CWUDNSAI=9\
             &xinfo=9-1&incident_id=123-456&edet=12' width=100%>Request unsuccessful. Incapsula incident ID: \
             123000456-789</iframe></body></html>",
            "a block page (Imperva)",
        ),
        (
            "<title>Sucuri WebSite Firewall - Access Denied</title><h1>Access Denied - Sucuri Website Firewall</h1>\
             <p>If you are the site owner (or you manage this site), please whitelist your IP.</p>",
            "a block page (Sucuri)",
        ),
        (
            "<html><head><title>example.com</title></head><body><p id=cmsg>Please enable JS and disable any ad \
             blocker</p><script>var dd={'cid':'x'}</script><script src='https://ct.captcha-delivery.com/c.js'>\
             </script></body></html>",
            "a captcha page (DataDome)",
        ),
        (
            "<title>Access to this page has been denied</title><h1>Before we continue...</h1><div id=px-captcha>\
             </div><p>Press &amp; Hold to confirm you are a human (and not a bot).</p>",
            "a captcha page (HUMAN)",
        ),
        (
            "<!DOCTYPE html><html><head><title></title><script>window.awsWafCookieDomainList = [];window.gokuProps \
             = {};</script><script src='https://x.token.awswaf.com/x/challenge.js'></script></head><body>\
             <noscript><h1>JavaScript is disabled</h1></noscript></body></html>",
            "a challenge page (AWS WAF)",
        ),
        (
            "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please \
             consult with your administrator.<br><br>Your support ID is: 123456789</body></html>",
            "a block page (F5)",
        ),
        (
            "<title>https://www.google.com/search</title><div>Our systems have detected unusual traffic from your \
             computer network. This page checks to see if it's really you sending the requests.</div>",
            "a captcha page (Google)",
        ),
    ] {
        assert_eq!(block_page(html).as_deref(), Some(expected), "{html}");
    }
}

#[test]
fn further_firewalls_and_pages_during_maintenance_are_known() {
    for (html, expected) in [
        (
            "<title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1><p>As you were browsing \
             something about your browser made us think you were a bot.</p>",
            "a block page (Distil Networks)",
        ),
        (
            "<head><title>Not Acceptable!</title></head><body><h1>Not Acceptable!</h1><p>An appropriate \
             representation of the requested resource could not be found on this server. This error was generated \
             by Mod_Security.</p></body></html>",
            "a block page (ModSecurity)",
        ),
        (
            "<html><body><h2>The request is blocked.</h2><div>0zAbC1234-20261116T041233Z</div></body></html>",
            "a block page (Azure Front Door)",
        ),
        (
            "<title>Your access to this site has been limited</title><h1>Your access to this site has been limited \
             by the site owner</h1><p>Generated by Wordfence at Mon, 16 Nov 2026 4:12:33 GMT.</p>",
            "a block page (Wordfence)",
        ),
        (
            "<title>Security check</title><p>Please verify you are human</p><div class=h-captcha></div>",
            "a captcha page",
        ),
        ("<title>Are you a robot?</title><p>Please click the box below to continue.</p>", "a captcha page"),
        (
            "<title>Maintenance</title><p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>",
            "a maintenance page (WordPress)",
        ),
        (
            "<title>Site under maintenance | Portland</title><h1>Site under maintenance</h1><p>Portland is \
             currently under maintenance. We should be back shortly. Thank you for your patience.</p>",
            "a maintenance page (Drupal)",
        ),
        ("<h1>Our website is under maintenance</h1><p>Please come back later.</p>", "a maintenance page"),
    ] {
        assert_eq!(block_page(html).as_deref(), Some(expected), "{html}");
    }
}

#[test]
fn pages_that_stand_in_for_others_are_known_in_several_languages() {
    for (html, expected) in [
        (
            "<html><head><title></title></head><body><noscript><h1>JavaScript is disabled</h1>In order to continue, we \
             need to verify that you\u{2019}re not a robot. This requires JavaScript.</noscript></body></html>",
            "a captcha page",
        ),
        (
            "<title>Contrôle</title><p>Veuillez confirmer que vous n\u{2019}êtes pas un robot.</p>",
            "a captcha page",
        ),
        ("<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>", "a captcha page"),
        ("<p>The requested page is not available. Your support ID is: 4711</p>", "a block page (F5)"),
        (
            "<p>Die angeforderte Adresse wurde abgelehnt. Ihre Support-ID lautet: 1234567890</p>",
            "a block page (F5)",
        ),
        ("<p>La URL solicitada fue rechazada. Su ID de soporte es: 1234567890</p>", "a block page (F5)"),
        (
            "<title>Shop</title><h4>Click the button below to continue shopping</h4><button>Continue shopping</button>\
             <a href=/conditions>Conditions of Use</a> <a href=/privacy>Privacy Policy</a><p>© 1996-2026, Shop</p>",
            "a captcha page (Amazon)",
        ),
        (
            "<title>Shop</title><form method=get action=/errors/validateCaptcha><input type=hidden name=amzn value=x>\
             <button>Weiter shoppen</button></form><p>Unsere AGB</p>",
            "a captcha page (Amazon)",
        ),
        (
            "<html><head><meta http-equiv=refresh content=\"5; URL='/page?bm-verify=AAQAAAAL_4f2a91c0de'\"></head>\
             <body><p>Powered and protected by</p><a href=https://www.example.net/privacy>Privacy</a></body></html>",
            "a challenge page (Akamai)",
        ),
        ("<p>Powered and protected by</p><p>Privacy</p>", "a challenge page (Akamai)"),
        ("<title>Booking</title><div id=root>...</div>", "a page that was not filled in"),
        ("<p>\u{2026}</p><p>. . .</p>", "a page that was not filled in"),
    ] {
        assert_eq!(block_page(html).as_deref(), Some(expected), "{html}");
    }
}

#[test]
fn pages_about_such_things_are_pages() {
    let prose = "<p>Captchas ask visitors to verify you are human, and firewalls say: sorry, you have been blocked. \
        Each comes with a Ray ID. Some sites show «Checking your browser before accessing» for some seconds.</p>";
    let article = format!("<title>How captchas work</title><article>{}</article>", prose.repeat(8));
    let contact = "<title>Contact us</title><nav><a href=/>Home</a> <a href=/about>About</a></nav><h1>Contact us</h1>\
        <p>Call 503-823-4000 or write to us.</p><form><label>Name <input name=n></label>\
        <label>Message <textarea></textarea></label><div class=g-recaptcha data-sitekey=x></div>\
        <button>I'm not a robot: send</button></form><p>This site is protected by reCAPTCHA and the Google \
        Privacy Policy and Terms of Service apply.</p>\
        <script src='https://www.google.com/recaptcha/api.js'></script>";
    let behind_cloudflare = "<title>News</title><h1>News</h1><p>The bridge is open.</p>\
        <script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>";
    let behind_imperva = "<title>App</title><div id=root></div>\
        <script src='/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3'></script>";
    for html in [
        "",
        "<p>x",
        &article,
        contact,
        behind_cloudflare,
        behind_imperva,
        "<title>Street maintenance</title><h1>Street maintenance</h1><p>Crews do scheduled maintenance on Main \
         Street. The road is under maintenance until May.</p>",
        "<title>Access denied to trucks</title><p>Access denied: trucks may not use the bridge.</p>",
        "<title>Just a moment in history</title><p>The bridge was opened in 1931.</p>",
        "<title>Attention required on Main Street</title><p>Drivers take care.</p>",
        "<title>Support</title><p>Call us and tell the support ID of your contract, which is on the first page.</p>",
        "<title>Wall</title><p>The wall is powered and protected by the sun: panels on its whole length drive the pumps \
         behind it, and shade the gravel path along the river from noon to four. It was built in 1931 by the city.</p>",
        "<title>Soon</title><p>Coming soon...</p>",
        "<title>Robots</title><p>The library lends a robot for a week.</p>",
    ] {
        assert_eq!(block_page(html), None, "{html}");
    }
}
