//! File extents, as FIEMAP tells them.
