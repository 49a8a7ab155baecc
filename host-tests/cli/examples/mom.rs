//! Scratch.
#![allow(warnings)]
use stiction::*;
use stiction_testkit::random_islands::FAMILIES;
use stiction_testkit::rng::Rng;
fn main() {
    let mut rng = Rng::new(17);
    for case in 0..3 {
        let mut island = FAMILIES[case % 4].island(&mut rng);
        island.contacts.iter_mut().step_by(2).for_each(|c| c.mu = 1e-3);
        if case != 2 {
            continue;
        }
        let s = island.solve::<f32>(&Settings { method: MethodChoice::Direct, ..Settings::default() }).unwrap();
        println!("{:?}", s.report);
        for (c, o) in island.contacts.iter().zip(&s.contacts) {
            println!("{} {} mu {} xn {} xt {}", c.a, c.b, c.mu, o.normal_impulse, o.tangent_impulse.norm());
        }
        for b in &island.bodies {
            println!("{:?} {:?}", 1.0 / b.inverse_mass, b.inverse_inertia_world);
        }
    }
}
