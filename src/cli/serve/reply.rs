//! The replies of the local server: the site's files, and the program at a path that cannot be guessed.

use crate::cli::clock::Clock;
use crate::cli::module;
use crate::cli::site::{PAGE, Site, media_type};
use crate::escape::xml;
use crate::i18n::{Language, Message};
use crate::state::program::source_text::SourceText;

/// The script of the page that opens the program.
const OPENER: &str = include_str!("opener.js");
/// The policy of that page: its own script, and the program.
const OPENER_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The site's worker for offline use. It would leave a copy of the site in the browser for every port.
const SERVICE_WORKER: &str = "service-worker.js";

/// The program that the page opens.
pub(super) struct Program {
    file: String,
    /// The text of standard input, which cannot be read again.
    standard_input: Option<String>,
}

impl Program {
    /// The program of a file, whose text was read.
    pub fn new(file: &str, text: String) -> Self {
        Self { file: file.to_owned(), standard_input: (file == "-").then_some(text) }
    }

    /// The text as it is now, or why it cannot be read.
    fn text(&self) -> Result<String, String> {
        match &self.standard_input {
            Some(text) => Ok(text.clone()),
            None => module::read(&self.file, &Clock::start(None)).map_err(|error| error.message.to_string()),
        }
    }
}

/// The files and the program that the server replies with.
pub(super) struct Replies {
    pub site: Site,
    pub program: Option<Program>,
    /// The first part of the program's path.
    pub token: String,
    pub port: u16,
}

/// A reply to a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = [
            ("Content-Type", media_type),
            // Files may be those of a new build at any time.
            ("Cache-Control", "no-cache"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ];
        let headers = headers.map(|(name, value)| (name, value.to_owned())).into();
        Self { status, headers, body: body.into() }
    }

    fn text(status: u16, text: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text)
    }
}

