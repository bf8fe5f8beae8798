//! Arguments of the pictures that are drawn beside results.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sokudo_report::plot::{PictureTheme, PlotKind};
use sokudo_words::{Text, text};

use crate::arguments::heading::PRINTED;
use crate::arguments::one_of::one_of;

/// Where a picture goes, and in which format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    Terminal,
    Svg(PathBuf),
    Png(PathBuf),
}

impl Destination {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Terminal => None,
            Self::Svg(path) | Self::Png(path) => Some(path),
        }
    }
}

/// Reads `FILE.svg`, `FILE.png` or `-`.
pub fn destination(text: &str) -> Result<Destination, Text> {
    if text == "-" {
        return Ok(Destination::Terminal);
    }
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Destination::Svg(path)),
        Some("png") if cfg!(feature = "png") => Ok(Destination::Png(path)),
        Some("png") => Err(text!(
            "this sokudo was built without PNG (cargo feature png); name a file that ends in .svg"
        )),
        _ => Err(text!(
            "name a file that ends in .svg or .png, or - for the terminal"
        )),
    }
}

/// Reads what [`destination`] does, or `FILE.svg=KIND`, of which that one is drawn.
fn picture_of_run(text: &str) -> Result<(Destination, Option<PlotKind>), Text> {
    let destination_of = destination(text);
    let split = text.rsplit_once('=').filter(|_| destination_of.is_err());
    let named = split.and_then(|(file, name)| Some((destination(file).ok()?, name)));
    let Some((destination, name)) = named else {
        return Ok((destination_of?, None));
    };
    let kind = PlotKind::named(name).ok_or_else(|| {
        let kinds = PlotKind::all().map(|kind| kind.name);
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        text!("{name} is not a kind of picture; use one of {kinds}")
    });
    Ok((destination, Some(kind?)))
}

/// Which pictures are drawn beside a result, and in which colours.
#[derive(Debug, Args)]
pub struct Pictures {
    /// Draw a picture: FILE.svg, FILE.png, or - for the terminal (repeatable)
    #[arg(long = "plot", value_name = "FILE", value_parser = destination, help_heading = PRINTED)]
    pub destinations: Vec<Destination>,

    #[command(flatten)]
    pub colours: Colours,
}

/// Pictures of one run, which can be drawn in several ways.
#[derive(Debug, Args)]
pub struct Plotting {
    /// Draw a picture: FILE.svg, FILE.png, or - for the terminal (repeatable)
    ///
    /// FILE.svg=KIND draws this kind, whatever --plot-kind says.
    #[arg(
        long = "plot",
        value_name = "FILE",
        value_parser = picture_of_run,
        allow_hyphen_values = true,
        help_heading = PRINTED
    )]
    pub pictures: Vec<(Destination, Option<PlotKind>)>,

    #[command(flatten)]
    pub colours: Colours,

    #[command(flatten)]
    pub kind: PlotKindArguments,
}

impl Plotting {
    /// Where its pictures go.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination> + Clone {
        self.pictures.iter().map(|(destination, _)| destination)
    }
}

/// What of a run is drawn.
#[derive(Clone, Copy, Debug, Args)]
pub struct PlotKindArguments {
    /// Kind of picture, such as bars or time [default: what suits the run]
    ///
    /// load: latency against load. peak: IOPS over how much is in flight. fit: latencies and their
    /// limits. rounds: the rounds until a drive was steady. curve: transfer
    /// rate and access time over position. seek: access time over the distance from the previous
    /// offset. map: the lowest rates and what failed, by place. access: access time over position, of each size. cache: the rate of what is read
    /// again and again. hosts: the rates of hosts that measured together over time, host-bars: beside each
    /// other. bars: rates of rows, or by block size. heat: rates by two of block size, depth and
    /// threads, or by block size and mix. cdf and histogram: latencies. time: rate over time. card:
    /// reads and writes side by side, and what they come to, as --card draws it.
    /// Without it, the first of load, peak, fit, rounds, curve, hosts, heat and bars that the run has data for.
    #[arg(
        long = "plot-kind",
        value_parser = plot_kinds(),
        hide_possible_values = true,
        value_name = "KIND",
        help_heading = PRINTED
    )]
    pub kind: Option<PlotKind>,
}

fn plot_kinds() -> impl TypedValueParser<Value = PlotKind> {
    let names = PossibleValuesParser::new(PlotKind::all().map(|kind| kind.name));
    names.map(|name| PlotKind::named(&name).expect("no other word gets here"))
}

/// For which surroundings pictures are drawn.
#[derive(Clone, Copy, Debug, Args)]
pub struct Colours {
    /// Colours of pictures: light, dark, or auto (follow the reader's screen)
    ///
    /// A PNG cannot follow the reader's screen; auto makes it light.
    #[arg(
        long = "theme",
        value_parser = one_of(THEMES),
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "THEME",
        default_value = "auto",
        help_heading = PRINTED
    )]
    pub theme: PictureTheme,
}

pub const THEMES: &[(&str, PictureTheme)] = &[
    ("auto", PictureTheme::Auto),
    ("light", PictureTheme::Light),
    ("dark", PictureTheme::Dark),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_says_the_format() {
        assert_eq!(destination("-"), Ok(Destination::Terminal));
        assert_eq!(
            destination("a.b/x.SVG"),
            Ok(Destination::Svg("a.b/x.SVG".into()))
        );
        for text in ["x", "x.gif", "svg", ".svg", "x.svg/"] {
            let read = destination(text);
            assert_eq!(read.is_ok(), text == "x.svg/", "{text}");
        }
    }

    #[test]
    fn a_kind_stands_behind_the_last_equals_sign_of_a_picture() {
        let read = |text| picture_of_run(text).map(|(it, kind)| (it, kind.map(|kind| kind.name)));
        for (text, file, kind) in [
            ("a=b.svg", "a=b.svg", None),
            ("a=b.svg=map", "a=b.svg", Some("map")),
            ("a.svg=map.svg", "a.svg=map.svg", None),
        ] {
            assert_eq!(read(text), Ok((Destination::Svg(file.into()), kind)));
        }
        assert_eq!(read("-=cdf"), Ok((Destination::Terminal, Some("cdf"))));
        let refused = read("a.svg=pie").unwrap_err().english();
        assert!(
            refused.contains("pie") && refused.contains("histogram"),
            "{refused}"
        );
        for text in ["a=map", "=map", "a.svg=", "a.gif=map"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
