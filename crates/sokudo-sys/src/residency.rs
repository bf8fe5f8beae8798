//! How much of a file is in the page cache.
