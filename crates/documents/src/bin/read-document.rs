//! Reads a document as a crawl does, and prints what it says: `read-document PDF LENGTH < FILE`. For tests.

use std::process::ExitCode;

// The one of the programs: what a limit on memory means depends on it.
#[global_allocator]
static ALLOCATOR: recrawl_allocator::Allocator = recrawl_allocator::allocator();

fn main() -> ExitCode {
    recrawl_documents::child::run_if_asked().unwrap_or(ExitCode::from(2))
}
