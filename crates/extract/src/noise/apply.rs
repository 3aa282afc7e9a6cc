//! How noise rules are applied: to lines of text, to elements and their attributes, and to addresses.

pub(crate) use addresses::{Reduced, reduce_link, reduce_media};
pub(crate) use elements::{is_exempt, is_noisy_attribute, marks_noise, names_can_be_noise, noise_of_names};
pub(crate) use lines::remove_noise;

mod addresses;
mod elements;
mod lines;
