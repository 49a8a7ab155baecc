//! Scratch.
#![allow(warnings)]
use stiction_scenes::boxes::stack_with_top;
use stiction_scenes::rest::*;
fn go<const NF: usize>(top: f64) {
    let mut s = stack_with_top::<f32, BODIES, CONTACTS, NF>(4, top);
    let mut f = (0, 0, 0, false);
    for k in 0..240 {
        let r = s.step().unwrap();
        f.0 += r.factor.factors;
        f.1 += r.factor.corrections;
        f.2 += r.factor.changed;
        f.3 |= r.factor.memory_too_small;
        if k == 3 || k % 60 == 59 {
            println!("top {top} NF {NF} {k} z {:?} factor {f:?} {:?}", s.world.positions()[4].z, r.status);
        }
    }
}
fn main() {
    go::<7>(1.0);
    go::<7>(10.0);
    go::<7>(100.0);
    go::<7>(1000.0);
    go::<16>(1000.0);
    go::<0>(100.0);
}
