# The web page: the image of crawl-fn once more, started as `recrawl serve`. It only reads, and IAM is its door.

locals {
  has_page = var.web_page != "off"
  page_url = "https://web-page-${data.google_project.this.number}.${var.region}.run.app"

  # Who may look at it.
  page_readers = {
    off     = []
    private = var.web_page_members
    public  = var.all_users_allowed ? ["allUsers"] : []
  }[var.web_page]

  # The other way to let everybody in: nobody is asked. For organisations that refuse a role for allUsers.
  is_page_unguarded = var.web_page == "public" && !var.all_users_allowed
}

resource "google_cloud_run_v2_service" "web_page" {
  count = local.has_page ? 1 : 0

  name                = "web-page"
  location            = var.region
  ingress             = "INGRESS_TRAFFIC_ALL" # people come from anywhere; without a role they are refused by Google
  deletion_protection = false                 # it holds no data

  invoker_iam_disabled = local.is_page_unguarded

  template {
    service_account = google_service_account.page[0].email

    # Who watches an open crawl holds a request, which is paid for; browsers come back by themselves.
    timeout = "60s"

    # Bounds memory: a page with thousands of changes is a few megabytes while it is made.
    max_instance_request_concurrency = 20

    scaling {
      min_instance_count = 0
      max_instance_count = 1 # bounds what can be spent
    }

    containers {
      # No placeholder: that one has no such program. The build pushes this tag.
      image   = "${local.image}:latest"
      command = ["/usr/local/bin/recrawl"]
      args = [
        "serve",
        "--read-only",
        "--store=firestore:${var.project}",
        "--listen=0.0.0.0:8080",
        "--public-url=${local.page_url}",
      ]

      ports {
        container_port = 8080
      }

      resources {
        limits = {
          cpu    = "1"
          memory = "256Mi"
        }

        cpu_idle = true # paid by the request
      }

      dynamic "env" {
        for_each = google_storage_bucket.bodies

        content {
          name  = "RECRAWL_BODIES_BUCKET"
          value = env.value.name
        }
      }

      # What the page shows of costs goes by these prices.
      dynamic "env" {
        for_each = { for name, value in var.settings : name => value if name == "RECRAWL_PRICES" }

        content {
          name  = env.key
          value = env.value
        }
      }
    }
  }

  lifecycle {
    # Cloud Build deploys images, and gcloud leaves its name.
    ignore_changes = [template[0].containers[0].image, client, client_version]
  }

  depends_on = [
    google_firestore_database.default,
    google_project_iam_member.page_reads_firestore,
  ]
}

resource "google_cloud_run_v2_service_iam_member" "page_is_seen" {
  for_each = toset(local.page_readers)

  name     = google_cloud_run_v2_service.web_page[0].name
  location = var.region
  role     = "roles/run.invoker"
  member   = each.key
}

# What the page may do: read.

resource "google_service_account" "page" {
  count = local.has_page ? 1 : 0

  account_id   = "crawler-page"
  display_name = "Recrawl: the web page"
  depends_on   = [google_project_service.api]
}

resource "google_project_iam_member" "page_reads_firestore" {
  count = local.has_page ? 1 : 0

  project = var.project
  role    = "roles/datastore.viewer" # there is no role on a single database
  member  = google_service_account.page[0].member
}

resource "google_storage_bucket_iam_member" "page_reads_bodies" {
  count = local.has_page && var.bodies_bucket ? 1 : 0

  bucket = google_storage_bucket.bodies[0].name
  role   = "roles/storage.objectViewer"
  member = google_service_account.page[0].member
}

# Cloud Build deploys the page together with crawl-fn.

resource "google_cloud_run_v2_service_iam_member" "build_deploys_page" {
  count = local.has_page ? 1 : 0

  name     = google_cloud_run_v2_service.web_page[0].name
  location = var.region
  role     = "roles/run.developer"
  member   = google_service_account.build.member
}

resource "google_service_account_iam_member" "build_acts_as_page" {
  count = local.has_page ? 1 : 0

  service_account_id = google_service_account.page[0].name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.build.member
}
