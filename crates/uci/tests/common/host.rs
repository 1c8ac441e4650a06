//! A host whose answers tests can foresee.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use quarterply_engine::params::Parameters;
use quarterply_uci::server::ServerHost;

/// A bench to this depth ends only when it is stopped.
pub const LONG_BENCH: u32 = 99;

/// A request of openings that ends only when it is stopped.
pub const ENDLESS_GENFENS: &str = "endless";

/// A host whose bench writes its arguments.
pub fn host() -> ServerHost {
    ServerHost {
        name: "Test 1.0".into(),
        author: "Nobody".into(),
        parameters: Parameters::default(),
        bench: Arc::new(|_, depth, control, write| {
            write(&format!("bench {depth:?}"));
            while depth == Some(LONG_BENCH) && !control.stopped() {
                thread::sleep(Duration::from_millis(5));
            }
        }),
        profiles: Arc::new(|path| Err(format!("{path}: no such file"))),
        show_parameters: false,
        genfens: Arc::new(|request, tell| match request {
            "" => Err("genfens needs a number".into()),
            ENDLESS_GENFENS => {
                while tell("again").is_continue() {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            }
            _ => {
                let _ = tell("first");
                let _ = tell(request);
                Ok(())
            }
        }),
    }
}
