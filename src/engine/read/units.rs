//! The unit of the occurrences that follow: the record or the input in which a class counts
//! once. A record that continues in the next block takes its unit along.

use crate::engine::CountPer;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::count_unit::CountUnit;

/// The units of the occurrences that a worker finds.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct CountUnits {
    /// `None` where each occurrence counts.
    pub per: Option<CountPer>,
    current: RecordUnit,
    /// The input and the block in which units begin, and the number of those so far.
    block: (usize, u64),
    begun: u32,
}

/// The unit of a record, and the number of the part of it that is a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct RecordUnit {
    unit: CountUnit,
    number: Option<u64>,
}

impl CountUnits {
    pub(in crate::engine) fn new(per: Option<CountPer>) -> CountUnits {
        CountUnits {
            per,
            ..CountUnits::default()
        }
    }

    /// Text in no record follows.
    pub(in crate::engine) fn enter_text(&mut self, batch: &Batch) {
        self.current = RecordUnit {
            unit: CountUnit::of_input(batch.input),
            number: None,
        };
    }

    /// A record begins.
    pub(in crate::engine) fn begin(&mut self, batch: &Batch) {
        if self.per != Some(CountPer::Record) {
            return self.enter_text(batch);
        }
        let block = (batch.order.turn.input, batch.order.turn.block);
        if self.block != block {
            (self.block, self.begun) = (block, 0);
        }
        self.begun = self.begun.wrapping_add(1);
        self.current = RecordUnit {
            unit: CountUnit::new(block.0, block.1, self.begun),
            number: None,
        };
    }

    /// The record with this number goes on, or begins.
    pub(in crate::engine) fn enter_numbered(&mut self, number: u64, batch: &Batch) {
        if self.per.is_some() && self.current.number != Some(number) {
            self.begin(batch);
            self.current.number = Some(number);
        }
    }

    /// A record goes on.
    pub(in crate::engine) fn resume(&mut self, unit: RecordUnit) {
        self.current = unit;
    }

    pub(in crate::engine) fn record(&self) -> RecordUnit {
        self.current
    }

    pub(in crate::engine) fn current(&self) -> CountUnit {
        self.current.unit
    }
}
