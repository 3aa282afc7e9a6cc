//! Requests to Firestore: counted, limited in time, and tried again where that may help.
//!
//! They go through the generated client and not through the builders of the crate, because a commit of page
//! and content is then one round trip without a transaction to begin, and every billed operation passes here.

mod counter;
mod failure;
mod query;
mod size;
mod transaction;
mod write;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use firestore::gcloud_sdk::GoogleAuthMiddleware;
use firestore::gcloud_sdk::google::firestore::v1::firestore_client::FirestoreClient;
use firestore::gcloud_sdk::google::firestore::v1::structured_aggregation_query::{Aggregation, aggregation};
use firestore::gcloud_sdk::google::firestore::v1::value::ValueType;
use firestore::gcloud_sdk::google::firestore::v1::write::Operation;
use firestore::gcloud_sdk::google::firestore::v1::{
    BatchGetDocumentsRequest, CommitRequest, Document, DocumentMask, ListCollectionIdsRequest,
    RunAggregationQueryRequest, RunQueryRequest, StructuredAggregationQuery, Write,
    batch_get_documents_response, run_aggregation_query_request, run_query_request,
    structured_aggregation_query,
};
use firestore::gcloud_sdk::google_cloud_auth::credentials::anonymous;
use firestore::gcloud_sdk::tonic::metadata::MetadataValue;
use firestore::gcloud_sdk::tonic::{Request, Status};
use firestore::timestamp_utils::from_timestamp;
use firestore::{FirestoreDb, FirestoreDbOptions};
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use recrawl_core::ports::StoreError;
use tokio::time::{Instant, sleep, timeout_at};

pub(crate) use self::failure::Failure;
pub(crate) use self::query::Query;
pub(crate) use self::write::{
    also_append, create, delete, gather, increase, lower, merge, overlay, replace, touch,
};

use self::counter::Counter;
use crate::settings::FirestoreSettings;

/// How many documents are asked for in one request.
pub(crate) const BATCH: usize = 300;
/// How many requests of one call are under way at once.
const CONCURRENT: usize = 4;
/// How often a request is sent at most.
const ATTEMPTS: u32 = 7;

type Service = FirestoreClient<GoogleAuthMiddleware>;

/// A connection to one database.
pub(crate) struct Client {
    database: FirestoreDb,
    is_emulator: bool,
    time_out: Duration,
    counter: Counter,
}

impl Client {
    pub(crate) async fn connect(settings: &FirestoreSettings) -> Result<Self, StoreError> {
        let options = FirestoreDbOptions::new(settings.project.clone());
        let connecting = async {
            match &settings.emulator {
                Some(address) => {
                    let options = options.with_firebase_api_url(format!("http://{address}"));
                    FirestoreDb::with_options_auth(options, anonymous::Builder::new().build()).await
                }
                None => FirestoreDb::with_options(options).await,
            }
        };
        let connected = tokio::time::timeout(settings.time_out, connecting).await;
        let database = connected
            .map_err(|error| StoreError::Unavailable(error.into()))?
            .map_err(|error| StoreError::Unavailable(error.into()))?;
        let (is_emulator, time_out) = (settings.emulator.is_some(), settings.time_out);
        Ok(Self { database, is_emulator, time_out, counter: Counter::default() })
    }

    pub(crate) fn counter(&self) -> &Counter {
        &self.counter
    }

    /// Returns the name under which the database has its documents.
    pub(crate) fn documents(&self) -> &str {
        self.database.get_documents_path()
    }

    /// Returns a document, or only those of its fields that are named, if any are.
    pub(crate) async fn get(&self, name: &str, fields: &[&str]) -> Result<Option<Document>, Failure> {
        let mut found = self.get_batch(&[name.to_owned()], fields).await?;
        Ok(found.remove(name))
    }

