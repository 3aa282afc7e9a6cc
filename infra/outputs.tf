# The next commands, ready to be copied. `terraform output -raw NAME` prints one.

output "service_url" {
  description = "Where Pub/Sub calls crawl-fn; closed to the rest of the world"
  value       = local.crawl_fn_url
}

output "image" {
  description = "What Cloud Build pushes, without the tag"
  value       = local.image
}

output "build_command" {
  description = "Tests, builds, pushes and deploys; in the root of the repository"
  value       = "gcloud builds submit --project=${var.project} --config=cloudbuild.yaml --gcs-source-staging-dir=gs://${google_storage_bucket.sources.name}/source --substitutions=_REGION=${var.region},_PAGE=${local.has_page ? "yes" : "no"}"
}

output "seed_command" {
  description = "Opens a crawl now"
  value       = "gcloud pubsub topics publish ${google_pubsub_topic.topic["crawl"].name} --project=${var.project} --message='${var.root_url}'"
}

output "changes_command" {
  description = "What is new, changed, moved and gone"
  value       = "recrawl changes --store firestore:${var.project}"
}

output "page_url" {
  description = "Where the web page is; empty while it is switched off"
  value       = local.has_page ? local.page_url : ""
}

output "page_command" {
  description = "Shows a private web page on http://localhost:8080, to those who may see it"
  value       = "gcloud run services proxy web-page --project=${var.project} --region=${var.region} --port=8080"
}

output "announcements_command" {
  description = "The announcements that nobody has acknowledged yet; without --auto-ack they stay, however often you look"
  value       = "gcloud pubsub subscriptions pull ${google_pubsub_subscription.changed_pages.name} --project=${var.project} --limit=100"
}

output "dead_letters_command" {
  description = "Messages to crawl that could not be worked off; the other subscriptions are archive-dead and changed-pages-dead"
  value       = "gcloud pubsub subscriptions pull ${google_pubsub_subscription.dead["crawl"].name} --project=${var.project} --limit=100"
}

output "archive_keys_command" {
  description = "Stores the keys of an account at archive.org, typed as accesskey:secret and ended by Ctrl-D"
  value       = "gcloud secrets versions add ${google_secret_manager_secret.archive_keys.secret_id} --project=${var.project} --data-file=-"
}

output "logs_command" {
  description = "What the service said in the last hour, without the requests that Cloud Run asked to come again"
  value       = "gcloud logging read 'resource.type=cloud_run_revision AND resource.labels.service_name=${google_cloud_run_v2_service.crawl_fn.name} AND NOT httpRequest.status=429' --project=${var.project} --freshness=1h --limit=200"
}

output "errors_command" {
  description = "What went wrong in the last week"
  value       = "gcloud logging read '${local.errors}' --project=${var.project} --freshness=7d --limit=200"
}

output "export_command" {
  description = "Writes the whole database to the bucket for exports, where there is one"
  value       = length(google_storage_bucket.exports) == 0 ? "" : "gcloud firestore export gs://${google_storage_bucket.exports[0].name}/$(date -u +%Y-%m-%d) --project=${var.project}"
}
