//! Google's interfaces, as far as they are asked. Nothing is written.

mod image;
mod jobs;
mod log;
mod messages;
mod roles;

use std::time::Duration;

use google_cloud_auth::credentials::{Builder, CacheableResource, Credentials, anonymous};
use http::{Extensions, HeaderMap};
use recrawl_core::model::finding::Finding;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::Value;
use thiserror::Error;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How much of an answer is read.
const LONGEST: usize = 4 << 20;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Where Google's interfaces are.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its interface")]
pub struct Endpoints {
    pub firestore: String,
    pub logging: String,
    pub monitoring: String,
    pub pubsub: String,
    pub resource_manager: String,
    pub run: String,
    pub scheduler: String,
}

impl Default for Endpoints {
    fn default() -> Self {
        let of = |name: &str| format!("https://{name}.googleapis.com");
        Self {
            firestore: of("firestore"),
            logging: of("logging"),
            monitoring: of("monitoring"),
            pubsub: of("pubsub"),
            resource_manager: of("cloudresourcemanager"),
            run: of("run"),
            scheduler: of("cloudscheduler"),
        }
    }
}

/// Why an interface did not answer.
#[derive(Debug, Error)]
pub enum Refusal {
    /// Whoever asks may not know.
    #[error("you may not look at it")]
    Forbidden,
    /// There is no such thing.
    #[error("it is not there")]
    Absent,
    /// Something else went wrong.
    #[error("{0}")]
    Failed(String),
}

/// Google's interfaces, asked about one project.
#[derive(Debug)]
pub struct Google {
    client: Client,
    credentials: Credentials,
    endpoints: Endpoints,
    project: String,
}

impl Google {
    /// Prepares to ask about `project` under the name of whoever is logged in on this machine.
    pub fn new(project: &str) -> Result<Self, Refusal> {
        let credentials = Builder::default().with_scopes([SCOPE]).build();
        let credentials = credentials.map_err(|error| Refusal::Failed(error.to_string()))?;
        Self::at(Endpoints::default(), credentials, project)
    }

    /// Prepares to ask other servers than Google's, under no name.
    pub fn anonymous(endpoints: Endpoints, project: &str) -> Result<Self, Refusal> {
        Self::at(endpoints, anonymous::Builder::new().build(), project)
    }

    fn at(endpoints: Endpoints, credentials: Credentials, project: &str) -> Result<Self, Refusal> {
        let client = Client::builder().redirect(Policy::none()).timeout(PATIENCE).build();
        let client = client.map_err(|error| Refusal::Failed(error.to_string()))?;
        Ok(Self { client, credentials, endpoints, project: project.to_owned() })
    }

    /// Looks at everything: the image, the jobs, the subscriptions and what waits in them, the log, and who may do what.
    pub async fn look(&self) -> Vec<Finding> {
        if let Err(refusal) = self.headers().await {
            let advice = "log in with `gcloud auth application-default login`";
            return vec![Finding::wrong("credentials", refusal.to_string(), advice)];
        }
        let service = match self.region().await {
            Ok(region) => match self.service(&region).await {
                Ok(service) => Ok((region, service)),
                Err(refusal) => Err(vec![image::of_none(&refusal)]),
            },
            Err(refusal) => Err(vec![not_looked_at("region", &refusal)]),
        };
        let (of_service, jobs, subscriptions, waiting, log) = tokio::join!(
            async {
                match &service {
                    Ok((region, service)) => {
                        let mut found = vec![image::judge(service)];
                        found.extend(self.roles(region, service).await);
                        found
                    }
                    Err(found) => found.clone(),
                }
            },
            async {
                match &service {
                    Ok((region, _)) => self.jobs(region).await,
                    Err(_) => Vec::new(),
                }
            },
            self.subscriptions(service.as_ref().ok().map(|(_, service)| service)),
            self.waiting(),
            self.errors(),
        );
        of_service.into_iter().chain(jobs).chain(subscriptions).chain(waiting).chain([log]).collect()
    }

    /// Looks at what an emulator of Pub/Sub has, too.
    pub async fn look_at_subscriptions(&self) -> Vec<Finding> {
        self.subscriptions(None).await
    }

    /// Returns the region of the deployment: that of its database.
    async fn region(&self) -> Result<String, Refusal> {
        let url = format!("{}/v1/projects/{}/databases/(default)", self.endpoints.firestore, self.project);
        let database = self.get(&url).await?;
        let region = database["locationId"].as_str().map(str::to_owned);
        region.ok_or_else(|| Refusal::Failed("the database has no location".to_owned()))
    }

    async fn get(&self, url: &str) -> Result<Value, Refusal> {
        self.ask(Method::GET, url, None).await
    }

    async fn post(&self, url: &str, body: &Value) -> Result<Value, Refusal> {
        self.ask(Method::POST, url, Some(body)).await
    }

    async fn ask(&self, method: Method, url: &str, body: Option<&Value>) -> Result<Value, Refusal> {
        let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
        let mut request = self.client.request(method, url).headers(self.headers().await?);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let mut response = request.send().await.map_err(|error| failed(&error.without_url()))?;
        let status = response.status();
        let mut read = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error.without_url()))? {
            if read.len() + chunk.len() > LONGEST {
                return Err(Refusal::Failed("the answer is too long".to_owned()));
            }
            read.extend(chunk);
        }
        let answer: Value = serde_json::from_slice(&read).unwrap_or_default();
        match status.as_u16() {
            200..300 => Ok(answer),
            // An interface that is not switched on says so with this status as well, and in words.
            403 if !answer["error"]["message"].to_string().contains("has not been used") => {
                Err(Refusal::Forbidden)
            }
            404 => Err(Refusal::Absent),
            _ => {
                let message = answer["error"]["message"].as_str().unwrap_or("no reason given");
                let message: String = message.chars().take(300).collect();
                Err(Refusal::Failed(format!("status {status}: {message}")))
            }
        }
    }

    async fn headers(&self) -> Result<HeaderMap, Refusal> {
        match self.credentials.headers(Extensions::new()).await {
            Ok(CacheableResource::New { data, .. }) => Ok(data),
            Ok(CacheableResource::NotModified) => Ok(HeaderMap::new()),
            Err(error) => Err(Refusal::Failed(error.to_string())),
        }
    }
}

/// Says that something could not be looked at, and what would help.
fn not_looked_at(what: &'static str, refusal: &Refusal) -> Finding {
    let advice = match refusal {
        Refusal::Forbidden => {
            "ask the project's owner for roles/viewer and roles/iam.securityReviewer, which let you look at everything"
        }
        Refusal::Absent => "`terraform apply` makes it",
        Refusal::Failed(_) => "try again, or log in anew with `gcloud auth application-default login`",
    };
    Finding::wrong(what, format!("not looked at: {refusal}"), advice)
}
