//! The page over the wire: real connections on loopback, a measurer that is played.

#![expect(clippy::unwrap_used, reason = "a test that cannot connect fails")]

mod guard;
mod limits;
mod live;
mod routes;
mod site;
