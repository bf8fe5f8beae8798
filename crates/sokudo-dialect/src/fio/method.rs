//! Plans as job files and back: what `sokudo mark` prints for fio, and the method
//! files that hold its profiles.
//!
//! It reads the part of fio's language that [`render`] prints, and the pragmas that
//! say what fio cannot; everything else is the reader's of [`super::invocation`]. It
//! refuses to guess: an option it does not know, a value fio would misread, or a job
//! that a plan for one target cannot express is an error with line and column.
//!
//! # Grammar
//!
//! ```text
//! file     = { line }
//! line     = [ section | entry | pragma ] [ comment ]
//! section  = "[" name "]"               ; "global", or the name of a job
//! entry    = option [ "=" value ]       ; without "=" for flags only
//! comment  = ( ";" | "#" ) text         ; ends a line anywhere, also inside a value
//! pragma   = ( ";" | "#" ) "sokudo:" key "=" value     ; on a line of its own
//! number   = digits | "0x" hexdigits
//! size     = number [ "k" | "m" | "g" | "t" | "p" ] [ "i" ] [ "b" ]
//! time     = number [ "us" | "ms" | "s" | "m" | "h" | "d" ]
//! ```
//!
//! - Options are lower case; blanks around option and value are ignored.
//! - Every `[global]` adds to the ones before it, for the jobs after it. Two jobs
//!   may have one name. Within a section the last word counts.
//! - Jobs run together until one says `stonewall`, which starts a new
//!   [`Stage`](sokudo_model::Stage).
//! - Sizes follow fio's `kb_base`. With 1024, the default, `4k`, `4kb` and `4ki`
//!   are 4096 and `4kib` is 4000 (fio has it that way round for the sake of old
//!   job files); with 1000 the four are 4000, 4000, 4000 and 4096.
//! - A number without a unit is seconds in `runtime` and `ramp_time`, and
//!   microseconds in `thinktime`.
//! - `offset` and `size` bound the part of the target that is used; with
//!   `filesize` it ends there and `size` only says how much is moved, as in fio.
//!   The target as a whole reaches as far as the furthest job, so a job that uses
//!   all of that has no [`Span`](sokudo_model::Span).
//! - A job ends after `runtime` if it is `time_based`; otherwise when `io_size`
//!   (by default `size`) is moved or `runtime` is over, whichever comes first.
//!   All three are fio's own rules, as measured with fio 3.33.
//! - All jobs of a file use one target, which is chosen on the command line.
//!   (fio without `filename` gives every job a file of its own.)
//!
//! [`options`] lists every option with its meaning; [`pragmas`] lists what
//! `; sokudo:` lines can say that fio cannot. A pragma is a comment to fio. It
//! overrides what stands above it.

mod error;
mod options;
mod parse;
mod phrase;
mod place;
mod pragma;
mod render;
mod scan;
mod settings;
mod values;
mod words;

pub use error::{JobFileError, JobFileProblem};
pub use options::{MethodOption, options};
pub use parse::{JobFile, parse, read};
pub use place::{Place, PlaceError, TEST_FILE_NAME};
pub use pragma::{Pragma, pragmas};
pub use render::render;

pub(super) use values::{KiloBase, scaled};

#[cfg(doc)]
use sokudo_model::Plan;
