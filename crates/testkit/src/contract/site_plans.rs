//! The contract of [`SitePlans`].

use std::collections::BTreeMap;

use recrawl_core::model::site_plan::{PlannedSite, SitePlan, WrittenBy};
use recrawl_core::ports::{Recorded, Retention, SitePlans, Store, StoreError};

use super::Subject;
use super::samples::{site, site_id};

fn plan(delay: &str) -> SitePlan {
    let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    SitePlan {
        settings: BTreeMap::from([
            ("delay".to_owned(), values(&[delay])),
            ("exclude".to_owned(), values(&["*/tag/*", "*.zip"])),
            ("ignore-selector".to_owned(), values(&[])),
            ("schedule".to_owned(), values(&["0 3 * * 1"])),
        ]),
        notify: BTreeMap::from([(
            "team".to_owned(),
            r#"{"kind":"webhook","min-weight":300,"quiet":true,"sites":["a"],"url-env":"TEAM"}"#.to_owned(),
        )]),
        written_by: WrittenBy::Environment,
    }
}

async fn plans(port: &impl SitePlans) -> Vec<(String, Option<SitePlan>)> {
    let sites = port.planned_sites().await.unwrap();
    sites.into_iter().map(|PlannedSite { site, plan }| (site.id.to_string(), plan)).collect()
}

pub async fn a_plan_is_read_back_with_its_site<S: Subject<Port: SitePlans + Store>>(subject: S) {
    let port = subject.port();
    assert!(port.planned_sites().await.unwrap().is_empty());
    for name in ["b", "a"] {
        port.save_site(&site(name)).await.unwrap();
    }
    port.save_plan(&site_id("b"), Some(&plan("2"))).await.unwrap();
    assert_eq!(plans(port).await, [("a".to_owned(), None), ("b".to_owned(), Some(plan("2")))]);
    assert_eq!(port.planned_sites().await.unwrap()[1].site, site("b"));
    assert_eq!(port.site(&site_id("b")).await.unwrap(), Some(site("b")), "the site is as it was");
    port.save_plan(&site_id("a"), Some(&SitePlan::default())).await.unwrap();
    assert_eq!(plans(port).await[0].1, Some(SitePlan::default()), "an empty plan is one");
}

pub async fn a_later_plan_replaces_all_of_an_earlier_one<S: Subject<Port: SitePlans + Store>>(subject: S) {
    let (port, id) = (subject.port(), site_id("a"));
    port.save_site(&site("a")).await.unwrap();
    port.save_plan(&id, Some(&plan("2"))).await.unwrap();
    let settings = BTreeMap::from([("rate".to_owned(), vec!["3".to_owned()])]);
    let later = SitePlan { settings, ..SitePlan::default() };
    port.save_plan(&id, Some(&later)).await.unwrap();
    assert_eq!(plans(port).await[0].1, Some(later));
    port.save_plan(&id, None).await.unwrap();
    assert_eq!(plans(port).await, [("a".to_owned(), None)]);
}

pub async fn saving_a_site_leaves_its_plan<S: Subject<Port: SitePlans + Store>>(subject: S) {
    let (port, id) = (subject.port(), site_id("a"));
    port.save_site(&site("a")).await.unwrap();
    port.save_plan(&id, Some(&plan("2"))).await.unwrap();
    let mut other = site("a");
    other.root = "https://elsewhere.example/".parse().unwrap();
    port.save_site(&other).await.unwrap();
    assert_eq!(port.site(&id).await.unwrap(), Some(other));
    assert_eq!(plans(port).await[0].1, Some(plan("2")));
}

pub async fn a_plan_of_a_site_that_is_not_there_is_refused<S: Subject<Port: SitePlans + Store>>(subject: S) {
    let (port, id) = (subject.port(), site_id("a"));
    for plan in [Some(&plan("2")), None] {
        assert!(matches!(port.save_plan(&id, plan).await, Err(StoreError::Absent(_))));
    }
    assert!(port.planned_sites().await.unwrap().is_empty());
}

pub async fn a_plan_goes_with_its_site<S: Subject<Port: SitePlans + Store + Retention>>(subject: S) {
    let (port, old, new) = (subject.port(), site_id("a"), site_id("b"));
    port.save_site(&site("a")).await.unwrap();
    port.save_plan(&old, Some(&plan("2"))).await.unwrap();
    assert_eq!(port.rename_site(&old, &new).await.unwrap(), Recorded::First);
    assert_eq!(plans(port).await, [("b".to_owned(), Some(plan("2")))]);
    port.forget_site(&new).await.unwrap();
    port.save_site(&site("b")).await.unwrap();
    assert_eq!(plans(port).await, [("b".to_owned(), None)], "a new site of that name has none");
}

/// Tests the contract of [`SitePlans`].
#[macro_export]
macro_rules! site_plans_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { site_plans, $fresh;
            a_plan_is_read_back_with_its_site
            a_later_plan_replaces_all_of_an_earlier_one
            saving_a_site_leaves_its_plan
            a_plan_of_a_site_that_is_not_there_is_refused
            a_plan_goes_with_its_site
        }
    };
}
