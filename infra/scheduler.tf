locals {
  # The placeholder answers 200 to everything, so what reaches it is lost.
  is_live = var.image_built && !var.paused
}

# Opens a crawl: the same message as `gcloud pubsub topics publish crawl --message=URL`.
resource "google_cloud_scheduler_job" "weekly" {
  name        = "weekly"
  description = "Opens a crawl of ${var.root_url}"
  region      = var.region
  schedule    = var.schedule
  time_zone   = var.time_zone
  paused      = !local.is_live

  pubsub_target {
    topic_name = google_pubsub_topic.topic["crawl"].id
    data       = base64encode(var.root_url)
  }

  retry_config {
    retry_count = 5
  }

  depends_on = [google_project_service.api]
}

# Looks after an open crawl: audits it when it is quiet, closes it, deletes old ones. Cheap when none is open.
resource "google_cloud_scheduler_job" "tick" {
  name        = "tick"
  description = "Audits and closes open crawls"
  region      = var.region
  schedule    = "*/10 * * * *"
  time_zone   = "Etc/UTC"
  paused      = !local.is_live

  pubsub_target {
    topic_name = google_pubsub_topic.topic["tick"].id
    data       = base64encode("tick")
  }

  depends_on = [google_project_service.api]
}
