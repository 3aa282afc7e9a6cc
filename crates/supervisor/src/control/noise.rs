//! What people say of noise that was learnt.

use recrawl_core::changes::noise::Said;
use recrawl_core::model::ids::SiteId;
use recrawl_engine::{learnt_noise, save_learnt_noise};
use recrawl_stores::{Access, AccessError, open_file};

use crate::supervisor::Supervisor;
use crate::usage;

/// Notes what somebody says of a shape that the site has shown, or takes it back.
pub(super) async fn judge(
    supervisor: &Supervisor,
    site: &SiteId,
    shape: &str,
    said: Option<Said>,
) -> anyhow::Result<()> {
    supervisor.sites.site(site).await?;
    let busy = || usage("a crawl is under way, which would write what it learns over it: say it afterwards");
    if supervisor.jobs.is_busy() {
        return Err(busy());
    }
    let store = match open_file(&supervisor.sites.path, Access::Crawl) {
        Ok(store) => store,
        Err(AccessError::Busy(_)) => return Err(busy()),
        Err(error) => return Err(error.into()),
    };
    let mut noise = learnt_noise(&*store, site).await?;
    let entry = noise.entries.iter_mut().find(|entry| entry.shape == shape);
    entry.ok_or_else(|| usage(format!("nothing is known of {shape:?}")))?.said = said;
    Ok(save_learnt_noise(&*store, site, &noise, supervisor.now()).await?)
}
