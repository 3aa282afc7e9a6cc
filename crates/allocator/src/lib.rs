//! Memory for Recrawl: mimalloc, which can be told to give back what was freed.
//!
//! mimalloc keeps what is freed for a second, in case it is needed again. After a page of 10 MB that is 70 MB, beside the
//! 100 MB that the next such page takes. This crate is the only one with unsafe code: one call of a C function.

/// What a program names as its `#[global_allocator]`.
pub type Allocator = mimalloc::MiMalloc;

/// Returns the [`Allocator`].
#[must_use]
pub const fn allocator() -> Allocator {
    mimalloc::MiMalloc
}

/// Gives back to the system what was freed and is kept for later; worth it after much was freed.
#[expect(unsafe_code, reason = "the C function has no safe counterpart in the crate mimalloc")]
pub fn give_back() {
    // SAFETY: `mi_collect` takes no pointers, may be called from any thread at any time, and frees nothing that is in use.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Allocator = allocator();

    fn resident_kb() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    #[test]
    fn what_was_freed_is_given_back_at_once() {
        let before = resident_kb();
        let large = vec![1_u8; 60 << 20];
        assert!(resident_kb() > before + 50_000 && large.iter().all(|byte| *byte == 1));
        drop(large);
        give_back();
        assert!(resident_kb() < before + 10_000, "{} kB, {before} kB before", resident_kb());
    }
}
