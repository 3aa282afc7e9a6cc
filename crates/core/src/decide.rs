//! What is decided: functions of their arguments, with table tests.

pub mod answer;
pub mod judge;
pub mod soft_error;
pub mod traps;
