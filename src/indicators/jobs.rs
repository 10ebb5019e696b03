//! Work on lists that may be shared. How jobs are run is set by who has threads.

/// A piece of work.
pub(crate) type ListJob<'j> = Box<dyn FnOnce() + Send + 'j>;

/// How jobs are run, and on how many threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListJobs {
    pub threads: usize,
    /// Returns when all are done.
    pub run: for<'j> fn(usize, Vec<ListJob<'j>>),
}

impl Default for ListJobs {
    fn default() -> ListJobs {
        ListJobs {
            threads: 1,
            run: |_, jobs| jobs.into_iter().for_each(|job| job()),
        }
    }
}

impl ListJobs {
    pub(super) fn run<'j>(self, jobs: impl Iterator<Item = ListJob<'j>>) {
        (self.run)(self.threads, jobs.collect());
    }
}
