use std::time::Instant;
use urisieve::delimit::*;
use urisieve::item::Segment;
use urisieve::scan::*;
fn main() {
    let f = std::env::args().nth(1).unwrap();
    let d = std::fs::read(f).unwrap();
    let d = &d[..d.len().min(200 << 20)];
    let s = Scanner::new();
    let seg = Segment::whole(d);
    let t = Instant::now();
    let n = s.triggers(&seg, 0).count();
    println!(
        "triggers {} {:?} GB/s {:.2}",
        n,
        t.elapsed(),
        d.len() as f64 / 1e9 / t.elapsed().as_secs_f64()
    );
    let mut del = Delimiter::new(Config::default());
    let t = Instant::now();
    let mut tr = s.triggers(&seg, 0);
    let (mut found, mut none, mut bytes) = (0u64, 0u64, 0u64);
    let mut floor = 0;
    while let Some(x) = tr.next() {
        match del.delimit(&seg, x.at(), floor) {
            Outcome::Found(e) => {
                found += 1;
                bytes += del.found(&seg).next().unwrap().text.len() as u64;
                floor = e;
                tr.skip_to(e);
            }
            _ => none += 1,
        }
    }
    let e = t.elapsed();
    println!(
        "found {found} none {none} avg {} {:?} {:.0} ns per found",
        bytes / found.max(1),
        e,
        e.as_nanos() as f64 / found as f64
    );
    let t = Instant::now();
    let c = urisieve::canonicalize::Canonicalizer::new(Default::default());
    let mut tr = s.triggers(&seg, 0);
    let mut buf = vec![];
    let mut floor = 0;
    let mut x = 0usize;
    let h = urisieve::dedup::Hasher::new();
    while let Some(g) = tr.next() {
        if let Outcome::Found(e) = del.delimit(&seg, g.at(), floor) {
            for r in del.found(&seg) {
                let k = c.canonicalize(r.text, &mut buf);
                x ^= h.hash(k) as usize;
            }
            floor = e;
            tr.skip_to(e);
        }
    }
    println!("with canon+hash {:?} {x}", t.elapsed());
}
