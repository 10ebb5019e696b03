//! How much of a large family of cases runs: a part of it, spread over the whole, in every
//! run of the tests, and all of it where `URISIEVE_TESTS` is `thorough`.

/// Returns the step by which a family is walked: 1 where all cases run, otherwise `quick`.
pub fn step(quick: usize) -> usize {
    match std::env::var("URISIEVE_TESTS") {
        Ok(value) if value == "thorough" => 1,
        _ => quick,
    }
}

/// Returns every `quick`-th of `cases`, in each `turn` other ones: in `quick` turns each runs.
#[allow(dead_code)] // Not every test takes turns.
pub fn part<I: IntoIterator>(cases: I, quick: usize, turn: usize) -> impl Iterator<Item = I::Item> {
    let step = step(quick);
    cases.into_iter().skip(turn % step).step_by(step)
}
