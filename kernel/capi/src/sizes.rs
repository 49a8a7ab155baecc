//! Sizes of objects as compile-time constants, as firmware needs them: sufficient on every machine, exact where
//! pointers have 64 bits (a test compares them).

use crate::delassus::{DelassusSolvers, DelassusSolversWithMoments};
use crate::direct_memory::DirectMemories;
use crate::pipeline::{Pipelines, PipelinesWithJoints, PipelinesWithMoments};
use crate::solver::{Solvers, SolversWithMoments};

/// Sufficient bytes for a solver for 8 bodies and 16 contacts in single precision.
pub const F32_SOLVER_8_16_BYTES: usize = 7_456;
/// Sufficient bytes for a solver for 16 bodies and 64 contacts in single precision.
pub const F32_SOLVER_16_64_BYTES: usize = 26_848;
/// Sufficient bytes for a solver for 64 bodies and 256 contacts in single precision.
pub const F32_SOLVER_64_256_BYTES: usize = 106_624;
/// Sufficient bytes for a pipeline for 8 bodies and 16 contacts in single precision.
pub const F32_PIPELINE_8_16_BYTES: usize = 19_744;
/// Sufficient bytes for a pipeline for 16 bodies and 64 contacts in single precision.
pub const F32_PIPELINE_16_64_BYTES: usize = 68_288;
/// Sufficient bytes for a pipeline for 64 bodies and 256 contacts in single precision.
pub const F32_PIPELINE_64_256_BYTES: usize = 271_360;
/// Sufficient bytes for a solver for 8 bodies and 16 contacts in double precision.
pub const F64_SOLVER_8_16_BYTES: usize = 14_528;
/// Sufficient bytes for a solver for 16 bodies and 64 contacts in double precision.
pub const F64_SOLVER_16_64_BYTES: usize = 52_800;
/// Sufficient bytes for a solver for 64 bodies and 256 contacts in double precision.
pub const F64_SOLVER_64_256_BYTES: usize = 210_144;
/// Sufficient bytes for a pipeline for 8 bodies and 16 contacts in double precision.
pub const F64_PIPELINE_8_16_BYTES: usize = 37_312;
/// Sufficient bytes for a pipeline for 16 bodies and 64 contacts in double precision.
pub const F64_PIPELINE_16_64_BYTES: usize = 129_184;
/// Sufficient bytes for a pipeline for 64 bodies and 256 contacts in double precision.
pub const F64_PIPELINE_64_256_BYTES: usize = 514_272;
/// Sufficient bytes for direct methods on islands of 16 contacts in single precision.
pub const F32_DIRECT_MEMORY_16_BYTES: usize = 13_856;
/// Sufficient bytes for direct methods on islands of 64 contacts in single precision.
pub const F32_DIRECT_MEMORY_64_BYTES: usize = 168_928;
/// Sufficient bytes for a solver in Delassus form for 16 contacts in single precision.
pub const F32_DELASSUS_SOLVER_16_BYTES: usize = 3_232;
/// Sufficient bytes for a solver in Delassus form for 128 contacts in single precision.
pub const F32_DELASSUS_SOLVER_128_BYTES: usize = 25_312;
/// Sufficient bytes for direct methods on islands of 16 contacts in double precision.
pub const F64_DIRECT_MEMORY_16_BYTES: usize = 27_104;
/// Sufficient bytes for direct methods on islands of 64 contacts in double precision.
pub const F64_DIRECT_MEMORY_64_BYTES: usize = 332_512;
/// Sufficient bytes for a solver in Delassus form for 16 contacts in double precision.
pub const F64_DELASSUS_SOLVER_16_BYTES: usize = 6_368;
/// Sufficient bytes for a solver in Delassus form for 128 contacts in double precision.
pub const F64_DELASSUS_SOLVER_128_BYTES: usize = 50_400;
/// Sufficient bytes for a solver with moments for 8 bodies and 16 contacts in single precision.
pub const F32_SOLVER_8_16_WITH_MOMENTS_BYTES: usize = 11_424;
/// Sufficient bytes for a solver with moments for 16 bodies and 64 contacts in single precision.
pub const F32_SOLVER_16_64_WITH_MOMENTS_BYTES: usize = 42_720;
/// Sufficient bytes for a solver with moments for 64 bodies and 256 contacts in single precision.
pub const F32_SOLVER_64_256_WITH_MOMENTS_BYTES: usize = 170_112;
/// Sufficient bytes for a solver in Delassus form with moments for 16 contacts in single precision.
pub const F32_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES: usize = 7_328;
/// Sufficient bytes for a solver in Delassus form with moments for 128 contacts in single precision.
pub const F32_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES: usize = 58_080;
/// Sufficient bytes for a solver with moments for 8 bodies and 16 contacts in double precision.
pub const F64_SOLVER_8_16_WITH_MOMENTS_BYTES: usize = 22_368;
/// Sufficient bytes for a solver with moments for 16 bodies and 64 contacts in double precision.
pub const F64_SOLVER_16_64_WITH_MOMENTS_BYTES: usize = 84_064;
/// Sufficient bytes for a solver with moments for 64 bodies and 256 contacts in double precision.
pub const F64_SOLVER_64_256_WITH_MOMENTS_BYTES: usize = 335_104;
/// Sufficient bytes for a solver in Delassus form with moments for 16 contacts in double precision.
pub const F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES: usize = 14_560;
/// Sufficient bytes for a solver in Delassus form with moments for 128 contacts in double precision.
pub const F64_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES: usize = 115_936;
/// Sufficient bytes for a pipeline with moments for 8 bodies and 16 contacts in single precision.
pub const F32_PIPELINE_8_16_WITH_MOMENTS_BYTES: usize = 25_184;
/// Sufficient bytes for a pipeline with moments for 16 bodies and 64 contacts in single precision.
pub const F32_PIPELINE_16_64_WITH_MOMENTS_BYTES: usize = 89_216;
/// Sufficient bytes for a pipeline with moments for 64 bodies and 256 contacts in single precision.
pub const F32_PIPELINE_64_256_WITH_MOMENTS_BYTES: usize = 355_104;
/// Sufficient bytes for a pipeline with moments for 8 bodies and 16 contacts in double precision.
pub const F64_PIPELINE_8_16_WITH_MOMENTS_BYTES: usize = 48_064;
/// Sufficient bytes for a pipeline with moments for 16 bodies and 64 contacts in double precision.
pub const F64_PIPELINE_16_64_WITH_MOMENTS_BYTES: usize = 170_560;
/// Sufficient bytes for a pipeline with moments for 64 bodies and 256 contacts in double precision.
pub const F64_PIPELINE_64_256_WITH_MOMENTS_BYTES: usize = 679_712;
/// Sufficient bytes for a pipeline with joints for 8 bodies, 8 joints and 16 contacts in single precision.
pub const F32_PIPELINE_8_16_WITH_JOINTS_BYTES: usize = 34_464;
/// Sufficient bytes for a pipeline with joints for 16 bodies, 16 joints and 64 contacts in single precision.
pub const F32_PIPELINE_16_64_WITH_JOINTS_BYTES: usize = 107_808;
/// Sufficient bytes for a pipeline with joints for 64 bodies, 64 joints and 256 contacts in single precision.
pub const F32_PIPELINE_64_256_WITH_JOINTS_BYTES: usize = 429_344;
/// Sufficient bytes for a pipeline with joints for 8 bodies, 8 joints and 16 contacts in double precision.
pub const F64_PIPELINE_8_16_WITH_JOINTS_BYTES: usize = 66_432;
/// Sufficient bytes for a pipeline with joints for 16 bodies, 16 joints and 64 contacts in double precision.
pub const F64_PIPELINE_16_64_WITH_JOINTS_BYTES: usize = 207_200;
/// Sufficient bytes for a pipeline with joints for 64 bodies, 64 joints and 256 contacts in double precision.
pub const F64_PIPELINE_64_256_WITH_JOINTS_BYTES: usize = 826_176;

