//! The program as its users see it.

#[path = "../kit/dribble.rs"]
mod dribble;
mod enrich;
mod formats;
mod gateways;
mod habits;
mod hints;
mod invocation;
mod journal;
mod limits;
mod lists;
mod logs;
mod nested;
mod numbers;
mod outputs;
mod parquet;
#[cfg(unix)]
mod passing;
#[path = "../kit/program.rs"]
mod program;
mod rewrite;
mod secrets;
mod seen;
mod selection;
mod shard;
#[cfg(unix)]
#[path = "../kit/signals.rs"]
mod signals;
#[cfg(unix)]
mod streams;
mod tables;
#[path = "../kit/thorough.rs"]
mod thorough;
