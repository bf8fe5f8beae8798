//! What all parts of the page have in common: its frame, its language, and text with nothing
//! in it that is markup.

use std::fmt::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sokudo_model::Verdict;
use sokudo_words::{Text, text};

use crate::plot::{self, PictureTheme, Role};
use crate::report::overview::days;
use crate::report::{Report, ReportStyle};
use crate::table::{Tone, verdict_name};
use crate::wording::with_code;

const CSS: &str = include_str!("page.css");

/// Nothing is loaded and nothing is run; styles stand in the page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Longer texts of strangers are cut: a model name of a megabyte is no name.
const CHARACTERS_MAX: usize = 4_000;

/// What all parts of a page have in common.
pub(super) struct HtmlPage {
    pub(super) style: ReportStyle,
    /// Few runs: each with everything.
    pub(super) is_full: bool,
    /// One run, which needs no overview.
    pub(super) is_only: bool,
    /// Somebody has called it something.
    pub(super) has_title: bool,
}

impl HtmlPage {
    /// A text in the page's language.
    pub(super) fn text(&self, content: &Text) -> Markup {
        text(&content.in_language(self.style.language))
    }

    /// A word or sentence of ours.
    pub(super) fn say(&self, words: &'static str) -> Markup {
        text(self.style.language.word(words))
    }

    pub(super) fn document(&self, title: &str, body: &Markup) -> Markup {
        let scheme = match self.style.theme {
            PictureTheme::Auto => "light dark",
            PictureTheme::Light => "light",
            PictureTheme::Dark => "dark",
        };
        let style = colours(self.style.theme) + CSS;
        html! {
            (DOCTYPE)
            html lang=(self.style.language.code()) {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content=(scheme);
                    meta name="referrer" content="no-referrer";
                    meta name="generator" content={ "sokudo " (env!("CARGO_PKG_VERSION")) };
                    title { (text(title)) " · sokudo" }
                    style { (PreEscaped(style)) }
                }
                body { (body) }
            }
        }
    }

    pub(super) fn header(&self, report: &Report) -> Markup {
        let count = self.text(&text!("{} runs", report.runs.len()));
        let days = text(&days(report));
        html! {
            header {
                p.brand {
                    b { "sokudo" } " "
                    (self.say("how fast a disk really is, and how far each figure can be trusted"))
                }
                h1 { (text(&report.heading(self.style.language))) }
                p.lead {
                    @if !self.is_only { (count) }
                    @if !self.is_only && !days.0.is_empty() { " · " }
                    (days)
                }
            }
        }
    }

    pub(super) fn footer(&self, report: &Report) -> Markup {
        let verdicts = [
            (
                Some(Verdict::Verified),
                "there is proof that the bytes reached the device, and nothing contradicts the figure.",
            ),
            (
                Some(Verdict::Unverified),
                "what would prove it could not be seen, or something casts doubt on it.",
            ),
            (
                Some(Verdict::Invalid),
                "there is proof that the figure is not the device's.",
            ),
        ];
        html! {
            footer {
                hr;
                @if !self.is_only {
                    p.paper { (self.say(
                        "On paper, each run has its figures and findings. Its method, evidence, trials and machine are on this page on the screen, and in a report of that run alone."
                    )) }
                }
                @for (verdict, meaning) in verdicts {
                    p { (self.verdict(verdict)) ": " (self.say(meaning)) }
                }
                p { (self.say(
                    "1 MB is 1,000,000 bytes and 1 MiB is 1,048,576 bytes. Figures are medians of the trials; an interval is the 95 % interval of the median by order statistics. p99 is the time within which 99 % of I/Os were done."
                )) }
                p {
                    "sokudo " (text(&report.sokudo_version)) ". "
                    (self.say(
                        "This page loads nothing and runs nothing; print it from the browser for paper or PDF."
                    ))
                }
            }
        }
    }

    /// A verdict: a sign, a word, and a colour that only repeats them.
    pub(super) fn verdict(&self, verdict: Option<Verdict>) -> Markup {
        self.judged(Tone::of(verdict), &verdict_name(verdict).into())
    }

    /// The same with words of its own, such as `VERIFIED (3/5)`.
    pub(super) fn judged(&self, tone: Tone, words: &Text) -> Markup {
        let (class, sign) = match tone {
            Tone::Good => ("ok", "✓"),
            Tone::Doubtful => ("maybe", "?"),
            Tone::Bad => ("no", "✗"),
            Tone::None => ("none", "–"),
        };
        html! { span.v.(class) data-sign=(sign) { (self.text(words)) } }
    }
}

/// The colours of pictures as variables, in the surroundings that they are for.
pub(super) fn colours(theme: PictureTheme) -> String {
    let variables = |of: fn(Role) -> &'static str, card: &str| {
        let mut text = String::from(":root{");
        for role in Role::ALL {
            let _ = write!(text, "--{}:{};", role.class(), of(role));
        }
        text + &format!("--card:{card}}}")
    };
    let light = variables(Role::light, "#f6f8fa");
    let dark = variables(Role::dark, "#171f28");
    match theme {
        PictureTheme::Light => light + "\n",
        PictureTheme::Dark => dark + "\n",
        // Paper is light.
        PictureTheme::Auto => format!(
            "{light}\n@media screen and (prefers-color-scheme:dark){{{dark}{}}}\n",
            plot::dark_rules()
        ),
    }
}

/// Text in which nothing is markup, nothing commands, and nothing is endless.
pub(super) fn text(content: &str) -> Markup {
    PreEscaped(match content.char_indices().nth(CHARACTERS_MAX) {
        None => plot::escaped(content),
        Some((end, _)) => plot::escaped(&content[..end]) + "…",
    })
}

/// Text of several lines.
pub(super) fn lines(content: &str) -> Markup {
    html! {
        @for (number, line) in content.lines().enumerate() {
            @if number > 0 { br; }
            (text(line))
        }
    }
}

/// Text of a finding.
pub(super) fn prose(page: &HtmlPage, content: &Text) -> Markup {
    html! {
        @for (is_code, part) in with_code(&content.in_language(page.style.language)) {
            @if is_code { code { (text(part)) } } @else { (text(part)) }
        }
    }
}

/// A section with its heading; nothing where the body is empty. A section that `is_detail` is not
/// printed on paper by a page of several runs.
pub(super) fn part(heading: &Markup, body: &Markup, is_detail: bool) -> Markup {
    html! {
        @if !body.0.is_empty() {
            section class=[is_detail.then_some("detail")] { h3 { (heading) } (body) }
        }
    }
}
