//! Where something is drawn, and in what letters.

use super::canvas::Lettering;

/// Between the edge of the picture and what is in it.
pub(super) const MARGIN: f64 = 28.0;

pub(super) const TITLE: Lettering = Lettering::new(24.0, true);

pub(super) const BODY: Lettering = Lettering::new(15.0, false);

pub(super) const STRONG: Lettering = Lettering::new(15.0, true);

pub(super) const SMALL: Lettering = Lettering::new(13.0, false);

/// The area in which something is drawn, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotArea {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl PlotArea {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}
