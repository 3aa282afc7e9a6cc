locals {
  # The URL is known before the service is there, so that the service can be told which audience
  # to expect.
  crawl_fn_url = "https://crawl-fn-${data.google_project.this.number}.${var.region}.run.app"

  # What Cloud Build pushes, without the tag. It is named after this service; the web page runs it as well.
  image = "${var.region}-docker.pkg.dev/${var.project}/${google_artifact_registry_repository.crawler.repository_id}/crawl-fn"

  environment = {
    GOOGLE_CLOUD_PROJECT  = var.project
    RECRAWL_ROOT          = var.root_url
    RECRAWL_CONTACT       = var.contact
    RECRAWL_DELAY         = tostring(var.delay)
    RECRAWL_ARCHIVE       = var.archive
    RECRAWL_KEEP_CRAWLS   = tostring(var.keep_crawls)
    RECRAWL_OVERLONG      = "${var.overlong_hours}h"
    RECRAWL_OVERDUE       = "${var.overdue_days * 24}h"
    RECRAWL_ACK_DEADLINE  = tostring(local.ack_deadline_seconds)
    RECRAWL_PUSH_AUDIENCE = local.crawl_fn_url
    RECRAWL_PUSH_EMAIL    = google_service_account.push.email
  }

  # Sites beside that of root_url, as the service reads them.
  sites = {
    for name, site in var.sites : name => {
      root     = site.root
      settings = merge(site.settings, { for setting, value in { schedule = site.schedule, time-zone = site.time_zone } : setting => [value] if value != null })
      notify   = site.notify
    }
  }

  # What is said only where somebody says it.
  said = merge(
    length(var.sites) == 0 ? {} : { RECRAWL_SITES = jsonencode(local.sites) },
    var.notify == "" ? {} : { RECRAWL_NOTIFY = var.notify },
    var.adopt ? { RECRAWL_ADOPT = "true" } : {},
  )

  # Announcements link to a page that a browser can open: of a private one, it is up to you to say where it is seen.
  links = var.web_page == "public" ? { RECRAWL_PUBLIC_URL = local.page_url } : {}
}

resource "google_cloud_run_v2_service" "crawl_fn" {
  name                = "crawl-fn"
  location            = var.region
  ingress             = "INGRESS_TRAFFIC_INTERNAL_ONLY" # Pub/Sub of the same project counts as internal
  custom_audiences    = [local.crawl_fn_url]
  deletion_protection = false # it holds no data

  template {
    service_account = google_service_account.run.email

    # Longer than Pub/Sub waits, so that it is never Cloud Run that cuts a request off.
    timeout = "660s"

    # Pages wait inside their requests: crawl-fn publishes 240 at most, each of which may be delivered twice. The rest is
    # for captures, ticks and what somebody else publishes.
    max_instance_request_concurrency = 550

    # One process keeps the pace of a host. Two may overlap while a revision is replaced.
    scaling {
      min_instance_count = 0
      max_instance_count = 1
    }

    containers {
      image = var.image

      resources {
        limits = {
          cpu    = "1"
          memory = "512Mi"
        }

        cpu_idle = true # paid by the request
      }

      # Asked of the container itself. From outside, Google keeps paths that end in z for itself.
      startup_probe {
        period_seconds    = 1
        timeout_seconds   = 1
        failure_threshold = 30

        http_get {
          path = "/healthz"
        }
      }

      dynamic "env" {
        for_each = local.environment

        content {
          name  = env.key
          value = env.value
        }
      }

      dynamic "env" {
        for_each = merge(local.links, local.said, var.settings)

        content {
          name  = env.key
          value = env.value
        }
      }

      dynamic "env" {
        for_each = google_storage_bucket.bodies

        content {
          name  = "RECRAWL_BODIES_BUCKET"
          value = env.value.name
        }
      }

      dynamic "env" {
        for_each = google_storage_bucket.bodies

        content {
          name  = "RECRAWL_ALL_BODIES_IN_BUCKET"
          value = tostring(var.all_bodies_in_bucket)
        }
      }

      # What targets of notifications name, such as the address of a webhook that nobody is to know.
      dynamic "env" {
        for_each = var.secrets

        content {
          name = env.key

          value_source {
            secret_key_ref {
              secret  = env.value
              version = "latest"
            }
          }
        }
      }

      # Cloud Run does not start a service whose secret has no version yet.
      dynamic "env" {
        for_each = var.archive_keys ? [google_secret_manager_secret.archive_keys.secret_id] : []

        content {
          name = "RECRAWL_ARCHIVE_KEYS"

          value_source {
            secret_key_ref {
              secret  = env.value
              version = "latest"
            }
          }
        }
      }
    }
  }

  lifecycle {
    # Cloud Build deploys images, and gcloud leaves its name.
    ignore_changes = [template[0].containers[0].image, client, client_version]
  }

  # A revision that may not yet read its secret does not start.
  depends_on = [
    google_firestore_database.default,
    google_project_service.api,
    google_secret_manager_secret_iam_member.run_reads_keys,
    google_secret_manager_secret_iam_member.run_reads_secrets,
  ]
}

# Access key and secret of an account at archive.org, as `accesskey:secret`. The value is put in
# by hand, so that it is in no file and in no Terraform state.
resource "google_secret_manager_secret" "archive_keys" {
  secret_id = "archive-keys"

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}
