//! debug
use stiction::*;
use stiction_host::problems::*;
fn main(){
    for speed in [0.1, 1.0, 3.0, 6.0, 10.0, 30.0, 60.0, 100.0] { for deg in [0.0f64,20.0,45.0] {
        let s = sliding_cube(speed, deg.to_radians(), 0.5).solve::<f64>(&Settings::default()).unwrap();
        println!("{speed} {deg} vz {:.2e} sweeps {} nat {:.1e} scale {:.1}", s.velocities[1].0.z, s.report.sweeps, s.report.residual.natural, s.report.residual.scale);
    }}
}
