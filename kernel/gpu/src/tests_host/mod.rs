//! All of this crate without a graphics processor: a driver whose memory is the host's and whose launches run the code of
//! `kernel/gpu/device` thread by thread.
//!
//! * [`driver`]: its functions; [`launches`]: what its launches run
//! * [`batches`], [`delassus`], [`worlds`], [`columns`], [`caller`], [`pinned`]: the tests
mod batches;
mod caller;
mod columns;
mod delassus;
mod driver;
mod launches;
mod pinned;
mod worlds;
