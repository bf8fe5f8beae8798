//! The colours of pictures, for light and for dark surroundings.
//!
//! Hues differ for the colour-blind too (after Okabe and Ito, 2008), and each has a
//! contrast of at least 4.5 : 1 to its background, as WCAG 2.2 AA asks of text; a test
//! computes it.

use super::figure::Hue;

/// What something is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Background,
    Text,
    /// Text of less weight.
    Muted,
    /// Lines behind the data; only these may be faint.
    Grid,
    Frame,
    Hue(Hue),
}

impl Role {
    pub const ALL: [Self; 13] = [
        Self::Background,
        Self::Text,
        Self::Muted,
        Self::Grid,
        Self::Frame,
        Self::Hue(Hue::Read),
        Self::Hue(Hue::Write),
        Self::Hue(Hue::Access),
        Self::Hue(Hue::Fault),
        Self::Hue(Hue::Purple),
        Self::Hue(Hue::Brown),
        Self::Hue(Hue::Pink),
        Self::Hue(Hue::Grey),
    ];

    /// The name of its CSS class, and its colour on white and on near black.
    const fn look(self) -> [&'static str; 3] {
        match self {
            Self::Background => ["bg", "#ffffff", "#10161d"],
            Self::Text => ["tx", "#1b2733", "#e7edf3"],
            Self::Muted => ["mu", "#53606d", "#a3b0bd"],
            Self::Grid => ["gr", "#e2e7ec", "#28313b"],
            Self::Frame => ["fr", "#8794a1", "#66737f"],
            Self::Hue(Hue::Read) => ["h-read", "#0a62bd", "#5cacff"],
            Self::Hue(Hue::Write) => ["h-write", "#bf4300", "#ff9a57"],
            Self::Hue(Hue::Access) => ["h-access", "#0b7a5f", "#45cfa7"],
            Self::Hue(Hue::Fault) => ["h-fault", "#c1121f", "#ff6b6b"],
            Self::Hue(Hue::Purple) => ["h-purple", "#7a3fc4", "#bf9bff"],
            Self::Hue(Hue::Brown) => ["h-brown", "#7d5a00", "#e2bf4a"],
            Self::Hue(Hue::Pink) => ["h-pink", "#b81d73", "#ff86c0"],
            Self::Hue(Hue::Grey) => ["h-grey", "#4f5d6b", "#b4c0cc"],
        }
    }

    /// The name of its CSS class.
    pub const fn class(self) -> &'static str {
        self.look()[0]
    }

    /// Colour on a white background, as `#rrggbb`.
    pub const fn light(self) -> &'static str {
        self.look()[1]
    }

    /// Colour on a nearly black background, as `#rrggbb`.
    pub const fn dark(self) -> &'static str {
        self.look()[2]
    }
}

/// Viridis (S. van der Walt and N. Smith, 2015, CC0): even steps to the eye, also to
/// the colour-blind and in grey.
const VIRIDIS: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// The colour of a share from 0 to 1, red, green and blue.
#[expect(clippy::cast_possible_truncation, reason = "parts are within 0 to 255")]
pub(crate) fn heat(share: f64) -> [u8; 3] {
    let position = share.clamp(0.0, 1.0) * 9.0;
    let index = (position.floor() as usize).min(VIRIDIS.len() - 2);
    let part = position - position.floor();
    let part = if position >= 9.0 { 1.0 } else { part };
    let (low, high) = (VIRIDIS[index], VIRIDIS[index + 1]);
    let between = |number: usize| {
        let (low, high) = (f64::from(low[number]), f64::from(high[number]));
        (low + (high - low) * part).round() as u8
    };
    [between(0), between(1), between(2)]
}

/// A colour as CSS writes it.
pub(crate) fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Black or white, whichever can be read better on a colour; one of them always has a
/// contrast of at least 4.5 : 1.
pub(crate) fn text_on(colour: [u8; 3]) -> &'static str {
    let luminance = luminance(colour);
    if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 {
        "#ffffff"
    } else {
        "#000000"
    }
}

/// Relative luminance, as WCAG 2.2 defines it.
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn parsed(css: &str) -> [u8; 3] {
        let part = |at: usize| u8::from_str_radix(&css[at..at + 2], 16).unwrap();
        [part(1), part(3), part(5)]
    }

    /// Contrast of two colours by WCAG 2.2.
    pub(crate) fn contrast(left: [u8; 3], right: [u8; 3]) -> f64 {
        let (left, right) = (luminance(left), luminance(right));
        (left.max(right) + 0.05) / (left.min(right) + 0.05)
    }

    #[test]
    fn everything_but_the_grid_can_be_read() {
        for role in Role::ALL {
            let least = match role {
                Role::Background | Role::Grid => continue,
                Role::Frame => 3.0,
                _ => 4.5,
            };
            let light = contrast(parsed(role.light()), parsed(Role::Background.light()));
            let dark = contrast(parsed(role.dark()), parsed(Role::Background.dark()));
            assert!(light >= least, "{role:?} on white: {light:.2}");
            assert!(dark >= least, "{role:?} on black: {dark:.2}");
        }
    }

    #[test]
    fn values_in_cells_can_be_read() {
        for step in 0..=1_000 {
            let colour = heat(f64::from(step) / 1_000.0);
            let text = parsed(text_on(colour));
            assert!(contrast(colour, text) >= 4.5, "{}", css(colour));
        }
    }

    #[test]
    fn the_colours_of_heat_grow_brighter_all_the_way() {
        let luminances: Vec<f64> = (0..=100)
            .map(|step| luminance(heat(f64::from(step) / 100.0)))
            .collect();
        assert!(luminances.is_sorted());
        assert_eq!(css(heat(0.0)), "#440154");
        assert_eq!(css(heat(1.0)), "#fde725");
        assert_eq!(heat(7.0), heat(1.0));
    }
}
