# Sources on their way to Cloud Build. A bucket of our own, because the build's service account
# may read this one and no other.
resource "google_storage_bucket" "sources" {
  name                        = "${var.project}-recrawl-sources"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # copies of what is in the repository

  lifecycle_rule {
    action {
      type = "Delete"
    }

    condition {
      age = 7
    }
  }

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [google_project_service.api]
}

# Bodies that are too big for a Firestore document of 1 MiB, or all of them. Objects are written once; a page that does
# not change keeps the one it has.
resource "google_storage_bucket" "bodies" {
  count = var.bodies_bucket ? 1 : 0

  name                        = "${var.project}-recrawl-bodies"
  location                    = var.region
  storage_class               = "STANDARD" # the class of the free 5 GB
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  # Half the price a month; a look at one costs a little. Seldom does anybody look at bodies of last season.
  lifecycle_rule {
    action {
      type          = "SetStorageClass"
      storage_class = "NEARLINE"
    }

    condition {
      age                   = 90
      matches_storage_class = ["STANDARD"]
    }
  }

  # Deleted bodies would be paid for another week otherwise.
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [google_project_service.api]
}