    /// Returns a document, and the time at which it was read, by the clock of the database.
    pub(crate) async fn get_with_time(&self, name: &str) -> Result<(Option<Document>, Timestamp), Failure> {
        let request = BatchGetDocumentsRequest {
            database: self.database.get_database_path().clone(),
            documents: vec![name.to_owned()],
            ..BatchGetDocumentsRequest::default()
        };
        let answered = self
            .attempt(|mut service| {
                let request = request.clone();
                async move {
                    let mut answers = service.batch_get_documents(request).await?.into_inner();
                    let (mut document, mut read_at) = (None, None);
                    while let Some(answer) = answers.message().await? {
                        read_at = answer.read_time.or(read_at);
                        if let Some(batch_get_documents_response::Result::Found(found)) = answer.result {
                            document = Some(found);
                        }
                    }
                    let read_at = read_at.and_then(|time| from_timestamp(time).ok());
                    Ok((document, read_at.ok_or_else(|| Status::internal("an answer without its time"))?))
                }
            })
            .await?;
        self.counter.gets(1);
        Ok(answered)
    }

    /// Returns the documents of these names that exist, by name; each name is asked for once.
    pub(crate) async fn get_all(
        &self,
        mut names: Vec<String>,
        fields: &[&str],
    ) -> Result<HashMap<String, Document>, Failure> {
        names.sort_unstable();
        names.dedup();
        let requests: Vec<_> = names.chunks(BATCH).map(|batch| self.get_batch(batch, fields)).collect();
        let answers: Vec<_> = stream::iter(requests).buffer_unordered(CONCURRENT).try_collect().await?;
        Ok(answers.into_iter().flatten().collect())
    }

    async fn get_batch(
        &self,
        names: &[String],
        fields: &[&str],
    ) -> Result<HashMap<String, Document>, Failure> {
        let request = BatchGetDocumentsRequest {
            database: self.database.get_database_path().clone(),
            documents: names.to_vec(),
            mask: mask(fields),
            ..BatchGetDocumentsRequest::default()
        };
        let found = self
            .attempt(|mut service| {
                let request = request.clone();
                async move {
                    let mut answers = service.batch_get_documents(request).await?.into_inner();
                    let mut found = HashMap::new();
                    while let Some(answer) = answers.message().await? {
                        if let Some(batch_get_documents_response::Result::Found(document)) = answer.result {
                            found.insert(document.name.clone(), document);
                        }
                    }
                    Ok(found)
                }
            })
            .await?;
        self.counter.gets(names.len());
        Ok(found)
    }

    /// Returns what a query finds below `parent`.
    pub(crate) async fn query(&self, parent: &str, query: Query) -> Result<Vec<Document>, Failure> {
        self.run_query(parent, query, None).await
    }

    async fn run_query(
        &self,
        parent: &str,
        query: Query,
        consistency_selector: Option<run_query_request::ConsistencySelector>,
    ) -> Result<Vec<Document>, Failure> {
        let request = RunQueryRequest {
            parent: parent.to_owned(),
            query_type: Some(run_query_request::QueryType::StructuredQuery(query.into())),
            consistency_selector,
            ..RunQueryRequest::default()
        };
        let found = self
            .attempt(|mut service| {
                let request = request.clone();
                async move {
                    let mut answers = service.run_query(request).await?.into_inner();
                    let mut found = Vec::new();
                    while let Some(answer) = answers.message().await? {
                        found.extend(answer.document);
                    }
                    Ok(found)
                }
            })
            .await?;
        self.counter.query(found.len());
        Ok(found)
    }

