//! Drives a headless Chromium over its debugging pipe: messages are JSON, each ended by a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Names of the program; the first that is found is taken.
const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// Set where a missing browser is a failure.
pub const REQUIRED: &str = "QUARTERPLY_BROWSER_REQUIRED";
/// Time limit of an answer: other programs may be busy on this machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Asks the system's shell to put the pipe where the browser expects it.
const START: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"#;

/// A running browser with one page.
pub struct Chromium {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    number: u64,
    /// Errors that the page wrote to its console or threw.
    pub errors: Vec<String>,
    profile: PathBuf,
}

/// The file that `variable` names, else the one at `usual`. A message if it is not there; a failure where pages must be tested.
pub fn needed(variable: &str, usual: &str, untested: &str, remedy: &str) -> Option<Vec<u8>> {
    let path = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let found = std::fs::read(&path).ok();
    if found.is_none() {
        assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and {path} is missing: {remedy}");
        let _ = writeln!(std::io::stderr(), "SKIPPED: {untested}: no {path} ({remedy})");
    }
    found
}

/// The installed browser, if there is one.
pub fn program() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = PROGRAMS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|path| path.is_file())
}

impl Chromium {
    /// Starts a browser with an empty page; `None`, with a message, if none is installed. Panics then if [`REQUIRED`] is set.
    pub fn start(name: &str) -> Option<Chromium> {
        let Some(program) = program() else {
            let places = PROGRAMS.join(" or ");
            assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and {places} is not in PATH");
            // Not by a macro: the words of a test that passes are kept from people.
            let _ = writeln!(std::io::stderr(), "SKIPPED: the page is not tested ({name}): no {places} in PATH");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("quarterply-{name}-{}", std::process::id()));
        let mut child = Command::new("sh")
            .args(["-c", START])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"])
            .args(["--hide-scrollbars", "--disable-dev-shm-usage", "--disable-extensions"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("piped");
        let output = child.stdout.take().expect("piped");
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                if let Ok(message) = serde_json::from_slice(&message)
                    && sender.send(message).is_err()
                {
                    return;
                }
            }
        });
        let mut browser =
            Chromium { child, input, messages, session: String::new(), number: 0, errors: Vec::new(), profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// The same with a window of an ordinary size and light colours.
    pub fn desktop(name: &str) -> Option<Chromium> {
        let mut browser = Chromium::start(name)?;
        browser.look(1280, 800, false);
        Some(browser)
    }

    /// Sends a command and waits for its answer; events meanwhile are recorded.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = self.messages.recv_timeout(left).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let error = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => Some(parameters["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => Some(parameters["args"].to_string()),
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => Some(parameters["entry"].to_string()),
            _ => None,
        };
        self.errors.extend(error);
    }

    /// Sets the size of the window and whether dark colours are preferred.
    pub fn look(&mut self, width: u32, height: u32, dark: bool) {
        let mobile = width < 760;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": if mobile { 2 } else { 1 }, "mobile": mobile}),
        );
        let scheme = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]}),
        );
    }

    /// Lays the page out as for a printer.
    pub fn print(&mut self) {
        self.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    }

    /// Loads a page and waits until it is ready; says how long that took.
    pub fn open(&mut self, url: &str) -> Duration {
        // The page before this one must not be taken for it.
        self.eval("delete document.documentElement.dataset.ready");
        let start = Instant::now();
        self.call("Page.navigate", json!({"url": url}));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
        start.elapsed()
    }

    /// Value of an expression in the page; promises are awaited.
    pub fn eval(&mut self, expression: &str) -> Value {
        let answer = self
            .call("Runtime.evaluate", json!({"expression": expression, "awaitPromise": true, "returnByValue": true}));
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Value of an expression that is a text.
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().expect("a text").to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while self.eval(expression) != json!(true) {
            assert!(Instant::now() < deadline, "never true: {expression}; errors: {:?}", self.errors);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses and releases a key.
    pub fn key(&mut self, key: &str) {
        // The default action of the browser depends on the code of the key.
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Tab" => (9, ""),
            " " => (32, " "),
            "ArrowUp" => (38, ""),
            "ArrowDown" => (40, ""),
            _ if key.chars().count() == 1 => (0, key),
            _ => (0, ""),
        };
        for (sort, text) in [("keyDown", text), ("keyUp", "")] {
            let event = json!({"type": sort, "key": key, "text": text, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks at a place, `[x, y]`, with a button of the mouse: `left` or `right`.
    pub fn click(&mut self, place: &Value, button: &str) {
        for (sort, button) in [("mouseMoved", "none"), ("mousePressed", button), ("mouseReleased", button)] {
            let event = json!({"type": sort, "x": place[0], "y": place[1], "button": button, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Clicks in the middle of the element that a selector finds.
    pub fn click_on(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        ));
        self.click(&place, "left");
    }
}

impl Drop for Chromium {
    /// A test that ends well must have caused no error in the page.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
        if !thread::panicking() {
            assert_eq!(self.errors, Vec::<String>::new());
        }
    }
}
