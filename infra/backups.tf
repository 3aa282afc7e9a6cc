# Copies of the history, switched on by the variables backup_weeks and exports_bucket. Neither is free.

# Google's own copy of the database, as it was on a Sunday; it can be restored into another database.
resource "google_firestore_backup_schedule" "weekly" {
  count = var.backup_weeks == 0 ? 0 : 1

  database  = google_firestore_database.default.name
  retention = "${var.backup_weeks * 604800}s"

  weekly_recurrence {
    day = "SUNDAY"
  }
}

# Where exports go: files that outlive the project's database and can be loaded into another project.
resource "google_storage_bucket" "exports" {
  count = var.exports_bucket ? 1 : 0

  name                        = "${var.project}-recrawl-exports"
  location                    = var.region # the database can only be exported to a bucket of its own region
  storage_class               = "NEARLINE"
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  depends_on = [google_project_service.api]
}
