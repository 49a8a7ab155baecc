//! `cargo playground`: the page's files and the kernel as WebAssembly in one folder, and a server of plain files.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{Check, Outcome, output, setup, with};

const WASM: &str = "wasm32-unknown-unknown";
/// The largest module that the page may fetch.
const MOST_WASM_BYTES: u64 = 563_200;

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

/// Builds a package as WebAssembly with vector registers of 128 bits, which every browser has. Solvers and their memory
/// are constructed on the stack before they move to the heap, so the stack is large. Cargo does not take the names of
/// functions out of a library (`strip` in its profile), a tenth of the module; the linker does.
fn build_wasm(root: &Path, package: &str) -> Result<PathBuf, String> {
    setup::target(WASM)?;
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--package", package, "--profile", "page", "--target", WASM]).current_dir(root);
    output(cargo.env("RUSTFLAGS", "-Ctarget-feature=+simd128 -Clink-arg=-zstack-size=8388608 -Clink-arg=--strip-all"))?;
    Ok(root.join("target").join(WASM).join(format!("page/{}.wasm", package.replace('-', "_"))))
}

/// Builds the page; returns its folder.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    let module = build_wasm(root, "stiction-playground")?;
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
    copy(&module, "stiction.wasm")?;
    Ok(folder)
}

/// How often a browser may be started.
const ATTEMPTS: u32 = 3;

/// A headless browser that prints a page after five seconds of its time.
fn browser(kept: &Path, address: &str) -> Command {
    let mut browser = Command::new("timeout");
    browser.args(["300", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]);
    browser.args(["--disable-dev-shm-usage", "--no-first-run", "--virtual-time-budget=5000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", kept.display())).arg(address);
    browser
}

/// A page of a folder in a headless browser, once it contains `ready`.
fn page_in_browser(root: &Path, folder: PathBuf, page: &str, ready: &str) -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let address = format!("http://{}/{page}", listener.local_addr().map_err(|error| error.to_string())?);
    std::thread::spawn(move || serve_on(&listener, &folder));
    let kept = root.join("target/playground-smoke");
    // A browser that starts beside other work can end before the page asks for its files.
    for attempt in 1..=ATTEMPTS {
        let _ = std::fs::remove_dir_all(&kept);
        let text = output(&mut browser(&kept, &address))?;
        if text.contains(ready) {
            return Ok(text);
        }
        println!("    attempt {attempt}: not ready, {} bytes of page", text.len());
    }
    Err("the page does not get ready in a headless browser".into())
}

/// The page is built and small, and where there is a browser it loads, its first scene runs, and lanes have the bits of
/// single visits.
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
        // The script sets this once the kernel is loaded and its first scene is drawn.
        page_in_browser(root, folder, "", "data-ready")?;
        println!("    the page loads in a headless browser");
        compare_bits(root)
    })
}

/// Contacts that are compared in a browser in each precision: some, and all in a long run.
const CONTACTS: [u32; 2] = [20_000, 1_000_000];

/// Lanes beside single visits, in a browser.
fn compare_bits(root: &Path) -> Check {
    let module = build_wasm(root, "stiction-lane-bits")?;
    let folder = root.join("target/lane-bits");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (from, name) in [(module, "bits.wasm"), (root.join("kernel/lanes/bits/bits.html"), "index.html")] {
        std::fs::copy(&from, folder.join(name)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    let is_long = std::env::var("STICTION_TESTS").as_deref() == Ok("all");
    let wanted = CONTACTS[usize::from(is_long)];
    let text = page_in_browser(root, folder, &format!("?contacts={wanted}"), ">compared ")?;
    let answer = text.split(">compared ").nth(1).and_then(|rest| rest.split(" end").next()).unwrap_or_default();
    println!("    contacts in lanes with the bits of single visits, f32 and f64: {answer}");
    let counts: Vec<f64> = answer.split(' ').filter_map(|word| word.parse().ok()).collect();
    match counts.len() == 2 && counts.iter().all(|count| *count >= f64::from(wanted)) {
        true => Ok(Outcome::Passed),
        false => Err(format!("lanes in a browser: {answer} instead of {wanted} contacts each")),
    }
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
