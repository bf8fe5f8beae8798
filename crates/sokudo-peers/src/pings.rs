//! The two sides of a look at the first one's clock. Here alone the thread spins, for a few
//! milliseconds: asleep, it would answer half a millisecond late.

use std::thread;
use std::time::{Duration, Instant};

use crate::clock::{ClockReading, OwnClock, Ping, best_reading};
use crate::frame::{FrameKind, decode, encode};
use crate::message::Message;
use crate::transport::{Transport, Unreachable};

/// More find hardly shorter ways.
const PINGS: u32 = 32;

/// Both sides together spin no longer than this for one reading…
const SPIN: Duration = Duration::from_millis(10);

/// …and look in such steps from then on.
const STEP: Duration = Duration::from_micros(100);

/// A reading ends when it has taken so long, over slow networks with fewer pings.
const READING_MAX: Duration = Duration::from_millis(200);

/// An answer that takes longer is not waited for.
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// The first one turns to others when it has heard no ping for so long.
const IDLE_MAX: Duration = Duration::from_millis(30);

/// What came meanwhile, to be looked at afterwards.
pub(crate) type Postponed = Vec<(u32, Vec<u8>)>;

/// Asks the first one for its time, several times. `None` if it does not answer.
pub(crate) fn ask(
    transport: &mut dyn Transport,
    clock: &OwnClock,
    postponed: &mut Postponed,
) -> Result<Option<ClockReading>, Unreachable> {
    let begin = Instant::now();
    let mut pings = Vec::new();
    for number in 0..PINGS {
        let sent_ns = clock.now_ns();
        send(transport, 0, &Message::Ping { number })?;
        let until = Instant::now() + ANSWER_MAX;
        let answer = await_message(
            transport,
            begin,
            until,
            postponed,
            |from, message| match message {
                Message::Pong {
                    number: answered,
                    received_ns,
                    answered_ns,
                } if from == 0 && answered == number => Some((received_ns, answered_ns)),
                _ => None,
            },
        )?;
        let Some((received_ns, answered_ns)) = answer else {
            break;
        };
        pings.push(Ping {
            sent_ns,
            received_ns,
            answered_ns,
            heard_ns: clock.now_ns(),
        });
        if begin.elapsed() > READING_MAX {
            break;
        }
    }
    send(transport, 0, &Message::ClockDone)?;
    Ok(best_reading(&pings))
}

/// Tells that rank that it may ask, and answers it until it is done or silent. Whether it is done.
pub(crate) fn answer(
    transport: &mut dyn Transport,
    rank: u32,
    clock: &OwnClock,
    postponed: &mut Postponed,
) -> Result<bool, Unreachable> {
    send(transport, rank, &Message::ClockGranted)?;
    let begin = Instant::now();
    while begin.elapsed() < READING_MAX {
        let until = Instant::now() + IDLE_MAX;
        let question = await_message(transport, begin, until, postponed, |from, message| {
            let is_its = matches!(message, Message::Ping { .. } | Message::ClockDone);
            (from == rank && is_its).then(|| (clock.now_ns(), message))
        })?;
        match question {
            Some((received_ns, Message::Ping { number })) => {
                send(transport, rank, &pong(number, received_ns, clock))?;
            }
            Some(_) => return Ok(true),
            None => break,
        }
    }
    Ok(false)
}

pub(crate) fn pong(number: u32, received_ns: u64, clock: &OwnClock) -> Message {
    Message::Pong {
        number,
        received_ns,
        answered_ns: clock.now_ns(),
    }
}

fn send(transport: &mut dyn Transport, to: u32, message: &Message) -> Result<(), Unreachable> {
    transport.send(to, encode(FrameKind::Whole, &message.encode()))
}

/// The first message that is wanted; others are put aside.
fn await_message<T>(
    transport: &mut dyn Transport,
    begin: Instant,
    until: Instant,
    postponed: &mut Postponed,
    wanted: impl Fn(u32, Message) -> Option<T>,
) -> Result<Option<T>, Unreachable> {
    loop {
        while let Some((from, frame)) = transport.receive()? {
            let whole = decode(&frame).filter(|frame| frame.kind == FrameKind::Whole);
            let message = whole.and_then(|frame| Message::decode(frame.payload));
            match message.and_then(|message| wanted(from, message)) {
                Some(found) => return Ok(Some(found)),
                None => postponed.push((from, frame)),
            }
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        match begin.elapsed() < SPIN {
            true => thread::yield_now(),
            false => thread::sleep(STEP),
        }
    }
}
