//! Hit counters: how often a page was read.

use super::rule::{Removes, Rule, TextRule};

pub(super) const RULE: Rule = Rule {
    name: "counters",
    description: "How often a page was read: \"1,234 views\", \"You are visitor number 5\", \"12 users online\", where that \
        is all that a line, or a part of it between bars, says.",
    text: &[TextRule {
        words_beside_digits: &[
            "view",
            "visit",
            "download",
            "hits",
            "online",
            " times",
            "booked",
            "looking at",
            "watching",
            "cart",
            "follower",
            "likes",
            "vues",
            "visualiz",
            "aufrufe",
            "besucher",
            "weergaven",
            "visning",
            "regarde",
            "просмотр",
        ],
        removes: Removes::Part,
        pattern,
        ..TextRule::NOTHING
    }],
    ..Rule::NOTHING
};

fn pattern() -> String {
    let number = r"(?:[0-9]{1,3}(?:(?:[,.\x20']|’)[0-9]{3})+|[0-9]+(?:[.,][0-9]+)?\x20?[km]?)";
    let people = "(?:users?|guests?|visitors?|members?|people)";
    let lately = r"(?:in|over|within) \x20 the \x20 (?:last|past) \x20 (?:[0-9]{1,3}\x20)? (?:minutes|hours?|days?|week|month)";
    format!(
        r"(?xi-u) ^ (?:
        {number} \x20 (?:(?:total|unique|page|profile|post|article|video)\x20)*
            (?:views?|visitors?|downloads) (?:\x20(?:today|so\x20far|in\x20total))?
        | (?:(?:total|unique|page|profile|post|site|monthly|daily|online)\x20)*
            (?:views|hits|visits|visitors?|downloads|visitor\x20counter|visitor\x20count|visitors\x20today
              | {people}\x20(?:currently\x20)?online)
            \x20? : \x20? {number}
        | page \x20? views \x20 {number}
        | (?:you\x20are\x20(?:the\x20)?)? visitor \x20? (?:number|no\.?|nr\.?|\#) :? \x20? \#? {number}
        | you \x20 are \x20 (?:our\x20|the\x20)? {number} (?:st|nd|rd|th)? \x20 visitor
            (?:\x20(?:since|to|of)\x20(?u:.){{1,40}})?
        | (?:this\x20(?:page|site|article|post|document|file|item)\x20)? (?:has\x20been\x20|was\x20)?
            (?:viewed|visited|accessed|read|downloaded) \x20 {number} \x20 times
            (?:\x20since\x20(?u:.){{1,40}}|\x20today|\x20{lately})?
        | (?:viewed|booked|ordered|purchased|bought) \x20 {number} \x20 times \x20 (?:today|{lately})
        | {number} \x20 people \x20 (?:have\x20)? (?:viewed|visited|booked) \x20
            (?:this|it) (?:\x20(?:page|product|item|offer|property|hotel|listing|event))? \x20 (?:today|{lately})
        | (?:currently|now|users?|visitors?|guests?) \x20 online \x20? : \x20? {number}
        | online \x20 (?:now|users|visitors|guests) \x20? : \x20? {number}
        | who(?:(?:'|’)s|\x20is) \x20 online \x20? : \x20? {number} \x20 {people} (?:(?:,|\x20and)\x20{number}\x20{people})*
        | (?:there\x20(?:are|is)\x20)? (?:currently\x20)? {number} \x20 (?:registered\x20)? {people}
            (?:(?:,|\x20and)\x20{number}\x20{people})* \x20 (?:are\x20|is\x20)? (?:currently\x20|now\x20)?
            (?:online|(?:viewing|watching|looking\x20at)(?:\x20(?:this|it))?
                (?:\x20(?:page|product|item|offer|article|property|hotel|listing|event))?)
            (?:\x20(?:right\x20)?now|\x20at\x20the\x20moment)?
        | (?:in\x20)? {number} \x20 (?:people\x20have\x20(?:this|it)\x20in\x20their\x20)? carts?
        | {number} \x20 (?:followers?|likes)
        | {number} \x20 (?:vues|visites|aufrufe|besucher|visualizaciones|visualizzazioni|visualiza(?:çõ|co)es|visitas
            |weergaven|visning(?:ar|er)|просмотр(?:а|ов)?)
        | (?:vues|visites|aufrufe|besucher|visitas|visite|weergaven|visualizzazioni|visualizaciones|visning(?:ar|er)|просмотр(?:ов|ы))
            \x20? : \x20? {number}
        | {number} \x20 (?:personnes?|visiteurs?) \x20 regarde(?:nt)? (?:\x20(?:cet?|cette)\x20(?:page|produit|article|offre))?
            (?:\x20en\x20ce\x20moment)?
        ) \.? $"
    )
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn counters_vanish() {
        assert_cleans(
            NoiseRule::Counters,
            &[
                ("1,234 views", ""),
                ("12.3K views", ""),
                ("1 234 567 page views", ""),
                ("Visitors: 12345", ""),
                ("Hits: 3", ""),
                ("Hits : 1,234", ""),
                ("views: 12", ""),
                ("PAGE VIEWS: 123", ""),
                ("Page views: 1.234", ""),
                ("Page views 1234", ""),
                ("Downloads: 99", ""),
                ("You are visitor number 5", ""),
                ("You are visitor #00012345", ""),
                ("You are the 1,234th visitor since May 2004", ""),
                ("Viewed 33 times", ""),
                ("This page has been accessed 12,345 times.", ""),
                ("12 users online", ""),
                ("There are currently 0 users and 5 guests online.", ""),
                ("Users online: 12", ""),
                ("3 people are viewing this page", ""),
                ("12 people are looking at this right now", ""),
                ("5 people are viewing", ""),
                ("17 people have this in their carts", ""),
                ("In 12 carts", ""),
                ("1.2k followers", ""),
                ("Viewed 123 times today", ""),
                ("Booked 12 times in the last 24 hours", ""),
                ("1,234 people viewed this hotel in the past 24 hours", ""),
                ("Currently online: 37", ""),
                ("Who is online: 12 guests, 3 members", ""),
                ("1 234 vues", ""),
                ("Besucher: 12.345", ""),
                ("просмотров: 1234", ""),
                ("12 personnes regardent ce produit en ce moment", ""),
                ("By Ann | 1,234 views | 3 comments", "By Ann | 3 comments"),
                ("33 views \u{b7} 5 comments", "5 comments"),
                ("Road closed\n5 views\nuntil May", "Road closed\nuntil May"),
            ],
        );
    }

    #[test]
    fn other_numbers_stay() {
        assert_keeps(&[
            "5 comments",
            "Population: 650,000",
            "Page 3 of 12",
            "1,234 people visited the park",
            "1,234 visitors came to the fair",
            "The tower has 3 views of the river",
            "Views: of the council",
            "3 hits",
            "5 visits",
            "The bridge was viewed 33 times by inspectors",
            "Viewed from the east 3 times",
            "12 people were hurt",
            "Online courses: 12",
            "Register online: 503-823-4000",
            "Booked 12 times",
            "12 people booked the ferry in the last 24 hours",
            "Open 24 hours: 7 days",
            "Downloads: see below",
            "View 12 of 30",
            "Visitor center: 5 pm",
            "Visitor parking 12",
            "Read 3 times daily",
            "Open 12 times a year",
            "12 shopping carts for rent",
            "5 likes and dislikes",
            "12 people are looking for work",
            "Besucher: 12 bis 18 Jahre",
            "1,234 followers of the saint",
            "100,000 shares",
            "5 stars",
        ]);
    }
}
