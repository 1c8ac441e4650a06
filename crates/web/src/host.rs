//! Functions of the host; outside of WebAssembly, for tests, a host that does nothing.

#[cfg(target_arch = "wasm32")]
mod imported {
    #[expect(unsafe_code, reason = "functions of the host")]
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        safe fn now() -> f64;
        safe fn line(address: *const u8, length: usize);
        safe fn panicked(address: *const u8, length: usize);
        safe fn poll(address: *const u8, length: usize) -> u32;
        safe fn part(address: *const u8, length: usize, end: *const u8, end_length: usize);
    }

    pub fn milliseconds() -> f64 {
        now()
    }

    pub fn send_line(text: &str) {
        line(text.as_ptr(), text.len());
    }

    pub fn report_panic(text: &str) {
        panicked(text.as_ptr(), text.len());
    }

    pub fn send_part(fresh: &[u8], end: &[u8]) {
        part(fresh.as_ptr(), fresh.len(), end.as_ptr(), end.len());
    }

    pub fn signals(progress: &str) -> u32 {
        poll(progress.as_ptr(), progress.len())
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod imported {
    pub fn send_line(_: &str) {}

    pub fn send_part(_: &[u8], _: &[u8]) {}
}

pub(crate) use imported::*;
