# Three accounts, each with what its work needs; page.tf has a fourth. A role is given on the one thing it is for; on the
# project only where Google has nothing smaller.

resource "google_service_account" "run" {
  account_id   = "crawler-run"
  display_name = "Recrawl: the service"
  depends_on   = [google_project_service.api]
}

resource "google_service_account" "push" {
  account_id   = "crawler-push"
  display_name = "Recrawl: Pub/Sub calls the service under this name"
  depends_on   = [google_project_service.api]
}

resource "google_service_account" "build" {
  account_id   = "crawler-build"
  display_name = "Recrawl: Cloud Build"
  depends_on   = [google_project_service.api]
}

# The service

resource "google_project_iam_member" "run_uses_firestore" {
  project = var.project
  role    = "roles/datastore.user" # there is no role on a single database
  member  = google_service_account.run.member
}

resource "google_pubsub_topic_iam_member" "run_publishes" {
  for_each = local.published

  topic  = google_pubsub_topic.topic[each.key].name
  role   = "roles/pubsub.publisher"
  member = google_service_account.run.member
}

resource "google_secret_manager_secret_iam_member" "run_reads_keys" {
  secret_id = google_secret_manager_secret.archive_keys.secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.run.member
}

resource "google_secret_manager_secret_iam_member" "run_reads_secrets" {
  for_each = toset(values(var.secrets))

  secret_id = each.key
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.run.member
}

# What somebody asks for and no site admits.
resource "google_pubsub_topic_iam_member" "run_refuses" {
  topic  = google_pubsub_topic.dead["crawl"].name
  role   = "roles/pubsub.publisher"
  member = google_service_account.run.member
}

resource "google_storage_bucket_iam_member" "run_keeps_bodies" {
  count = var.bodies_bucket ? 1 : 0

  bucket = google_storage_bucket.bodies[0].name
  role   = "roles/storage.objectUser"
  member = google_service_account.run.member
}

# Pub/Sub

# Not before the image is there: the placeholder would take messages and do nothing. Until then they wait.
resource "google_cloud_run_v2_service_iam_member" "push_invokes" {
  count = var.image_built ? 1 : 0

  name     = google_cloud_run_v2_service.crawl_fn.name
  location = var.region
  role     = "roles/run.invoker"
  member   = google_service_account.push.member
}

resource "google_pubsub_topic_iam_member" "pubsub_moves_dead_letters" {
  for_each = local.with_death

  topic  = google_pubsub_topic.dead[each.key].name
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

# Moving a dead letter means to acknowledge it where it was.
resource "google_pubsub_subscription_iam_member" "pubsub_takes_pushed" {
  for_each = toset([for name, push in local.pushed : name if push.dead_letters])

  subscription = google_pubsub_subscription.push[each.key].name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "pubsub_takes_bigquery" {
  count = var.bigquery ? 1 : 0

  subscription = google_pubsub_subscription.bigquery[0].name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

# Cloud Build

resource "google_storage_bucket_iam_member" "build_reads_sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

resource "google_artifact_registry_repository_iam_member" "build_pushes_images" {
  location   = google_artifact_registry_repository.crawler.location
  repository = google_artifact_registry_repository.crawler.repository_id
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

resource "google_project_iam_member" "build_writes_logs" {
  project = var.project
  role    = "roles/logging.logWriter"
  member  = google_service_account.build.member
}

resource "google_cloud_run_v2_service_iam_member" "build_deploys" {
  name     = google_cloud_run_v2_service.crawl_fn.name
  location = var.region
  role     = "roles/run.developer"
  member   = google_service_account.build.member
}

# Who deploys a service acts as its account.
resource "google_service_account_iam_member" "build_acts_as_run" {
  service_account_id = google_service_account.run.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.build.member
}
