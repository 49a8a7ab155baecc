//! debug
use nalgebra::{Matrix3, Vector3};
use stiction::local::{Block, Cone, exact};
use stiction_host::merit::{condition, violation, natural_map};
use stiction_host::rng::Rng;
fn main(){
    let mut rng=Rng::new(1);
    let mut hist=[0u32;12]; let mut shown=0;
    let mut steps=[0u32;64];
    for _ in 0..1_000_000 {
        let spread = rng.log_range(1.0, 1e6);
        let eigenvalues = Vector3::new(1.0, rng.log_range(1.0 / spread, 1.0), 1.0 / spread);
        let q = rng.rotation();
        let size = rng.log_range(1e-3, 1e3);
        let k = q * Matrix3::from_diagonal(&eigenvalues) * q.transpose() * size;
        let k = (k + k.transpose()) * 0.5;
        let mu = if rng.chance(0.05) { 0.0 } else { rng.range(0.0, 3.0) };
        let speed = rng.log_range(1e-6, 1e3);
        let free: Vector3<f64> = rng.direction() * speed;
        let (block, unit) = Block::new(&k);
        let preload = if rng.chance(0.5) { 0.0 } else { rng.log_range(1e-3, 1.0) * speed };
        let s = exact(&block, &Cone { mu, preload }, &free);
        let x = s.impulse/unit;
        let c=condition(&k);
        let e=violation(&k,&free,&x,mu,preload/unit)/(f64::EPSILON*c*free.norm());
        let b=(e.log2().max(0.0) as usize).min(11); hist[b]+=1; steps[s.steps.min(63) as usize]+=1;
        if e>64.0 && shown<12 { shown+=1;
            let d=k.trace()/3.0; let u=free+k*x; let r=natural_map(&x,&u,mu,preload/unit,1.0/d)*d;
            println!("e {e:.1} cond {c:.2e} mu {mu:.3} p {:.2e} steps {} |x|d/|u| {:.2e} un/|û| {:.2e} r/|û| {:?} ut/|û| {:.2e} cross {:.2e} rim {:.2e}", preload/speed, s.steps, x.norm()*d/speed, u.x/speed, (r/speed).as_slice(), u.y.hypot(u.z)/speed,
              (u.y*x.z-u.z*x.y)/(u.y.hypot(u.z)*x.y.hypot(x.z)), x.y.hypot(x.z)/(mu*(x.x+preload/unit))-1.0);
        }
    }
    println!("{hist:?}\n{steps:?}");
}