    /// Returns how many documents a query finds below `parent`: a read for each thousand, and not one for each document.
    pub(crate) async fn count(&self, parent: &str, query: Query) -> Result<u64, Failure> {
        let count = Aggregation {
            alias: "count".to_owned(),
            operator: Some(aggregation::Operator::Count(aggregation::Count { up_to: None })),
        };
        let query = StructuredAggregationQuery {
            aggregations: vec![count],
            query_type: Some(structured_aggregation_query::QueryType::StructuredQuery(query.into())),
        };
        let request = RunAggregationQueryRequest {
            parent: parent.to_owned(),
            query_type: Some(run_aggregation_query_request::QueryType::StructuredAggregationQuery(query)),
            ..RunAggregationQueryRequest::default()
        };
        let counted = self
            .attempt(|mut service| {
                let request = request.clone();
                async move {
                    let mut answers = service.run_aggregation_query(request).await?.into_inner();
                    let mut counted = 0;
                    while let Some(answer) = answers.message().await? {
                        let fields = answer.result.map(|result| result.aggregate_fields);
                        let count = fields.and_then(|mut fields| fields.remove("count")?.value_type);
                        if let Some(ValueType::IntegerValue(count)) = count {
                            counted = u64::try_from(count).unwrap_or_default();
                        }
                    }
                    Ok(counted)
                }
            })
            .await?;
        self.counter.count(counted);
        Ok(counted)
    }

    /// Returns the names of the collections below a document, or below the root.
    pub(crate) async fn collections(&self, parent: &str) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListCollectionIdsRequest {
                parent: parent.to_owned(),
                page_size: 300,
                page_token,
                ..ListCollectionIdsRequest::default()
            };
            let answer = self
                .attempt(|mut service| {
                    let mut request = Request::new(request.clone());
                    if self.is_emulator {
                        // It shows the names of collections to its owner alone.
                        request
                            .metadata_mut()
                            .insert("authorization", MetadataValue::from_static("Bearer owner"));
                    }
                    async move { Ok(service.list_collection_ids(request).await?.into_inner()) }
                })
                .await?;
            self.counter.query(answer.collection_ids.len());
            names.extend(answer.collection_ids);
            page_token = answer.next_page_token;
            if page_token.is_empty() {
                return Ok(names);
            }
        }
    }

    /// Writes all of `writes` or nothing.
    ///
    /// An attempt whose answer was lost is repeated, so a write that must be the first can be refused
    /// although it was.
    pub(crate) async fn commit(&self, writes: Vec<Write>) -> Result<(), Failure> {
        let is_deletion = |write: &&Write| matches!(write.operation, Some(Operation::Delete(_)));
        let deletes = writes.iter().filter(is_deletion).count();
        let puts = writes.len() - deletes;
        let stored = writes.iter().map(size::added).sum();
        let request = CommitRequest {
            database: self.database.get_database_path().clone(),
            writes,
            ..CommitRequest::default()
        };
        self.attempt(|mut service| {
            let request = request.clone();
            async move { service.commit(request).await.map(drop) }
        })
        .await?;
        self.counter.commit(puts, deletes);
        self.counter.stored(stored);
        Ok(())
    }

    /// Sends a request until it is answered, refused for good, or out of time.
    async fn attempt<T, Answer>(&self, request: impl Fn(Service) -> Answer) -> Result<T, Failure>
    where
        Answer: Future<Output = Result<T, Status>>,
    {
        let deadline = Instant::now() + self.time_out;
        let mut number = 0;
        loop {
            number += 1;
            let status = match timeout_at(deadline, request(self.database.client().get())).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(status)) => status,
                Err(_) => Status::deadline_exceeded(format!("no answer within {:?}", self.time_out)),
            };
            let pause = pause_after(number);
            if !failure::is_passing(status.code()) || number == ATTEMPTS || Instant::now() + pause >= deadline
            {
                return Err(status.into());
            }
            sleep(pause).await;
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("documents", &self.documents()).finish_non_exhaustive()
    }
}

/// Returns how long to wait after an attempt: twice as long each time, and never in step with others.
pub(crate) fn pause_after(number: u32) -> Duration {
    let spread = jiff::Timestamp::now().subsec_nanosecond().unsigned_abs() % 100;
    Duration::from_millis(30 << number.min(5)) * (50 + spread) / 100
}

fn mask(fields: &[&str]) -> Option<DocumentMask> {
    let field_paths: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
    (!field_paths.is_empty()).then_some(DocumentMask { field_paths })
}
