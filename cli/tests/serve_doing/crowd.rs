//! A crowd that holds on to its connections.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;

use crate::harness::{Harness, Server, planted, table};

/// Returns the command as it is where a process may open few files.
fn with_few_files(command: &Command, few: u32) -> Command {
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(format!("ulimit -n {few}; exec \"$0\" \"$@\""));
    limited
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

#[test]
fn more_connections_than_a_process_may_open_neither_hide_the_page_nor_stop_the_work() {
    let site = planted(3);
    let harness = Harness::new(&table("little", &site, "0.01"));
    let server = Server::start(with_few_files(&harness.command(&["serve", "--listen", "127.0.0.1:0"]), 160));
    let half = || {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        stream
    };
    let crowd: Vec<TcpStream> = (0..300).map(|_| half()).collect();
    let (status, body) = server.ask("GET", "/", "");
    assert_eq!(status, 200, "{body}");
    server.tell("little", "start");
    server.wait_until("little", "idle");
    drop(crowd);
    let verdicts = harness.verdicts("little");
    assert!(verdicts.len() == 4 && verdicts.values().all(|verdict| verdict == "new"), "{verdicts:?}");
}
