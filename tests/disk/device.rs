//! What is seen on the running machine, with file systems on loop devices, and who else uses a
//! file or device. What needs root or a tool that is missing is skipped, loudly.

mod below;
mod machine;
mod occupants;
mod users;
