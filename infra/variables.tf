# Where

variable "project" {
  description = "ID of the Google Cloud project; one that holds nothing else is best"
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "A project ID has 6 to 30 lower-case letters, digits and hyphens, and starts with a letter."
  }
}

variable "region" {
  description = "Region of everything; us-west1, us-central1 and us-east1 have the free tier of Cloud Storage"
  type        = string
  default     = "us-west1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]{1,2}$", var.region))
    error_message = "A region looks like us-west1; multi-regions such as nam5 cost more and are not supported here."
  }
}

# What is crawled

variable "root_url" {
  description = "The site to watch: this page and everything below it"
  type        = string

  validation {
    condition     = can(regex("^https?://[^/?#@'[:space:]]+(/[^?#'[:space:]]*)?(\\?[^#'[:space:]]*)?$", var.root_url))
    error_message = "The root is an http or https URL without user name, white space, apostrophe and fragment."
  }
}

variable "sites" {
  description = "Further sites to watch, by name: root, schedule and time_zone, settings by their names in recrawl.toml (each a list of texts), and notify, the tables of its targets as jsonencode({...})"

  type = map(object({
    root      = string
    schedule  = optional(string)
    time_zone = optional(string)
    settings  = optional(map(list(string)), {})
    notify    = optional(string, "")
  }))

  default = {}

  validation {
    condition     = alltrue([for name in keys(var.sites) : can(regex("^[a-z0-9][a-z0-9._-]{0,99}$", name))])
    error_message = "A site has a name of 1 to 100 lower-case letters, digits, points, hyphens and underscores."
  }

  validation {
    condition     = alltrue([for site in values(var.sites) : can(regex("^https?://[^/?#@'[:space:]]+(/[^?#'[:space:]]*)?(\\?[^#'[:space:]]*)?$", site.root))])
    error_message = "A root is an http or https URL without user name, white space, apostrophe and fragment."
  }

  validation {
    condition     = alltrue([for site in values(var.sites) : site.notify == "" || can(keys(jsondecode(site.notify)))])
    error_message = "Who is told of a site is written as jsonencode({ NAME = { kind = ... } })."
  }
}

variable "adopt" {
  description = "Watch what somebody asks for and no site admits as a site of its own; otherwise it is refused and kept as a dead letter"
  type        = bool
  default     = false
}

variable "notify" {
  description = "Who is told of crawls of any site: the tables of targets as jsonencode({ NAME = { kind = ... } }); empty: nobody"
  type        = string
  default     = ""

  validation {
    condition     = var.notify == "" || can(keys(jsondecode(var.notify)))
    error_message = "Who is told is written as jsonencode({ NAME = { kind = ... } })."
  }
}

variable "secrets" {
  description = "Secrets of Secret Manager that targets name, by the names of variables: { TEAM_HOOK = \"team-hook\" } for url-env = \"TEAM_HOOK\"; each needs a version before"
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name, secret in var.secrets : can(regex("^[A-Z][A-Z0-9_]*$", name)) && !startswith(name, "RECRAWL_") && can(regex("^[A-Za-z0-9_-]{1,255}$", secret))])
    error_message = "A secret is named by its id in Secret Manager, and its variable by capitals, digits and underscores, not beginning with RECRAWL_."
  }
}

variable "contact" {
  description = "Where owners of the site can reach you; part of the user agent"
  type        = string

  validation {
    condition     = can(regex("^(https?://|mailto:)[!-'*-~]+$", var.contact))
    error_message = "The contact is an http, https or mailto URL in ASCII, without white space and parentheses."
  }
}

variable "delay" {
  description = "Seconds between the starts of two requests to a host"
  type        = number
  default     = 1

  validation {
    condition     = var.delay >= 1 && var.delay <= 60
    error_message = "The delay is 1 to 60 seconds."
  }
}

variable "keep_crawls" {
  description = "How many crawls are kept; older ones are deleted, except what the next crawl is compared with: the newest complete one and all after it"
  type        = number
  default     = 26

  validation {
    condition     = var.keep_crawls >= 2 && floor(var.keep_crawls) == var.keep_crawls
    error_message = "At least 2 crawls are kept, or there is nothing to compare."
  }
}

