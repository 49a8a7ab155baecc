//! `cargo playground`: the page's files and the kernel as WebAssembly in one folder, and a server of plain files.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Check, Outcome, output, setup, with};

const WASM: &str = "wasm32-unknown-unknown";
/// The largest module that the page may fetch.
const MOST_WASM_BYTES: u64 = 351_232;

const USAGE: &str = "usage: cargo playground [--port N] [--only-build]";

/// Builds the page; serves it unless `--only-build` is given.
pub fn command(root: &Path, arguments: &[String]) -> Result<(), String> {
    let (mut port, mut serve) = (8000, true);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--only-build" => serve = false,
            "--port" => port = words.next().and_then(|text| text.parse().ok()).ok_or(USAGE)?,
            _ => return Err(USAGE.into()),
        }
    }
    let folder = build(root)?;
    println!("the page is in {}; any server of plain files will do", folder.display());
    if !serve {
        return Ok(());
    }
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(|error| format!("port {port}: {error}"))?;
    println!("http://127.0.0.1:{port}/ until interrupted");
    serve_on(&listener, &folder);
    Ok(())
}

/// Builds the page; returns its folder.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    setup::target(WASM)?;
    let arguments = ["build", "--package", "stiction-playground", "--profile", "page", "--target", WASM];
    output(Command::new("cargo").args(arguments).current_dir(root))?;
    let folder = root.join("target/playground");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let copy = |from: &Path, name: &str| {
        std::fs::copy(from, folder.join(name)).map(drop).map_err(|error| format!("{}: {error}", from.display()))
    };
    let page = root.join("docs/playground/page");
    let files = std::fs::read_dir(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    for file in files.flatten() {
        copy(&file.path(), &file.file_name().to_string_lossy())?;
    }
    copy(&root.join("target").join(WASM).join("page/stiction_playground.wasm"), "stiction.wasm")?;
    Ok(folder)
}

/// How often a browser may be started.
const ATTEMPTS: u32 = 3;

/// A headless browser that prints a page after five seconds of its time.
fn browser(kept: &Path, address: &str) -> Command {
    let mut browser = Command::new("timeout");
    browser.args(["60", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]);
    browser.args(["--disable-dev-shm-usage", "--no-first-run", "--virtual-time-budget=5000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", kept.display())).arg(address);
    browser
}

/// The page is built and small, and where there is a browser it loads and its first scene runs.
pub fn smoke(root: &Path) -> Check {
    if let Err(reason) = setup::target(WASM) {
        return Ok(Outcome::Skipped(reason));
    }
    let folder = build(root)?;
    let wasm = folder.join("stiction.wasm");
    let bytes = std::fs::metadata(&wasm).map_err(|error| format!("{}: {error}", wasm.display()))?.len();
    println!("    stiction.wasm: {bytes} bytes of at most {MOST_WASM_BYTES}");
    if bytes > MOST_WASM_BYTES {
        return Err(format!("stiction.wasm has {bytes} bytes, at most {MOST_WASM_BYTES} are allowed"));
    }
    with(setup::program("chromium", "chromium"), || {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = format!("http://{}/", listener.local_addr().map_err(|error| error.to_string())?);
        std::thread::spawn(move || serve_on(&listener, &folder));
        let kept = root.join("target/playground-smoke");
        // A browser that starts beside other work can end before the page asks for its files.
        for attempt in 1..=ATTEMPTS {
            let _ = std::fs::remove_dir_all(&kept);
            let page = output(&mut browser(&kept, &address))?;
            // The script sets this once the kernel is loaded and its first scene is drawn.
            if page.contains("data-ready") {
                println!("    the page loads in a headless browser");
                return Ok(Outcome::Passed);
            }
            println!("    attempt {attempt}: not ready, {} bytes of page", page.len());
        }
        Err("the page does not get ready in a headless browser".into())
    })
}

/// How long a browser may hold a connection without asking for anything.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers requests for files of a folder until the listener ends. Browsers open connections that they may never use,
/// so each has a thread of its own.
pub fn serve_on(listener: &TcpListener, folder: &Path) {
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            // A closed connection does not stop the server.
            scope.spawn(move || stream.set_read_timeout(Some(PATIENCE)).and_then(|()| answer(stream, folder)));
        }
    });
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let asked = line.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').split('?').next().unwrap_or("");
    let name = if asked.is_empty() { "index.html" } else { asked };
    // Files of the folder itself only.
    let file = Some(name).filter(|name| !name.contains(['/', '\\'])).map(|name| folder.join(name));
    match file.and_then(|file| std::fs::read(file).ok()) {
        Some(bytes) => {
            let kind = kind_of(name);
            let size = bytes.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
            )?;
            stream.write_all(&bytes)
        }
        None => write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    }
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
