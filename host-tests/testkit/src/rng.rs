//! A small deterministic generator (SplitMix64) for studies of a fixed number of cases, which need no shrinking.

/// Deterministic random numbers; the same seed gives the same study on every machine.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// A generator that starts at a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in low..high.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Log-uniform in low..high, both positive.
    pub fn log_range(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// Uniform in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True with a probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A uniformly distributed unit vector.
    pub fn direction(&mut self) -> nalgebra::Vector3<f64> {
        loop {
            let v = nalgebra::Vector3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let square = v.norm_squared();
            if square > 1e-3 && square <= 1.0 {
                return v / square.sqrt();
            }
        }
    }

    /// A uniformly distributed rotation.
    pub fn rotation(&mut self) -> nalgebra::Matrix3<f64> {
        let x = self.direction();
        let z = loop {
            let c = x.cross(&self.direction());
            if c.norm() > 0.1 {
                break c.normalize();
            }
        };
        nalgebra::Matrix3::from_columns(&[x, z.cross(&x), z])
    }
}
