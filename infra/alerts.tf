# Switched on by the variables alert_email and billing_account.

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
