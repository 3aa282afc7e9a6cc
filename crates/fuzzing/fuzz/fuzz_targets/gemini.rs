#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| recrawl_fuzzing::read_gemini(data));
