//! `serve`: the built site on this machine only, with a program that the page opens.
//!
//! The page has no link that makes it fetch a program: a small page of this server, whose script is `opener.js`, stores the text in
//! session storage, where the app keeps text that is too long for a link, and opens the app. `site` finds and reads the built site, `reply` answers requests.

mod reply;

use std::io::{self, Cursor, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tiny_http::{Header, Request, Response, Server};

use self::reply::{Program, Replies, Reply};
use super::arguments::ServeArgs;
use super::clock::{Clock, is_interrupted};
use super::module;
use super::output::{Failure, print_error};
use super::site::Site;
use crate::i18n::Message;

/// Threads that answer requests: a browser that reads slowly keeps one busy.
const THREADS: usize = 4;
/// The interval at which Ctrl+C is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Serves until Ctrl+C.
pub(super) fn run(out: &mut impl Write, args: &ServeArgs, clock: &Clock) -> Result<(), Failure> {
    let failed = |message: Message| {
        print_error(&message.to_string());
        Failure::Reported
    };
    let site = Site::find(args.site.as_deref()).map_err(failed)?;
    // Read now to report a file that cannot be read; read again for each visit, unless it is standard input.
    let text = args.file.as_deref().map(|file| module::read_or_report(file, clock)).transpose()?;
    let program = args.file.as_ref().zip(text).map(|(file, text)| Program::new(file, text));
    let token = token()
        .map_err(|error| failed(Message::terminal("cli-serve-token").with("error", error.to_string())))?;
    let server = Server::http(("127.0.0.1", args.port.unwrap_or(0)));
    let (server, port) = server
        .map_err(|error| error.to_string())
        .and_then(|server| {
            let port = server.server_addr().to_ip().map(|address| address.port());
            port.map(|port| (Arc::new(server), port)).ok_or_else(|| "no port".to_owned())
        })
        .map_err(|error| failed(Message::terminal("cli-serve-port").with("error", error)))?;
    let replies = Arc::new(Replies { site, program, token, port });
    let address = replies.address();
    writeln!(out, "{address}")?;
    out.flush()?;
    print_error(&Message::terminal("cli-serve-end").to_string());
    if !args.no_open && open::that_detached(&address).is_err() {
        print_error(&Message::terminal("cli-serve-no-browser").to_string());
    }
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (server, replies) = (server.clone(), replies.clone());
            thread::spawn(move || answer_until_interrupted(&server, &replies))
        })
        .collect();
    for thread in threads {
        // A thread that panicked has printed why.
        let _ = thread.join();
    }
    Ok(())
}

fn answer_until_interrupted(server: &Server, replies: &Replies) {
    while !is_interrupted() {
        match server.recv_timeout(POLL_INTERVAL) {
            // The browser may be gone.
            Ok(Some(request)) => drop(answer(request, replies)),
            Ok(None) => {}
            Err(error) => {
                print_error(
                    &Message::terminal("cli-serve-port").with("error", error.to_string()).to_string(),
                );
                return;
            }
        }
    }
}

fn answer(request: Request, replies: &Replies) -> io::Result<()> {
    let value = |name: &'static str| {
        request.headers().iter().find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
    };
    let reply =
        replies.reply(request.method().as_str(), request.url(), value("Host"), value("Accept-Language"));
    let Reply { status, headers, body } = reply;
    let headers: Vec<Header> =
        headers.into_iter().filter_map(|(name, value)| Header::from_bytes(name, value).ok()).collect();
    let length = body.len();
    request.respond(Response::new(status.into(), headers, Cursor::new(body), Some(length), None))
}

/// A path that no other program or page can guess: 128 random bits in hexadecimal digits.
fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}