impl Replies {
    /// The address to open: that of the program, or of the site.
    pub fn address(&self) -> String {
        let path = if self.program.is_some() { format!("{}/", self.token) } else { String::new() };
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The reply to a request. One whose `Host` is not this machine comes from a page of another site, whose name was made to
    /// lead here.
    pub fn reply(&self, method: &str, url: &str, host: Option<&str>, languages: Option<&str>) -> Reply {
        let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        if !host.is_some_and(|host| own.iter().any(|own| own == host)) {
            return Reply::text(421, "This server answers to 127.0.0.1 only.\n");
        }
        if method != "GET" && method != "HEAD" {
            return Reply::text(405, "This server only sends files.\n");
        }
        let path = url.split(['?', '#']).next().and_then(|path| path.strip_prefix('/'));
        let Some(path) = path else { return Reply::text(400, "A path begins with a slash.\n") };
        let of_program = path.strip_prefix(&self.token).and_then(|rest| rest.strip_prefix('/'));
        match (of_program, &self.program) {
            (Some(rest), Some(program)) => Self::reply_of_program(rest, program, languages),
            _ => match self.site.file(path).filter(|_| path != SERVICE_WORKER) {
                Some(content) => {
                    Reply::new(200, media_type(if path.is_empty() { PAGE } else { path }), content)
                }
                None => Reply::text(404, "There is no such file.\n"),
            },
        }
    }

    fn reply_of_program(path: &str, program: &Program, languages: Option<&str>) -> Reply {
        match path {
            "opener.js" => Reply::new(200, media_type(path), OPENER),
            "program" => match program.text() {
                Ok(text) => Reply::text(200, text),
                Err(error) => Reply::text(404, error),
            },
            "" => match program.text() {
                Ok(text) => {
                    let mut reply = Reply::new(200, media_type(PAGE), opener(&program.file, text, languages));
                    reply.headers.push(("Content-Security-Policy", OPENER_POLICY.to_owned()));
                    reply
                }
                Err(error) => Reply::text(404, error),
            },
            _ => Reply::text(404, "There is no such file.\n"),
        }
    }
}

/// The page that opens the program, in the browser's language.
fn opener(file: &str, text: String, languages: Option<&str>) -> String {
    let tags =
        languages.unwrap_or_default().split(',').filter_map(|tag| tag.split(';').next()).map(str::trim);
    let language = Language::negotiate(tags);
    let say = |message: Message| xml(&message.localize(language));
    let key = SourceText::new(text).key();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>XLA Playground</title>\n\
         <p id=\"said\" role=\"status\" data-key=\"{key}\" data-ended=\"{}\" data-too-large=\"{}\">{}</p>\n\
         <p><a href=\"/#program/\">XLA Playground</a></p>\n\
         <script type=\"module\" src=\"opener.js\"></script>\n",
        language.tag(),
        say(Message::terminal("cli-serve-ended")),
        say(Message::terminal("cli-serve-too-large")),
        say(Message::terminal("cli-serve-opening").with("file", file)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::site::tests::site;

    const HOST: Option<&str> = Some("127.0.0.1:4000");

    fn replies(name: &str, program: Option<Program>) -> Replies {
        Replies { site: site(name), program, token: "0123456789abcdef".to_owned(), port: 4000 }
    }

    fn typed(text: &str) -> Program {
        Program { file: "-".to_owned(), standard_input: Some(text.to_owned()) }
    }

    fn text(reply: &Reply) -> String {
        String::from_utf8_lossy(&reply.body).into_owned()
    }

    #[test]
    fn only_this_machine_is_answered() {
        let replies = replies("host", Some(typed("HloModule m")));
        for host in [
            None,
            Some("attacker.example:4000"),
            Some("127.0.0.1"),
            Some("127.0.0.1:4001"),
            Some("127.0.0.1:4000.attacker.example"),
            Some(""),
        ] {
            for url in ["/", "/0123456789abcdef/program"] {
                assert_eq!(replies.reply("GET", url, host, None).status, 421, "{host:?}");
            }
        }
        assert_eq!(replies.reply("GET", "/", Some("localhost:4000"), None).status, 200);
        for method in ["POST", "PUT", "OPTIONS"] {
            assert_eq!(replies.reply(method, "/", HOST, None).status, 405);
        }
    }

    #[test]
    fn the_program_is_at_its_path_only() {
        let replies = replies("program", Some(typed("HloModule m")));
        assert_eq!(replies.address(), "http://127.0.0.1:4000/0123456789abcdef/");
        let get = |url: &str| replies.reply("GET", url, HOST, None);
        let program = get("/0123456789abcdef/program");
        assert_eq!((program.status, text(&program).as_str()), (200, "HloModule m"));
        assert!(program.headers.contains(&("Cross-Origin-Resource-Policy", "same-origin".to_owned())));
        for url in [
            "/program",
            "/0123456789abcde/program",
            "/0123456789abcdefprogram",
            "/0123456789abcdef/../program",
            "//program",
            "program",
            "/0123456789abcdef/x",
        ] {
            assert_ne!(get(url).status, 200, "{url}");
        }
        assert_eq!(text(&get("/?a#b")), "page");
        assert_eq!(get("/demo/lecture.css?x").status, 200);
    }

    #[test]
    fn the_opener_names_the_text_as_the_app_does_and_escapes_its_file() {
        let program = Program {
            file: "<img src=x onerror=alert(1)>\".hlo".to_owned(),
            standard_input: Some("a".to_owned()),
        };
        let replies = replies("opener", Some(program));
        let page = replies.reply("GET", "/0123456789abcdef/", HOST, Some("zh-CN,en;q=0.5"));
        let html = text(&page);
        assert!(html.contains(&format!("data-key=\"{}\"", SourceText::new("a").key())), "{html}");
        assert!(
            html.contains("lang=\"zh-Hans\"") && html.contains("正在打开") && !html.contains("<img"),
            "{html}"
        );
        assert!(page.headers.iter().any(|(name, _)| *name == "Content-Security-Policy"));
    }

    #[test]
    fn without_a_program_the_site_is_served_and_the_worker_for_offline_use_never() {
        let replies = replies("site", None);
        std::fs::write(replies.site.root().join(SERVICE_WORKER), "").unwrap();
        assert_eq!(replies.address(), "http://127.0.0.1:4000/");
        assert_eq!(replies.reply("GET", "/service-worker.js", HOST, None).status, 404);
        assert_eq!(replies.reply("GET", "/0123456789abcdef/program", HOST, None).status, 404);
    }

    #[test]
    fn a_file_that_is_gone_is_reported() {
        let program = Program { file: "no/such/file.hlo".to_owned(), standard_input: None };
        let reply = replies("gone", Some(program)).reply("GET", "/0123456789abcdef/", HOST, None);
        assert!(reply.status == 404 && text(&reply).contains("no/such/file.hlo"));
    }
}
