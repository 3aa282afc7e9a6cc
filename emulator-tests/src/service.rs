//! The real crawl-fn as a process.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep};

/// A place where crawl-fn can run, again and again: one port, one log.
#[derive(Debug)]
pub struct Service {
    port: u16,
    log: PathBuf,
    environment: Vec<(String, String)>,
    process: Option<Child>,
    listened_after: Duration,
}

impl Service {
    /// Prepares to run crawl-fn with these settings; its log is kept in `directory`.
    pub fn new(directory: &Path, environment: Vec<(String, String)>) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        Ok(Self {
            port,
            log: directory.join("crawl-fn.log"),
            environment,
            process: None,
            listened_after: Duration::ZERO,
        })
    }

    /// Returns the address of a path of the service.
    pub fn at(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Starts it and waits until it is ready.
    pub async fn start(&mut self) -> Result<()> {
        ensure!(self.process.is_none(), "crawl-fn runs already");
        let log = File::options().create(true).append(true).open(&self.log)?;
        let process = Command::new(program("crawl-fn")?)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PORT", self.port.to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("crawl-fn does not start")?;
        self.process = Some(process);
        let started = Instant::now();
        while reqwest::get(self.at("/healthz")).await.is_err() && started.elapsed() < Duration::from_secs(30)
        {
            sleep(Duration::from_millis(2)).await;
        }
        self.listened_after = started.elapsed();
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.is_ready().await {
            let ended = self.process.as_mut().map(Child::try_wait).transpose()?.flatten();
            if let Some(status) = ended {
                bail!("crawl-fn ended with {status}:\n{}", self.log());
            }
            ensure!(Instant::now() < deadline, "crawl-fn does not become ready:\n{}", self.log());
            sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Returns how long it took to listen when it was last started.
    pub fn listened_after(&self) -> Duration {
        self.listened_after
    }

    async fn is_ready(&self) -> bool {
        let answer = reqwest::get(self.at("/readyz")).await;
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// Ends it at once, as the machine's death would.
    pub fn kill(&mut self) -> Result<()> {
        let mut process = self.process.take().context("crawl-fn does not run")?;
        process.kill()?;
        process.wait()?;
        Ok(())
    }

    /// Asks it to end, as Cloud Run does, and returns whether it ended well within 12 s.
    pub async fn terminate(&mut self) -> Result<bool> {
        let mut process = self.process.take().context("crawl-fn does not run")?;
        let id = i32::try_from(process.id()).ok().and_then(Pid::from_raw).context("a process has an id")?;
        kill_process(id, Signal::TERM)?;
        let deadline = Instant::now() + Duration::from_secs(12);
        loop {
            if let Some(status) = process.try_wait()? {
                return Ok(status.success());
            }
            if Instant::now() > deadline {
                process.kill()?;
                process.wait()?;
                return Ok(false);
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns the most memory that the running process has used, in bytes.
    pub fn peak_memory(&self) -> Result<u64> {
        let process = self.process.as_ref().context("crawl-fn does not run")?;
        let status = fs::read_to_string(format!("/proc/{}/status", process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kibibytes * 1024)
    }

    /// Returns the processor time that the running process has taken, in seconds.
    pub fn processor_seconds(&self) -> Result<f64> {
        let process = self.process.as_ref().context("crawl-fn does not run")?;
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.id()))?;
        let (_, fields) = stat.rsplit_once(')').context("a process has a name")?;
        // User and system time are the 14th and 15th field, in hundredths of a second.
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
    }

    /// Returns everything it has logged, in all its lives.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // It may have ended by itself; either way it is gone.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Returns the path of a program of this workspace, built beside this test.
pub fn program(name: &str) -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    let directory = test.parent().and_then(Path::parent).context("a test stands in target/PROFILE/deps")?;
    let path = directory.join(name);
    ensure!(path.is_file(), "{} is not built: run `cargo build --workspace` first", path.display());
    Ok(path)
}
