//! The `recrawl` command: what changed on a web site this week.

use std::process::ExitCode;

// The system allocator keeps what many threads freed; this one gives it back and is faster.
#[global_allocator]
static ALLOCATOR: recrawl_allocator::Allocator = recrawl_allocator::allocator();

fn main() -> ExitCode {
    #[cfg(feature = "documents")]
    if let Some(ended) = recrawl_documents::child::run_if_asked() {
        return ended;
    }
    recrawl::run()
}
