//! How long and how much.

use std::time::Duration;

/// A message of one call: the result of one process with its evidence is some MiB.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;

/// What a beat carries along, so that a beat stays one small packet.
pub const STATUS_BYTES_MAX: usize = 64;

/// How long peers wait for each other. All of them must have the same.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the start until all have said hello; launchers on large clusters take their time.
    pub join: Duration,
    /// From one beat to the next.
    pub beat: Duration,
    /// Who is not heard for so long is lost.
    pub lost_after: Duration,
    /// For the end in order, once all want to leave.
    pub leave: Duration,
    /// Between two looks at the transport while somebody waits in a call.
    pub pause_in_call: Duration,
    /// Between two looks while nobody does.
    pub pause: Duration,
}

/// A process that was stopped before it has said hello holds up all others for so long: a few are
/// there within seconds, and of thousands a launcher may need minutes.
const JOIN_FIRST: Duration = Duration::from_secs(20);
const JOIN_EACH: Duration = Duration::from_millis(250);

impl Timeouts {
    /// Those for so many processes.
    pub fn of(count: u32) -> Self {
        let most = Self::default();
        let join = JOIN_FIRST.saturating_add(JOIN_EACH.saturating_mul(count));
        Self {
            join: join.min(most.join),
            ..most
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            join: Duration::from_secs(120),
            beat: Duration::from_secs(1),
            lost_after: Duration::from_secs(5),
            leave: Duration::from_secs(10),
            pause_in_call: Duration::from_millis(1),
            pause: Duration::from_millis(20),
        }
    }
}
