locals {
  # What crawl-fn takes, and where. A tick is worth nothing once the next one is there, so an old one
  # is forgotten and never becomes a dead letter.
  pushed = {
    crawl   = { path = "/pubsub/crawl", retention = "604800s", dead_letters = true }
    archive = { path = "/pubsub/archive", retention = "604800s", dead_letters = true }
    tick    = { path = "/pubsub/tick", retention = "3600s", dead_letters = false }
  }

  topics     = toset(["crawl", "changed-pages", "archive", "tick"])
  published  = toset(["crawl", "changed-pages", "archive"]) # by crawl-fn; ticks come from Cloud Scheduler
  with_death = toset(["crawl", "changed-pages", "archive"]) # of changed-pages, rows that BigQuery refuses

  # For a push it is the time-out of the request, too, and 600 is the most there is. Pages wait for
  # their turn inside the request.
  ack_deadline_seconds = 600

  # The most there is: each answer of 429 or 503 counts as an attempt, and a site may be in trouble for hours. With a
  # small number good pages would end as dead letters.
  max_delivery_attempts = 100
}

resource "google_pubsub_topic" "topic" {
  for_each = local.topics

  name       = each.key
  depends_on = [google_project_service.api]
}

resource "google_pubsub_topic" "dead" {
  for_each = local.with_death

  name       = "${each.key}-dead"
  depends_on = [google_project_service.api]
}

# A topic forgets what nobody subscribed to: this keeps dead letters for a person to look at.
resource "google_pubsub_subscription" "dead" {
  for_each = local.with_death

  name                       = "${each.key}-dead"
  topic                      = google_pubsub_topic.dead[each.key].id
  message_retention_duration = "2678400s"

  expiration_policy {
    ttl = ""
  }
}

resource "google_pubsub_subscription" "push" {
  for_each = local.pushed

  name                       = each.key
  topic                      = google_pubsub_topic.topic[each.key].id
  ack_deadline_seconds       = local.ack_deadline_seconds
  message_retention_duration = each.value.retention

  push_config {
    push_endpoint = "${local.crawl_fn_url}${each.value.path}"

    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = local.crawl_fn_url
    }
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  # Without it a subscription that is idle for 31 days is deleted, for example while paused.
  expiration_policy {
    ttl = ""
  }

  dynamic "dead_letter_policy" {
    for_each = each.value.dead_letters ? [each.key] : []

    content {
      dead_letter_topic     = google_pubsub_topic.dead[dead_letter_policy.value].id
      max_delivery_attempts = local.max_delivery_attempts
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.push_invokes]
}

# Keeps announcements for whoever wants to read them. Without dead letters: each look that acknowledges nothing counts as
# an attempt, and a hundred looks are no failure.
resource "google_pubsub_subscription" "changed_pages" {
  name                       = "changed-pages"
  topic                      = google_pubsub_topic.topic["changed-pages"].id
  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s"

  expiration_policy {
    ttl = ""
  }
}