const _: () = {
    assert!(DirectMemories::<f32>::RUNG_16.bytes() <= F32_DIRECT_MEMORY_16_BYTES);
    assert!(DirectMemories::<f32>::RUNG_64.bytes() <= F32_DIRECT_MEMORY_64_BYTES);
    assert!(DelassusSolvers::<f32>::RUNG_16.bytes() <= F32_DELASSUS_SOLVER_16_BYTES);
    assert!(DelassusSolvers::<f32>::RUNG_128.bytes() <= F32_DELASSUS_SOLVER_128_BYTES);
    assert!(DirectMemories::<f64>::RUNG_16.bytes() <= F64_DIRECT_MEMORY_16_BYTES);
    assert!(DirectMemories::<f64>::RUNG_64.bytes() <= F64_DIRECT_MEMORY_64_BYTES);
    assert!(DelassusSolvers::<f64>::RUNG_16.bytes() <= F64_DELASSUS_SOLVER_16_BYTES);
    assert!(DelassusSolvers::<f64>::RUNG_128.bytes() <= F64_DELASSUS_SOLVER_128_BYTES);
    assert!(Solvers::<f32>::RUNG_8_16.bytes() <= F32_SOLVER_8_16_BYTES);
    assert!(Solvers::<f32>::RUNG_16_64.bytes() <= F32_SOLVER_16_64_BYTES);
    assert!(Solvers::<f32>::RUNG_64_256.bytes() <= F32_SOLVER_64_256_BYTES);
    assert!(Pipelines::<f32>::RUNG_8_16.bytes() <= F32_PIPELINE_8_16_BYTES);
    assert!(Pipelines::<f32>::RUNG_16_64.bytes() <= F32_PIPELINE_16_64_BYTES);
    assert!(Pipelines::<f32>::RUNG_64_256.bytes() <= F32_PIPELINE_64_256_BYTES);
    assert!(Solvers::<f64>::RUNG_8_16.bytes() <= F64_SOLVER_8_16_BYTES);
    assert!(Solvers::<f64>::RUNG_16_64.bytes() <= F64_SOLVER_16_64_BYTES);
    assert!(Solvers::<f64>::RUNG_64_256.bytes() <= F64_SOLVER_64_256_BYTES);
    assert!(Pipelines::<f64>::RUNG_8_16.bytes() <= F64_PIPELINE_8_16_BYTES);
    assert!(Pipelines::<f64>::RUNG_16_64.bytes() <= F64_PIPELINE_16_64_BYTES);
    assert!(Pipelines::<f64>::RUNG_64_256.bytes() <= F64_PIPELINE_64_256_BYTES);
    assert!(SolversWithMoments::<f32>::RUNG_8_16.bytes() <= F32_SOLVER_8_16_WITH_MOMENTS_BYTES);
    assert!(SolversWithMoments::<f32>::RUNG_16_64.bytes() <= F32_SOLVER_16_64_WITH_MOMENTS_BYTES);
    assert!(SolversWithMoments::<f32>::RUNG_64_256.bytes() <= F32_SOLVER_64_256_WITH_MOMENTS_BYTES);
    assert!(DelassusSolversWithMoments::<f32>::RUNG_16.bytes() <= F32_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES);
    assert!(DelassusSolversWithMoments::<f32>::RUNG_128.bytes() <= F32_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES);
    assert!(SolversWithMoments::<f64>::RUNG_8_16.bytes() <= F64_SOLVER_8_16_WITH_MOMENTS_BYTES);
    assert!(SolversWithMoments::<f64>::RUNG_16_64.bytes() <= F64_SOLVER_16_64_WITH_MOMENTS_BYTES);
    assert!(SolversWithMoments::<f64>::RUNG_64_256.bytes() <= F64_SOLVER_64_256_WITH_MOMENTS_BYTES);
    assert!(DelassusSolversWithMoments::<f64>::RUNG_16.bytes() <= F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES);
    assert!(DelassusSolversWithMoments::<f64>::RUNG_128.bytes() <= F64_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f32>::RUNG_8_16.bytes() <= F32_PIPELINE_8_16_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f32>::RUNG_16_64.bytes() <= F32_PIPELINE_16_64_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f32>::RUNG_64_256.bytes() <= F32_PIPELINE_64_256_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f64>::RUNG_8_16.bytes() <= F64_PIPELINE_8_16_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f64>::RUNG_16_64.bytes() <= F64_PIPELINE_16_64_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithMoments::<f64>::RUNG_64_256.bytes() <= F64_PIPELINE_64_256_WITH_MOMENTS_BYTES);
    assert!(PipelinesWithJoints::<f32>::RUNG_8_16.bytes() <= F32_PIPELINE_8_16_WITH_JOINTS_BYTES);
    assert!(PipelinesWithJoints::<f32>::RUNG_16_64.bytes() <= F32_PIPELINE_16_64_WITH_JOINTS_BYTES);
    assert!(PipelinesWithJoints::<f32>::RUNG_64_256.bytes() <= F32_PIPELINE_64_256_WITH_JOINTS_BYTES);
    assert!(PipelinesWithJoints::<f64>::RUNG_8_16.bytes() <= F64_PIPELINE_8_16_WITH_JOINTS_BYTES);
    assert!(PipelinesWithJoints::<f64>::RUNG_16_64.bytes() <= F64_PIPELINE_16_64_WITH_JOINTS_BYTES);
    assert!(PipelinesWithJoints::<f64>::RUNG_64_256.bytes() <= F64_PIPELINE_64_256_WITH_JOINTS_BYTES);
};
