//! Work on lists that may be shared. How jobs are run is set by who has threads.

/// A piece of work.
pub(crate) type Job<'j> = Box<dyn FnOnce() + Send + 'j>;

/// How jobs are run, and on how many threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jobs {
    pub threads: usize,
    /// Returns when all are done.
    pub run: for<'j> fn(usize, Vec<Job<'j>>),
}

impl Default for Jobs {
    fn default() -> Jobs {
        Jobs {
            threads: 1,
            run: |_, jobs| jobs.into_iter().for_each(|job| job()),
        }
    }
}

impl Jobs {
    pub(super) fn run<'j>(self, jobs: impl Iterator<Item = Job<'j>>) {
        (self.run)(self.threads, jobs.collect());
    }
}