variable "settings" {
  description = "Further settings of the crawl, by their names in the environment of crawl-fn; lists have one value a line"
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([for name in keys(var.settings) : contains([
      "RECRAWL_ACCEPT_LANGUAGE",
      "RECRAWL_ALLOW_PRIVATE",
      "RECRAWL_ARCHIVE_SHARED",
      "RECRAWL_BACK_OFF",
      "RECRAWL_BODY_LIMIT",
      "RECRAWL_BODY_LIMIT_DOCUMENTS",
      "RECRAWL_BODY_MEMORY",
      "RECRAWL_BUDGET",
      "RECRAWL_CHECK_SHARE",
      "RECRAWL_COMPARE",
      "RECRAWL_DROP_PARAMETER",
      "RECRAWL_EXCLUDE",
      "RECRAWL_EXTRA_HOST",
      "RECRAWL_FRAME_WORDS",
      "RECRAWL_FULL_HISTORY",
      "RECRAWL_HEAD",
      "RECRAWL_IGNORE_REGEX",
      "RECRAWL_IGNORE_SELECTOR",
      "RECRAWL_INCLUDE",
      "RECRAWL_KEEP_ATTRIBUTE",
      "RECRAWL_KEEP_BODIES",
      "RECRAWL_LOG",
      "RECRAWL_MAX_DELAY",
      "RECRAWL_MAX_DEPTH",
      "RECRAWL_MAX_PAGES",
      "RECRAWL_MAX_RETRY_BACKOFF",
      "RECRAWL_MIN_DELAY",
      "RECRAWL_MODE",
      "RECRAWL_NOFOLLOW",
      "RECRAWL_NOISE_RULE",
      "RECRAWL_ONLY_SELECTOR",
      "RECRAWL_PARALLEL",
      "RECRAWL_PRESET",
      "RECRAWL_PRICES",
      "RECRAWL_PRIORITY_AGE",
      "RECRAWL_PRIORITY_DEPTH",
      "RECRAWL_PRIORITY_FREQUENCY",
      "RECRAWL_PRIORITY_SITEMAP",
      "RECRAWL_PRIORITY_SITEMAP_DUE",
      "RECRAWL_PRIORITY_UNVISITED",
      "RECRAWL_QUIET",
      "RECRAWL_RECHECK_SHARE",
      "RECRAWL_RETRIES",
      "RECRAWL_SHARED_PAGES",
      "RECRAWL_SHARED_SHARE",
      "RECRAWL_SITEMAPS",
      "RECRAWL_SITEMAP_CACHE",
      "RECRAWL_SKIP_IF_VISITED_DAYS",
      "RECRAWL_SMART_SAMPLE",
      "RECRAWL_SMART_THRESHOLD",
      "RECRAWL_SOFT_404",
      "RECRAWL_SUBDOMAINS",
      "RECRAWL_TEMPLATE_SHARE",
      "RECRAWL_TIME_OUT",
      "RECRAWL_TRAP_LIMIT",
      "RECRAWL_TRUST_FRESHNESS",
      "RECRAWL_USER_AGENT",
      "RECRAWL_WATCH_IMAGES",
      "RECRAWL_WEIGHT_ASIDE",
      "RECRAWL_WEIGHT_CALM",
      "RECRAWL_WEIGHT_CONTENT",
      "RECRAWL_WEIGHT_FIGURES",
      "RECRAWL_WEIGHT_FRAME",
      "RECRAWL_WEIGHT_GONE",
      "RECRAWL_WEIGHT_LENGTH",
      "RECRAWL_WEIGHT_LINKS",
      "RECRAWL_WEIGHT_MOVED",
      "RECRAWL_WEIGHT_NEAR_ROOT",
      "RECRAWL_WEIGHT_NEW",
      "RECRAWL_WEIGHT_ROBOTS",
      "RECRAWL_WEIGHT_SIZE",
      "RECRAWL_WEIGHT_TITLE",
    ], name)])
    error_message = "Only settings of the crawl can be set here, such as RECRAWL_EXCLUDE or RECRAWL_MODE; docs/REFERENCE.md lists them all."
  }
}

variable "bodies_bucket" {
  description = "Create a bucket for bodies that do not fit into a Firestore document"
  type        = bool
  default     = false
}

variable "all_bodies_in_bucket" {
  description = "Keep all bodies in that bucket, which is cheaper by the gigabyte than Firestore"
  type        = bool
  default     = false

  validation {
    condition     = var.bodies_bucket || !var.all_bodies_in_bucket
    error_message = "All bodies can only be kept in a bucket that is there: say bodies_bucket = true, too."
  }
}

# When

variable "schedule" {
  description = "When a crawl is opened, as a cron expression of five fields"
  type        = string
  default     = "0 3 * * 1"

  validation {
    condition     = can(regex("^[0-9*/,-]+ [0-9*/,-]+ [0-9*/,-]+ [0-9A-Za-z*/,-]+ [0-9A-Za-z*/,-]+$", var.schedule))
    error_message = "The schedule has five fields (minute, hour, day, month, weekday), such as 0 3 * * 1."
  }
}

variable "time_zone" {
  description = "Time zone of the schedule, by its name in the tz database"
  type        = string
  default     = "Etc/UTC"

  validation {
    condition     = can(regex("^[A-Z][A-Za-z]*(/[A-Za-z0-9_+-]+)*$", var.time_zone))
    error_message = "A time zone looks like America/Los_Angeles."
  }
}

variable "paused" {
  description = "Stop opening crawls and looking after open ones; nothing is deleted"
  type        = bool
  default     = false
}

# Archiving

