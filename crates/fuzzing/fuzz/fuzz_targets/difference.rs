#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recrawl_fuzzing::compare_texts(data));
