//! The number of inputs that a class is in is the same for every size of blocks, number of threads
//! and limit of memory (I17).

use crate::random;
use crate::thorough;
use proptest::prelude::*;
use std::collections::BTreeMap;
use urisieve::input::Source;
use urisieve::{CountPer, Mode, Sieve};

/// The occurrences of a class, and its inputs.
type Counted = BTreeMap<Vec<u8>, (u64, u64)>;

fn counted(texts: &[String], (block, threads): (usize, usize), memory: Option<usize>) -> Counted {
    let mut sieve = Sieve::builder()
        .mode(Mode::Count)
        .sources(true)
        .block_size(block)
        .threads(threads);
    if let Some(bytes) = memory {
        sieve = sieve.max_memory(bytes);
    }
    let sources = texts.iter().map(|text| Source::Slice(text.as_bytes()));
    let mut found = Counted::new();
    let mut add = |class: &urisieve::item::Finding<'_>| {
        let counts = (class.count.unwrap(), class.sources.unwrap());
        found.insert(class.uri.to_vec(), counts);
    };
    sieve
        .clone()
        .build()
        .for_each_in(sources.clone(), &mut add)
        .unwrap();
    // A class that counts once in an input counts its inputs.
    let per = sieve.count_per(CountPer::File).build();
    per.for_each_in(sources, |class| {
        assert_eq!(class.count, class.sources);
        assert_eq!(class.sources.unwrap(), found[class.uri].1);
    })
    .unwrap();
    found
}

proptest! {
    #![proptest_config(random::cases(8))]

    #[test]
    fn a_class_has_the_same_number_of_inputs(
        texts in prop::collection::vec(prop::collection::vec(0..12_u8, 0..20), 0..12),
    ) {
        let mut wanted = Counted::new();
        for text in &texts {
            for (at, number) in text.iter().enumerate() {
                let uri = format!("http://a.example/{number}").into_bytes();
                let known = wanted.entry(uri).or_default();
                known.0 += 1;
                known.1 += u64::from(!text[..at].contains(number));
            }
        }
        let line = |number: &u8| format!("see http://a.example/{number} there\n");
        let texts: Vec<String> = texts.iter().map(|text| text.iter().map(line).collect()).collect();
        for threads in [1, 2, 8] {
            for block in [1, 30, 1 << 16] {
                for memory in thorough::part([None, Some(1)], 2, texts.len() + threads + block) {
                    let found = counted(&texts, (block, threads), memory);
                    prop_assert_eq!(&found, &wanted, "{} {} {:?}", threads, block, memory);
                }
            }
        }
    }
}
