//! The page over the wire: real connections on loopback, a measurer that is played.

mod guard;
mod limits;
mod live;
mod routes;
pub(crate) mod site;
