//! Measures what a request costs: many small 304 answers, and bodies of 55 KB.
//!
//! `cargo run --profile dist -p recrawl-fetch --example fetching_speed [REQUESTS] [THREADS]`
//!
//! The server is a child process, so that the CPU time shown is the fetcher's alone.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use recrawl_core::decide::back_off::PaceSettings;
use recrawl_core::model::record::Validators;
use recrawl_core::ports::{Fetcher, Request};
use recrawl_core::url::PageUrl;
use recrawl_fetch::{AddressGuard, HttpFetcher, HttpSettings, Polite};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CONCURRENT: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|argument| argument == "serve") {
        return tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(serve());
    }
    let number = |index: usize, default| arguments.get(index).map_or(Ok(default), |text| text.parse());
    let (requests, threads) = (number(0, 50_000)?, number(1, 1)?);
    let mut server = Command::new(env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    let measured = runtime.block_on(async {
        for (path, requests) in [("304", requests), ("body", requests / 5)] {
            measure(&format!("http://{}/{path}", address.trim()).parse()?, requests).await?;
        }
        Ok(())
    });
    server.kill()?;
    measured
}

async fn measure(url: &PageUrl, requests: usize) -> Result<(), Box<dyn Error>> {
    let transport = HttpFetcher::new(HttpSettings::new("fetching-speed/1"), AddressGuard::for_root(url))?;
    let polite = Arc::new(Polite::new(transport, PaceSettings::unlimited()));
    let left = Arc::new(AtomicUsize::new(requests));
    let (started, used) = (Instant::now(), cpu_time()?);
    let mut workers = Vec::new();
    for _ in 0..CONCURRENT {
        let (polite, left, url) = (Arc::clone(&polite), Arc::clone(&left), url.clone());
        workers.push(tokio::spawn(async move {
            let validators =
                Validators { etag: Some("\"0123456789abcdef\"".to_owned()), last_modified: None };
            let mut bytes = 0;
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            {
                let request = Request { validators: Some(&validators), ..Request::get(&url) };
                bytes += polite.fetch(request).await?.body.len();
            }
            Ok::<usize, recrawl_core::ports::FetchError>(bytes)
        }));
    }
    let mut bytes = 0;
    for worker in workers {
        bytes += worker.await??;
    }
    let (took, used) = (started.elapsed(), cpu_time()?.saturating_sub(used));
    let count = u32::try_from(requests)?;
    println!(
        "{:5} {requests} requests in {took:.2?}: {:.0} a second, {:.1?} CPU each, {} MB",
        url.path(),
        f64::from(count) / took.as_secs_f64(),
        used / count,
        bytes >> 20,
    );
    Ok(())
}

/// Returns the CPU time of this process; the unit of Linux is a hundredth of a second.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/stat")?;
    let fields = status.rsplit_once(')').ok_or("no end of the name")?.1.split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let body = "<p>Some text of a page.</p>".repeat(2037);
    let length = body.len();
    let whole: Arc<str> =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")
            .into();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(answer(stream, Arc::clone(&whole)));
    }
}

async fn answer(mut stream: TcpStream, whole: Arc<str>) -> std::io::Result<()> {
    const NOT_MODIFIED: &str = "HTTP/1.1 304 Not Modified\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
        ETag: \"0123456789abcdef\"\r\nServer: fetching-speed\r\n\r\n";
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    loop {
        // A request of a few hundred bytes arrives in one piece on the loopback.
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        let answer = if buffer.starts_with(b"GET /304") { NOT_MODIFIED } else { &*whole };
        stream.write_all(answer.as_bytes()).await?;
    }
}
