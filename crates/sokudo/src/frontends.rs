//! Other ways to sokudo's measurements than its own commands: tools that it stands in for, and the
//! page.

pub(crate) mod diskspd;
pub(crate) mod door;
pub(crate) mod fio;
pub(crate) mod hdparm;
pub(crate) mod page;
