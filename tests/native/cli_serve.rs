//! `serve`: the local server of the built site and a program.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_xla-playground");

/// A running server, ended when it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A folder with a site and a program.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("xla-playground-serve-{name}-{}", std::process::id()));
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::write(folder.join("dist/index.html"), "<!DOCTYPE html>the page").unwrap();
    fs::write(folder.join("program.hlo"), "HloModule m").unwrap();
    folder
}

impl Server {
    fn start(name: &str) -> Self {
        // The example of the help.
        let args = ["serve", "program.hlo", "--no-open"];
        let folder = folder(name);
        let mut command = Command::new(PROGRAM);
        command.env("LC_ALL", "C");
        command.args(args).env("XLA_PLAYGROUND_SITE", folder.join("dist")).current_dir(&folder);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { process, address: address.trim().to_owned() }
    }

    fn host(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split_once('/').unwrap().0
    }

    fn path(&self) -> &str {
        self.address.strip_prefix("http://").unwrap().split_once('/').unwrap().1
    }

    /// The status and the rest of the reply to a GET.
    fn get(&self, path: &str, host: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.host()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        (reply.split(' ').nth(1).unwrap().parse().unwrap(), reply)
    }
}

#[test]
fn the_server_has_the_site_and_the_program_for_this_machine_only() {
    let server = Server::start("whole");
    assert!(server.host().starts_with("127.0.0.1:"), "{}", server.address);
    assert_eq!(server.path().len(), 33, "{}", server.address);
    let (status, page) = server.get("/", server.host());
    assert!(status == 200 && page.contains("the page"), "{page}");
    let program = format!("/{}program", server.path());
    let (status, reply) = server.get(&program, server.host());
    assert!(status == 200 && reply.ends_with("HloModule m"), "{reply}");
    assert_eq!(server.get(&program, "attacker.example").0, 421);
    assert_eq!(server.get("/../program.hlo", server.host()).0, 404);
    // Another server has another path.
    assert_ne!(Server::start("other").path(), server.path());
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_server() {
    let mut server = Server::start("interrupt");
    let id = server.process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(server.process.wait().unwrap().code(), Some(0));
}

#[test]
fn what_is_missing_is_named() {
    let folder = folder("missing");
    let run = |args: &[&str]| {
        let output = Command::new(PROGRAM)
            .env("LC_ALL", "C")
            .arg("serve")
            .args(args)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let error = run(&["program.hlo", "--no-open", "--site", "nowhere"]);
    assert!(
        error.contains("nowhere") && error.contains("cargo xtask dist") && error.contains("--site"),
        "{error}"
    );
    let error = run(&["absent.hlo", "--no-open", "--site", "dist"]);
    assert!(error.contains("absent.hlo cannot be read"), "{error}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let error = run(&["program.hlo", "--no-open", "--site", "dist", "--port", &port]);
    assert!(error.contains("--port"), "{error}");
}
