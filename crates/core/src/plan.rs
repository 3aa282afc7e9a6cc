//! Which pages are visited, in which order and how often.

pub mod change_rate;
pub mod due;
pub mod priority;
pub mod sample;
pub mod visit_planner;
