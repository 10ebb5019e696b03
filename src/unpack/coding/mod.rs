//! temporary
mod coding;
mod payload;
use crate::item::{Damage, LossKind};
use payload::{Given, Payload, Source};
/// t
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingState {
    /// t
    Hungry,
    /// t
    More,
    /// t
    End,
}
/// t
#[derive(Debug)]
pub struct Pulled {
    /// t
    pub read: usize,
    /// t
    pub written: usize,
    /// t
    pub state: CodingState,
}
/// t
pub struct CodingLoss {
    /// t
    pub kind: fn(Damage) -> LossKind,
    /// t
    pub container: &'static str,
    /// t
    pub cause: &'static str,
}
/// t
pub struct Codings {
    payload: Payload,
    identity: bool,
    losses: Vec<CodingLoss>,
}
impl std::fmt::Debug for Codings {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Codings")
    }
}
impl Codings {
    /// t
    pub fn new<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Codings {
        let (payload, identity) = Payload::new(names.into_iter());
        Codings {
            payload,
            identity,
            losses: Vec::new(),
        }
    }
    /// t
    pub fn is_identity(&self) -> bool {
        self.identity
    }
    /// t
    pub fn pull(&mut self, bytes: &[u8], ended: bool, out: &mut [u8]) -> Pulled {
        let mut source = Source {
            bytes,
            taken: 0,
            ended,
        };
        let losses = &mut self.losses;
        let mut lost = |kind: fn(Damage) -> LossKind, container, cause| {
            losses.push(CodingLoss {
                kind,
                container,
                cause,
            })
        };
        let given = self.payload.pull(&mut source, out, &mut lost);
        let (written, state) = match given {
            Given::Bytes(n) => (n, CodingState::More),
            Given::Hungry => (0, CodingState::Hungry),
            Given::End => (0, CodingState::End),
        };
        Pulled {
            read: source.taken,
            written,
            state,
        }
    }
    /// t
    pub fn losses(&mut self) -> impl Iterator<Item = CodingLoss> + use<> {
        std::mem::take(&mut self.losses).into_iter()
    }
}
