//! How much memory there is, so that what does not fit is refused before it is tried.

use std::fs::read_to_string;

/// What is taken to be there where the system does not tell, bytes.
const UNTOLD: u64 = 8_000_000_000;

/// Four fifths of the memory that is free, bytes; 8 GB where the system does not tell.
pub fn available() -> u64 {
    let told = read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    // A container may hold less than its host; a word instead of a number means that it does not.
    let limit =
        read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    let free = told.map_or(UNTOLD, |kilobytes| kilobytes.saturating_mul(1024) / 5 * 4);
    free.min(limit.map_or(u64::MAX, |bytes| bytes / 5 * 4))
}

/// What is allowed, where that is less than `needs` bytes; what is little is always allowed, and the system not asked.
pub fn exceeded(needs: f64) -> Option<f64> {
    const LITTLE: f64 = 2e8;
    if needs < LITTLE {
        return None;
    }
    let allowed = available() as f64;
    (needs > allowed).then_some(allowed)
}
