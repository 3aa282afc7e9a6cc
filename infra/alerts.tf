# Switched on by the variables alert_email and billing_account.

locals {
  # What crawl-fn says in the field `alarm` of a line of its log, and what that means.
  alarms = {
    unusual = {
      title = "a crawl is unusual"
      help  = "Its changes are not announced until somebody accepts it, or the next crawl finds the same. See docs/DEPLOY.md, An unusual crawl."
    }
    overlong = {
      title = "a crawl is not closed after ${var.overlong_hours} hours"
      help  = "A large site takes that long; otherwise the host is in trouble, or messages are not worked off. See docs/DEPLOY.md, Trouble."
    }
    overdue = {
      title = "no crawl for ${var.overdue_days} days"
      help  = "Is the job weekly still there, and not paused? See docs/DEPLOY.md, Trouble."
    }
  }

  log_of_service = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${google_cloud_run_v2_service.crawl_fn.name}\""

  # Requests are left out: 429 and 503 only ask Pub/Sub to come again, and Cloud Run calls them errors.
  errors = "(resource.type=\"cloud_run_revision\" OR resource.type=\"cloud_scheduler_job\") AND severity>=ERROR AND NOT log_id(\"run.googleapis.com/requests\") AND NOT httpRequest.status=429"
}

resource "google_monitoring_notification_channel" "email" {
  count = var.alert_email == "" ? 0 : 1

  display_name = "Recrawl"
  type         = "email"

  labels = {
    email_address = var.alert_email
  }

  depends_on = [google_project_service.api]
}

resource "google_monitoring_alert_policy" "dead_letters" {
  count = var.alert_email == "" ? 0 : 1

  display_name          = "Recrawl: dead letters"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].id]

  conditions {
    display_name = "A message could not be worked off"

    condition_threshold {
      filter          = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.labels.subscription_id = one_of(${join(", ", [for name in local.with_death : "\"${name}-dead\""])})"
      comparison      = "COMPARISON_GT"
      threshold_value = 0
      duration        = "0s"

      aggregations {
        alignment_period   = "300s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  documentation {
    content   = "See docs/DEPLOY.md, Trouble: what is in the dead-letter subscription, why, and how to send it again."
    mime_type = "text/markdown"
  }
}

resource "google_monitoring_alert_policy" "backlog" {
  count = var.alert_email == "" ? 0 : 1

  display_name          = "Recrawl: messages wait for too long"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].id]

  conditions {
    display_name = "The oldest message is older than ${var.backlog_hours} hours"

    condition_threshold {
      filter          = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.labels.subscription_id = one_of(${join(", ", [for name, push in local.pushed : "\"${name}\"" if push.dead_letters])})"
      comparison      = "COMPARISON_GT"
      threshold_value = var.backlog_hours * 3600
      duration        = "600s"

      aggregations {
        alignment_period   = "300s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  documentation {
    content   = "See docs/DEPLOY.md, Trouble: the service may be failing, or the site is larger than backlog_hours allows for."
    mime_type = "text/markdown"
  }
}

resource "google_monitoring_alert_policy" "alarm" {
  for_each = var.alert_email == "" ? {} : local.alarms

  display_name          = "Recrawl: ${each.value.title}"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].id]

  conditions {
    display_name = each.value.title

    condition_matched_log {
      filter = "${local.log_of_service} AND jsonPayload.alarm=\"${each.key}\""
    }
  }

  # Some are said again with every tick.
  alert_strategy {
    auto_close = "604800s"

    notification_rate_limit {
      period = "86400s"
    }
  }

  documentation {
    content   = each.value.help
    mime_type = "text/markdown"
  }
}

resource "google_monitoring_alert_policy" "errors" {
  count = var.alert_email == "" ? 0 : 1

  display_name          = "Recrawl: an error in the log"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].id]

  conditions {
    display_name = "Severity ERROR or worse"

    condition_matched_log {
      filter = local.errors
    }
  }

  alert_strategy {
    auto_close = "86400s"

    notification_rate_limit {
      period = "21600s"
    }
  }

  documentation {
    content   = "See docs/DEPLOY.md, Trouble: the command that shows errors only."
    mime_type = "text/markdown"
  }
}

# Who is silent says no alarm either: ticks come every ten minutes.
resource "google_monitoring_alert_policy" "silence" {
  count = var.alert_email == "" || !local.is_live ? 0 : 1

  display_name          = "Recrawl: no tick was handled for an hour"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].id]

  conditions {
    display_name = "No push of the subscription tick was acknowledged"

    condition_absent {
      filter   = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/push_request_count\" AND metric.labels.response_class = \"ack\" AND resource.labels.subscription_id = \"${google_pubsub_subscription.push["tick"].name}\""
      duration = "3600s"

      aggregations {
        alignment_period     = "600s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    content   = "See docs/DEPLOY.md, Trouble: the job tick, the subscription tick, and the log of the service."
    mime_type = "text/markdown"
  }
}

# Tells, does not stop: Google Cloud has no hard limit for spending.
resource "google_billing_budget" "project" {
  count = var.billing_account == "" ? 0 : 1

  billing_account = var.billing_account
  display_name    = "Recrawl"

  budget_filter {
    projects = ["projects/${data.google_project.this.number}"]
  }

  amount {
    specified_amount {
      units = tostring(var.budget)
    }
  }

  threshold_rules {
    threshold_percent = 0.5
  }

  threshold_rules {
    threshold_percent = 1.0
  }

  # Billing administrators are told anyway.
  dynamic "all_updates_rule" {
    for_each = google_monitoring_notification_channel.email

    content {
      monitoring_notification_channels = [all_updates_rule.value.id]
    }
  }

  depends_on = [google_project_service.api]
}
