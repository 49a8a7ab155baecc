//! debug
use stiction::*;
use stiction_host::strategies::*;
use proptest::strategy::{Strategy,ValueTree};
use proptest::test_runner::*;
fn main(){
    let config = Config { cases:1, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let shape = Shape { warm: 1.0, ..Shape::default() };
    let st=(island(shape), rotation());
    let mut shown=0;
    let mut bad=[0u32;10];
    for case in 0..20000 {
        let (isl,r)=st.new_tree(&mut runner).unwrap().current();
        for sweeps in 0..8u32 {
            let s=Settings::<f64>{sweeps,tolerance:0.0,..Settings::default()};
            let a=isl.solve(&s).unwrap(); let b=isl.turned(&r).solve(&s).unwrap();
            let d=a.velocities.iter().zip(&b.velocities).map(|(x,y)|(x.0-r.transpose()*y.0).norm()+(x.1-r.transpose()*y.1).norm()).fold(0.0,f64::max);
            if d>1e-9 { bad[sweeps as usize]+=1; if shown<12 {shown+=1; println!("case {case} sweeps {sweeps} diff {d:e} nc {} nb {} guard {} {}", isl.contacts.len(), isl.bodies.len(), a.report.passivity_guard, b.report.passivity_guard);
              for i in 0..isl.contacts.len() { println!("   {} {:?} | {:?}", isl.contacts[i].mu, a.contacts[i].normal, b.contacts[i].normal);} } break; }
        }
    }
    println!("{bad:?}");
}
