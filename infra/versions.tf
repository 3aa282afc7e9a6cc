terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 6.50"
    }
  }

  # State is kept beside these files unless you say otherwise. To share it, create a bucket once
  # (gcloud storage buckets create gs://PROJECT-terraform --location=REGION --uniform-bucket-level-access),
  # take the comment signs off and run `terraform init -migrate-state`.
  # backend "gcs" {
  #   bucket = "PROJECT-terraform"
  #   prefix = "recrawl"
  # }
}

provider "google" {
  project = var.project
  region  = var.region

  # The budget API wants to know which project pays for the call.
  billing_project       = var.project
  user_project_override = true
}
