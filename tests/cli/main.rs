//! The program as its users see it.

#[path = "../kit/dribble.rs"]
mod dribble;
mod enrich;
mod exchanges;
mod formats;
mod gateways;
mod habits;
mod hints;
mod invocation;
mod journal;
mod known;
mod limits;
mod lists;
mod logs;
mod matching;
mod merge;
mod merge_tables;
mod nested;
mod numbers;
mod output;
mod params;
mod parquet;
#[cfg(unix)]
mod passing;
mod per;
#[path = "../kit/program.rs"]
mod program;
mod report;
mod rewrite;
mod secrets;
mod seen;
mod seen_events;
#[cfg(unix)]
mod seen_live;
mod seen_store;
mod selection;
mod shapes;
mod shard;
#[cfg(unix)]
#[path = "../kit/signals.rs"]
mod signals;
mod split;
#[cfg(unix)]
mod streams;
mod tables;
#[path = "../kit/thorough.rs"]
mod thorough;
