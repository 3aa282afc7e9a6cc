terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 6.50"
    }
  }

  # State is kept beside these files, unless backend.tf says otherwise: see backend.tf.example.
}

provider "google" {
  project = var.project
  region  = var.region

  # The budget API wants to know which project pays for the call.
  billing_project       = var.project
  user_project_override = true
}
