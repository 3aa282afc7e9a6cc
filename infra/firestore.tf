# Free: 1 GiB, 50,000 reads, 20,000 writes and 20,000 deletes a day, for one database of a project.
resource "google_firestore_database" "default" {
  name                    = "(default)"
  location_id             = var.region
  type                    = "FIRESTORE_NATIVE"
  delete_protection_state = "DELETE_PROTECTION_ENABLED"
  deletion_policy         = "ABANDON" # `terraform destroy` leaves the history alone

  depends_on = [google_project_service.api]
}

# Long texts and lists are never searched for, and an index on them would be larger than they are:
# a document has at most 40,000 index entries. Exemptions go by the ID of a collection, so they also
# hold below sites/. The collections crawl-YYYY-MM-DD cannot be named ahead; what is big stays out of them.
locals {
  not_indexed = {
    content-body           = { collection = "content", field = "body" }
    content-meanings       = { collection = "content", field = "meanings" }
    content-more-links     = { collection = "content", field = "more_links" }
    content-outbound-links = { collection = "content", field = "outbound_links" }
    content-outline        = { collection = "content", field = "outline" }
    content-text           = { collection = "content", field = "text" }
    content-text-zstd      = { collection = "content", field = "text_zstd" }
    content-title-zstd     = { collection = "content", field = "title_zstd" }
    links-outbound-links   = { collection = "links", field = "outbound_links" }
    memos-value            = { collection = "memos", field = "value" }
    memos-value-zstd       = { collection = "memos", field = "value_zstd" }
    roll-pages             = { collection = "roll", field = "pages" }
    roll-sightings         = { collection = "roll", field = "sightings" }
    shared-changes         = { collection = "shared", field = "changes" }
    texts-text             = { collection = "texts", field = "text" }
    texts-text-zstd        = { collection = "texts", field = "text_zstd" }
    texts-used-by          = { collection = "texts", field = "used_by" }
  }
}

resource "google_firestore_field" "not_indexed" {
  for_each = local.not_indexed

  database   = google_firestore_database.default.name
  collection = each.value.collection
  field      = each.value.field

  # Empty: no index at all.
  index_config {}
}
