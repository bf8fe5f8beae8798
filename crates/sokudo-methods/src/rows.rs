//! Rows that several methods have.

pub mod capacity;
pub mod one_row;
pub mod sequential_writes;
pub mod several;
pub mod surface;
pub mod writing_cost;
