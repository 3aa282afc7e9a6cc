//! The contract suites on the ports in memory.

use recrawl_core::memory::MemoryStore;

recrawl_testkit::store_conformance!(MemoryStore::default());
recrawl_testkit::history_conformance!(MemoryStore::default());
recrawl_testkit::frontier_conformance!(MemoryStore::default());
recrawl_testkit::outbox_conformance!(MemoryStore::default());
recrawl_testkit::archives_conformance!(MemoryStore::default());
recrawl_testkit::retention_conformance!(MemoryStore::default());
recrawl_testkit::state_conformance!(MemoryStore::default());
recrawl_testkit::reopening_conformance!(MemoryStore::default());
recrawl_testkit::search_conformance!(MemoryStore::default());
recrawl_testkit::stumbles_conformance!(MemoryStore::default());
recrawl_testkit::site_plans_conformance!(MemoryStore::default());
recrawl_testkit::text_search_conformance!(MemoryStore::default());
