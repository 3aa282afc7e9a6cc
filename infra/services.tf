# The project: which APIs are on, and where images and sources are kept.

data "google_project" "this" {
  project_id = var.project
}

locals {
  apis = concat(
    [
      "artifactregistry.googleapis.com",
      "cloudbuild.googleapis.com",
      "cloudscheduler.googleapis.com",
      "firestore.googleapis.com",
      "iam.googleapis.com",
      "logging.googleapis.com",
      "monitoring.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
      "storage.googleapis.com",
    ],
    var.bigquery ? ["bigquery.googleapis.com"] : [],
    var.billing_account == "" ? [] : ["billingbudgets.googleapis.com"],
  )

  # Pub/Sub itself acts under this name when it moves dead letters and fills BigQuery.
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_project_service" "api" {
  for_each = toset(local.apis)

  service            = each.key
  disable_on_destroy = false # other things in the project may use it
}

resource "google_artifact_registry_repository" "crawler" {
  repository_id = "crawler"
  description   = "Images of Recrawl"
  location      = var.region
  format        = "DOCKER"

  # 0.5 GB are free. What is kept wins over what is deleted.
  cleanup_policies {
    id     = "keep-images"
    action = "KEEP"

    most_recent_versions {
      package_name_prefixes = ["crawl-fn"]
      keep_count            = 3
    }
  }

  # The cache of a build, see cloudbuild.yaml.
  cleanup_policies {
    id     = "keep-dependencies"
    action = "KEEP"

    most_recent_versions {
      package_name_prefixes = ["dependencies"]
      keep_count            = 1
    }
  }

  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"

    condition {
      tag_state  = "ANY"
      older_than = "604800s"
    }
  }

  depends_on = [google_project_service.api]
}
