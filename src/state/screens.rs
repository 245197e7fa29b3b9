//! The screens of the app: each is a folder of `crate::app`, a bundle, and an entry here.

/// A screen of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The name of its bundle.
    pub bundle: &'static str,
    /// The prefix of its URL fragments; empty for the landing page.
    pub fragment: &'static str,
    /// The message key of its title.
    pub title: &'static str,
    /// The message key of its tagline in the navigation.
    pub tagline: &'static str,
    /// Whether it is the landing page, which has examples.
    pub is_landing: bool,
}

/// The Layout screen.
pub const LAYOUT: Screen =
    Screen { bundle: "app", fragment: "", title: "screen-layout", tagline: "door-layout", is_landing: true };
/// The Ops screen.
pub const OPS: Screen =
    Screen { bundle: "ops", fragment: "ops/", title: "screen-ops", tagline: "door-ops", is_landing: false };
/// The Program screen.
pub const PROGRAM: Screen = Screen {
    bundle: "program",
    fragment: "program/",
    title: "screen-program",
    tagline: "door-program",
    is_landing: false,
};
/// The Speed screen.
pub const SPEED: Screen = Screen {
    bundle: "speed",
    fragment: "speed/",
    title: "screen-speed",
    tagline: "door-speed",
    is_landing: false,
};

/// All screens, in the order of the navigation.
pub const SCREENS: [Screen; 4] = [LAYOUT, OPS, PROGRAM, SPEED];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::i18n::{Language, Message};

    const PAGE: &str = include_str!("../../index.html");
    const TROUBLE: &str = include_str!("../../static/trouble.js");
    const BOOT: &str = include_str!("../../static/boot.js");

    /// `docs/adding-a-screen.md` lists the files that no code derives from the registry.
    #[test]
    fn the_static_files_know_every_screen() {
        for screen in SCREENS {
            let Screen { bundle, fragment, title, tagline, .. } = screen;
            assert!(PAGE.contains(&format!("data-bin=\"{bundle}\"")), "index.html builds no {bundle}");
            let link = format!(
                "<a class=\"screen\" href=\"#{fragment}\" data-screen=\"{bundle}\"><b data-say=\"{title}\">"
            );
            assert!(PAGE.contains(&link), "index.html has no {link}");
            assert!(PAGE.contains(&format!("<small data-say=\"{tagline}\">")), "index.html has no {tagline}");
            if !screen.is_landing {
                assert_eq!(fragment, format!("{bundle}/"), "trouble.js finds the bundle by its name");
                assert!(TROUBLE.contains(&format!("\"{bundle}\"")), "trouble.js finds no {bundle}");
            }
            for language in Language::all() {
                for key in [title, tagline] {
                    let text = Message::new(key).localize(language);
                    assert!(!text.is_empty() && text != key, "{key} has no translation");
                }
            }
        }
        assert!(
            BOOT.contains("`boot-what-${screen}`"),
            "the message about loading a screen is keyed by its bundle's name"
        );
    }

    #[test]
    fn screens_differ_and_one_is_the_landing_page() {
        let names =
            |name: fn(&Screen) -> &'static str| SCREENS.iter().map(name).collect::<BTreeSet<_>>().len();
        for field in [|s: &Screen| s.bundle, |s: &Screen| s.fragment, |s: &Screen| s.title] {
            assert_eq!(names(field), SCREENS.len());
        }
        assert_eq!(SCREENS.iter().filter(|screen| screen.is_landing).count(), 1);
    }
}