variable "archive" {
  description = "What the Wayback Machine is asked to archive: never, changes, or all (changes and the first crawl)"
  type        = string
  default     = "changes"

  validation {
    condition     = contains(["never", "changes", "all"], var.archive)
    error_message = "Archiving is never, changes or all."
  }
}

variable "archive_keys" {
  description = "Set once the secret archive-keys has a version: archive with an account, three times as fast"
  type        = bool
  default     = false
}

# Looking at it

variable "web_page" {
  description = "The web page: off, private (for web_page_members) or public; only after the first build, whose image it runs"
  type        = string
  default     = "off"

  validation {
    condition     = contains(["off", "private", "public"], var.web_page)
    error_message = "The web page is off, private or public."
  }

  validation {
    condition     = var.web_page == "off" || var.image_built
    error_message = "The web page runs the image of the first build: build it, and say image_built = true."
  }
}

variable "all_users_allowed" {
  description = "Whether your organisation lets you give a role to allUsers; if not, a public web page is one whose visitors Cloud Run does not check"
  type        = bool
  default     = true
}

variable "web_page_members" {
  description = "Who may see a private web page, such as user:you@example.org, group:desk@example.org or domain:example.org"
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.web_page_members : can(regex("^(user:|group:|serviceAccount:)[^@[:space:]]+@[^@[:space:]]+$|^domain:[^@[:space:]]+$", member))])
    error_message = "A member looks like user:you@example.org, group:, serviceAccount: or domain:example.org; for everybody say web_page = public."
  }
}

# Copies

variable "backup_weeks" {
  description = "How many weeks a weekly backup of Firestore is kept; 0: no backups"
  type        = number
  default     = 0

  validation {
    condition     = var.backup_weeks >= 0 && var.backup_weeks <= 14 && floor(var.backup_weeks) == var.backup_weeks
    error_message = "Backups are kept for 1 to 14 whole weeks; 0 makes none."
  }
}

variable "exports_bucket" {
  description = "Create a bucket for exports of Firestore"
  type        = bool
  default     = false
}

# What costs money or needs rights on the billing account

variable "bigquery" {
  description = "Write every change to a BigQuery table as well"
  type        = bool
  default     = false
}

variable "alert_email" {
  description = "Who is told of unusual, overlong and overdue crawls, dead letters, errors and silence; empty: no alerts"
  type        = string
  default     = ""

  validation {
    condition     = var.alert_email == "" || can(regex("^[^@[:space:]]+@[^@[:space:]]+\\.[^@[:space:]]+$", var.alert_email))
    error_message = "The address for alerts looks like name@example.org."
  }
}

variable "backlog_hours" {
  description = "Age of the oldest waiting message that is an alert; longer than a crawl and its archiving take"
  type        = number
  default     = 12

  validation {
    # The alert looks at messages younger than Pub/Sub's retention of 7 days.
    condition     = var.backlog_hours >= 1 && var.backlog_hours <= 160
    error_message = "The age is 1 to 160 hours."
  }
}

variable "overlong_hours" {
  description = "Hours after which you are told of a crawl that is not closed; a site of 100,000 pages takes 28 at a page a second"
  type        = number
  default     = 24

  validation {
    condition     = var.overlong_hours >= 1
    error_message = "A crawl takes at least an hour to be overlong."
  }
}

variable "overdue_days" {
  description = "Days without a new crawl after which you are told; more than lie between two crawls by the schedule"
  type        = number
  default     = 8

  validation {
    condition     = var.overdue_days >= 1 && floor(var.overdue_days) == var.overdue_days
    error_message = "The number of days is whole and at least 1."
  }
}

variable "billing_account" {
  description = "Billing account (XXXXXX-XXXXXX-XXXXXX) that gets a budget for this project; empty: no budget"
  type        = string
  default     = ""

  validation {
    condition     = var.billing_account == "" || can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.billing_account))
    error_message = "A billing account looks like 0X0X0X-0X0X0X-0X0X0X, in hexadecimal capitals."
  }
}

variable "budget" {
  description = "Whole units a month, in the currency of the billing account, at which you are told; nothing is stopped"
  type        = number
  default     = 1

  validation {
    condition     = var.budget >= 1 && floor(var.budget) == var.budget
    error_message = "The budget is a whole number of at least 1."
  }
}

# The first deployment

variable "image_built" {
  description = "Set once Cloud Build has deployed the image: before that no crawl is opened, and messages wait"
  type        = bool
  default     = false
}

variable "image" {
  description = "What the service runs until Cloud Build deploys the real image; not looked at afterwards"
  type        = string
  default     = "us-docker.pkg.dev/cloudrun/container/hello"

  validation {
    condition     = can(regex("^[a-z0-9.-]+(/[a-z0-9._-]+)+(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})?$", var.image))
    error_message = "An image looks like REGION-docker.pkg.dev/PROJECT/REPOSITORY/NAME, with a tag or a digest."
  }
}
