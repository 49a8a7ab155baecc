//! A headless Chromium, by its own debugging protocol: pages opened, scripts run, keys, mice and fingers moved, complaints heard.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    number: u64,
    /// Errors and warnings of the page, in order.
    pub complaints: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let _ = self.call("Browser.close", json!({}));
        end(&mut self.child);
    }
}

/// Ends a program and all that it started: browsers are many programs behind a script.
fn end(child: &mut Child) {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    let _ = child.wait();
}

impl Browser {
    /// Starts it with an empty page; what it keeps goes to a folder.
    pub fn start(program: &str, folder: &Path) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .args(["--disable-gpu", "--enable-unsafe-swiftshader", "--no-first-run", "--window-size=1280,800"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let stderr = child.stderr.take().ok_or("the browser has no voice")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_string));
        // It goes on talking, and must be heard, or it waits.
        std::thread::spawn(move || lines.for_each(drop));
        let socket = connect(&address.ok_or("the browser did not say where it listens")?);
        let socket = match socket {
            Ok(socket) => socket,
            Err(reason) => {
                end(&mut child);
                return Err(reason);
            }
        };
        let mut browser = Browser { child, socket, session: None, number: 0, complaints: Vec::new() };
        browser.open_page()?;
        Ok(browser)
    }

    fn open_page(&mut self) -> Result<(), String> {
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.call("Target.attachToTarget", attach)?;
        self.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            self.call(domain, json!({}))?;
        }
        Ok(())
    }

    /// Asks for something of the protocol and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.number += 1;
        let number = self.number;
        let mut message = json!({ "id": number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).map_err(|error| format!("{method}: {error}"))?;
        loop {
            let heard = self.socket.read().map_err(|error| format!("{method}: {error}"))?;
            let Ok(text) = heard.to_text() else { continue };
            let Ok(told) = serde_json::from_str::<Value>(text) else { continue };
            if told["id"] == json!(number) {
                return match told.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(told["result"].clone()),
                };
            }
            self.listen(&told);
        }
    }

    fn listen(&mut self, event: &Value) {
        let told = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(told["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if told["entry"]["level"] != "info" && told["entry"]["level"] != "verbose" => {
                let text = told["entry"]["text"].to_string();
                // A browser without a graphics card reads every frame back, and says so itself.
                if !text.contains("GL Driver Message (OpenGL, Performance") {
                    self.complaints.push(text);
                }
            }
            Some("Runtime.consoleAPICalled")
                if ["error", "warning", "assert"].iter().any(|kind| told["type"] == *kind) =>
            {
                self.complaints.push(told["args"].to_string());
            }
            _ => {}
        }
    }

    /// What an expression of the page's script is.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let told = self.call("Runtime.evaluate", asked)?;
        match told.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}")),
            None => Ok(told["result"]["value"].clone()),
        }
    }

    /// An expression's number.
    pub fn number(&mut self, expression: &str) -> Result<f64, String> {
        self.evaluate(expression)?.as_f64().ok_or_else(|| format!("{expression}: is no number"))
    }

    /// Waits until an expression holds.
    pub fn wait_for(&mut self, expression: &str) -> Result<(), String> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if self.evaluate(expression)? == json!(true) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        Err(format!("waited {} s for {expression}; the page complains of {:?}", PATIENCE.as_secs(), self.complaints))
    }

    /// Opens an address.
    pub fn go_to(&mut self, address: &str) -> Result<(), String> {
        self.call("Page.navigate", json!({ "url": address })).map(drop)
    }

    /// Presses and lifts a key that writes a letter.
    pub fn key(&mut self, letter: &str) -> Result<(), String> {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": letter, "text": letter }))?;
        }
        Ok(())
    }

    /// A mouse that presses, moves or lifts at a point of the window.
    pub fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) -> Result<(), String> {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event).map(drop)
    }

    /// Fingers at points of the window.
    pub fn fingers(&mut self, kind: &str, points: &[(f64, f64)]) -> Result<(), String> {
        let points: Vec<Value> =
            points.iter().enumerate().map(|(id, (x, y))| json!({ "x": x, "y": y, "id": id })).collect();
        self.call("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).map(drop)
    }

    /// Writes down what is seen, as a PNG.
    pub fn picture(&mut self, file: &Path) -> Result<(), String> {
        let told = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let text = told["data"].as_str().unwrap_or("");
        let bytes = data_encoding::BASE64.decode(text.as_bytes()).map_err(|error| error.to_string())?;
        std::fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))
    }
}

fn connect(address: &str) -> Result<WebSocket<TcpStream>, String> {
    let place = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).ok_or(address)?;
    let stream = TcpStream::connect(place).map_err(|error| format!("{place}: {error}"))?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(|error| error.to_string())?;
    tungstenite::client(address, stream).map(|(socket, _)| socket).map_err(|error| format!("{address}: {error}"))
}
