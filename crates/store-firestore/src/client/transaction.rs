//! Reading and writing as one: what was read is still so when something is written.

use firestore::gcloud_sdk::google::firestore::v1::run_query_request::ConsistencySelector;
use firestore::gcloud_sdk::google::firestore::v1::{
    BeginTransactionRequest, CommitRequest, Document, RollbackRequest, Write,
};
use firestore::gcloud_sdk::tonic::{Code, Status};
use tokio::time::timeout;

use super::{Client, Failure, Query};

/// A transaction that was begun. What it reads stays as it is until it ends.
#[derive(Debug)]
pub(crate) struct Transaction(Vec<u8>);

impl Client {
    /// Begins a transaction. Whoever begins one ends it by [`Client::commit_in`].
    pub(crate) async fn begin(&self) -> Result<Transaction, Failure> {
        let request = BeginTransactionRequest {
            database: self.database.get_database_path().clone(),
            ..BeginTransactionRequest::default()
        };
        let begun = self.attempt(|mut service| {
            let request = request.clone();
            async move { Ok(service.begin_transaction(request).await?.into_inner().transaction) }
        });
        begun.await.map(Transaction)
    }

    /// Returns what a query finds below `parent`, as part of a transaction.
    pub(crate) async fn query_in(
        &self,
        transaction: &Transaction,
        parent: &str,
        query: Query,
    ) -> Result<Vec<Document>, Failure> {
        let within = ConsistencySelector::Transaction(transaction.0.clone());
        self.run_query(parent, query, Some(within)).await
    }

    /// Writes all of `writes` and ends the transaction, or writes nothing: [`Failure::Changed`] where somebody else wrote
    /// what it had read, and the whole of it has to be done again.
    ///
    /// Sent once: a transaction that may have ended cannot be ended again.
    pub(crate) async fn commit_in(
        &self,
        transaction: Transaction,
        writes: Vec<Write>,
    ) -> Result<(), Failure> {
        let database = self.database.get_database_path().clone();
        let puts = writes.len();
        let request = CommitRequest {
            database,
            writes,
            transaction: transaction.0.clone(),
            ..CommitRequest::default()
        };
        let mut service = self.database.client().get();
        let late = |_| Status::deadline_exceeded(format!("no answer within {:?}", self.time_out));
        let committed =
            timeout(self.time_out, service.commit(request)).await.unwrap_or_else(|over| Err(late(over)));
        match committed {
            Ok(_) => {
                self.counter.commit(puts, 0);
                Ok(())
            }
            Err(status) => {
                self.roll_back(transaction).await;
                Err(if status.code() == Code::Aborted { Failure::Changed } else { status.into() })
            }
        }
    }

    /// Ends a transaction that came to nothing, so that nobody waits for it.
    pub(crate) async fn roll_back(&self, transaction: Transaction) {
        let database = self.database.get_database_path().clone();
        let request = RollbackRequest { database, transaction: transaction.0, ..RollbackRequest::default() };
        let mut service = self.database.client().get();
        // Where this fails, the transaction ends by itself.
        let _ = timeout(self.time_out, service.rollback(request)).await;
    }
}
