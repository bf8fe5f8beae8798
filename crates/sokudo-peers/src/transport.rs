//! What carries frames from one process to another.

use std::time::Duration;

use sokudo_words::Text;

/// Called by one thread only, which never waits in it.
pub(crate) trait Transport {
    /// Begins to send. Frames to one rank arrive in order.
    ///
    /// # Errors
    /// If it cannot be reached.
    fn send(&mut self, to: u32, frame: Vec<u8>) -> Result<(), Unreachable>;

    /// What has arrived, and of whom.
    ///
    /// # Errors
    /// If nothing can arrive any more.
    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Unreachable>;

    /// How many frames to this rank are not yet on their way.
    fn unsent(&mut self, to: u32) -> usize;

    /// From the last message until the end in order. By half of it all have stopped to receive.
    fn linger(&self) -> Duration;

    /// The end in order, together with all others. May wait.
    ///
    /// # Errors
    /// In the words of the transport.
    fn leave(&mut self) -> Result<(), Text>;
}

/// In the transport's words.
#[derive(Debug)]
pub(crate) struct Unreachable {
    /// `None` where it does not know.
    pub(crate) rank: Option<u32>,
    pub(crate) why: String,
}
