# Every announcement as a row, switched on by the variable bigquery. Pub/Sub may write one twice:
# count distinct ids.
resource "google_bigquery_dataset" "recrawl" {
  count = var.bigquery ? 1 : 0

  dataset_id  = "recrawl"
  description = "What Recrawl found"
  location    = var.region

  depends_on = [google_project_service.api]
}

resource "google_bigquery_table" "changed_pages" {
  count = var.bigquery ? 1 : 0

  dataset_id          = google_bigquery_dataset.recrawl[0].dataset_id
  table_id            = "changed_pages"
  description         = "New, changed, moved and gone pages, shared changes, and the figures of each crawl"
  deletion_protection = true

  schema = jsonencode([
    { name = "id", type = "STRING", description = "SHA-256 of crawl and page, and of the site where that is not the default one: the same for a repeated message" },
    { name = "crawl", type = "STRING", description = "crawl-YYYY-MM-DD" },
    { name = "page", type = "STRING", description = "The URL of the page; the first of them in SHARED, and the root in SUMMARY" },
    { name = "change", type = "STRING", description = "ADD, CHANGE, DEL or MOVE; SHARED: a change that several pages share; SUMMARY: the crawl has ended" },
    { name = "aspects", type = "STRING", description = "From which sides it changed: some of text,links,media,meta" },
    { name = "diff", type = "STRING", description = "What changed, where that is known; in SUMMARY, the figures as JSON" },
    # New columns come last: BigQuery adds them to a table that is there.
    { name = "site", type = "STRING", description = "The name of the site" },
    { name = "title", type = "STRING", description = "The title of the page" },
    { name = "status", type = "INTEGER", description = "The status that it answered" },
    { name = "tier", type = "INTEGER", description = "1: the change is in the content" },
    { name = "weight", type = "INTEGER", description = "How much the change matters, from 0 to 1,000" },
    { name = "target", type = "STRING", description = "Where a page leads that moved" },
    { name = "pages", type = "INTEGER", description = "How many pages share the change, in SHARED" },
    { name = "link", type = "STRING", description = "Where the web page shows the change, or the crawl" },
  ])
}

resource "google_bigquery_dataset_iam_member" "pubsub_writes" {
  count = var.bigquery ? 1 : 0

  dataset_id = google_bigquery_dataset.recrawl[0].dataset_id
  role       = "roles/bigquery.dataEditor"
  member     = local.pubsub_agent
}

resource "google_pubsub_subscription" "bigquery" {
  count = var.bigquery ? 1 : 0

  name  = "changed-pages-bigquery"
  topic = google_pubsub_topic.topic["changed-pages"].id

  bigquery_config {
    table               = "${var.project}.${google_bigquery_dataset.recrawl[0].dataset_id}.${google_bigquery_table.changed_pages[0].table_id}"
    use_table_schema    = true
    drop_unknown_fields = true
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  expiration_policy {
    ttl = ""
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead["changed-pages"].id
    max_delivery_attempts = local.max_delivery_attempts
  }

  depends_on = [google_bigquery_dataset_iam_member.pubsub_writes]
}
