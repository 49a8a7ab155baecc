//! The compile-time sizes for firmware are the actual sizes of the objects.

use stiction_c::delassus::{DelassusSolvers, DelassusSolversWithMoments};
use stiction_c::direct_memory::DirectMemories;
use stiction_c::pipeline::{Pipelines, PipelinesWithJoints, PipelinesWithMoments};
use stiction_c::sizes;
use stiction_c::solver::{Solvers, SolversWithMoments};

#[test]
#[cfg(all(target_pointer_width = "64", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn reserved_sizes_are_exact_where_pointers_are_largest() {
    let pairs = [
        ("F32_DIRECT_MEMORY_16_BYTES", sizes::F32_DIRECT_MEMORY_16_BYTES, DirectMemories::<f32>::RUNG_16.bytes()),
        ("F32_DIRECT_MEMORY_64_BYTES", sizes::F32_DIRECT_MEMORY_64_BYTES, DirectMemories::<f32>::RUNG_64.bytes()),
        ("F32_DELASSUS_SOLVER_16_BYTES", sizes::F32_DELASSUS_SOLVER_16_BYTES, DelassusSolvers::<f32>::RUNG_16.bytes()),
        (
            "F32_DELASSUS_SOLVER_128_BYTES",
            sizes::F32_DELASSUS_SOLVER_128_BYTES,
            DelassusSolvers::<f32>::RUNG_128.bytes(),
        ),
        ("F64_DIRECT_MEMORY_16_BYTES", sizes::F64_DIRECT_MEMORY_16_BYTES, DirectMemories::<f64>::RUNG_16.bytes()),
        ("F64_DIRECT_MEMORY_64_BYTES", sizes::F64_DIRECT_MEMORY_64_BYTES, DirectMemories::<f64>::RUNG_64.bytes()),
        ("F64_DELASSUS_SOLVER_16_BYTES", sizes::F64_DELASSUS_SOLVER_16_BYTES, DelassusSolvers::<f64>::RUNG_16.bytes()),
        (
            "F64_DELASSUS_SOLVER_128_BYTES",
            sizes::F64_DELASSUS_SOLVER_128_BYTES,
            DelassusSolvers::<f64>::RUNG_128.bytes(),
        ),
        ("F32_SOLVER_8_16_BYTES", sizes::F32_SOLVER_8_16_BYTES, Solvers::<f32>::RUNG_8_16.bytes()),
        ("F32_SOLVER_16_64_BYTES", sizes::F32_SOLVER_16_64_BYTES, Solvers::<f32>::RUNG_16_64.bytes()),
        ("F32_SOLVER_64_256_BYTES", sizes::F32_SOLVER_64_256_BYTES, Solvers::<f32>::RUNG_64_256.bytes()),
        ("F32_PIPELINE_8_16_BYTES", sizes::F32_PIPELINE_8_16_BYTES, Pipelines::<f32>::RUNG_8_16.bytes()),
        ("F32_PIPELINE_16_64_BYTES", sizes::F32_PIPELINE_16_64_BYTES, Pipelines::<f32>::RUNG_16_64.bytes()),
        ("F32_PIPELINE_64_256_BYTES", sizes::F32_PIPELINE_64_256_BYTES, Pipelines::<f32>::RUNG_64_256.bytes()),
        ("F64_SOLVER_8_16_BYTES", sizes::F64_SOLVER_8_16_BYTES, Solvers::<f64>::RUNG_8_16.bytes()),
        ("F64_SOLVER_16_64_BYTES", sizes::F64_SOLVER_16_64_BYTES, Solvers::<f64>::RUNG_16_64.bytes()),
        ("F64_SOLVER_64_256_BYTES", sizes::F64_SOLVER_64_256_BYTES, Solvers::<f64>::RUNG_64_256.bytes()),
        ("F64_PIPELINE_8_16_BYTES", sizes::F64_PIPELINE_8_16_BYTES, Pipelines::<f64>::RUNG_8_16.bytes()),
        ("F64_PIPELINE_16_64_BYTES", sizes::F64_PIPELINE_16_64_BYTES, Pipelines::<f64>::RUNG_16_64.bytes()),
        ("F64_PIPELINE_64_256_BYTES", sizes::F64_PIPELINE_64_256_BYTES, Pipelines::<f64>::RUNG_64_256.bytes()),
        (
            "F32_SOLVER_8_16_WITH_MOMENTS_BYTES",
            sizes::F32_SOLVER_8_16_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f32>::RUNG_8_16.bytes(),
        ),
        (
            "F32_SOLVER_16_64_WITH_MOMENTS_BYTES",
            sizes::F32_SOLVER_16_64_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f32>::RUNG_16_64.bytes(),
        ),
        (
            "F32_SOLVER_64_256_WITH_MOMENTS_BYTES",
            sizes::F32_SOLVER_64_256_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f32>::RUNG_64_256.bytes(),
        ),
        (
            "F32_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES",
            sizes::F32_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES,
            DelassusSolversWithMoments::<f32>::RUNG_16.bytes(),
        ),
        (
            "F32_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES",
            sizes::F32_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES,
            DelassusSolversWithMoments::<f32>::RUNG_128.bytes(),
        ),
        (
            "F64_SOLVER_8_16_WITH_MOMENTS_BYTES",
            sizes::F64_SOLVER_8_16_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f64>::RUNG_8_16.bytes(),
        ),
        (
            "F64_SOLVER_16_64_WITH_MOMENTS_BYTES",
            sizes::F64_SOLVER_16_64_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f64>::RUNG_16_64.bytes(),
        ),
        (
            "F64_SOLVER_64_256_WITH_MOMENTS_BYTES",
            sizes::F64_SOLVER_64_256_WITH_MOMENTS_BYTES,
            SolversWithMoments::<f64>::RUNG_64_256.bytes(),
        ),
        (
            "F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES",
            sizes::F64_DELASSUS_SOLVER_16_WITH_MOMENTS_BYTES,
            DelassusSolversWithMoments::<f64>::RUNG_16.bytes(),
        ),
        (
            "F64_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES",
            sizes::F64_DELASSUS_SOLVER_128_WITH_MOMENTS_BYTES,
            DelassusSolversWithMoments::<f64>::RUNG_128.bytes(),
        ),
        (
            "F32_PIPELINE_8_16_WITH_MOMENTS_BYTES",
            sizes::F32_PIPELINE_8_16_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f32>::RUNG_8_16.bytes(),
        ),
        (
            "F32_PIPELINE_16_64_WITH_MOMENTS_BYTES",
            sizes::F32_PIPELINE_16_64_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f32>::RUNG_16_64.bytes(),
        ),
        (
            "F32_PIPELINE_64_256_WITH_MOMENTS_BYTES",
            sizes::F32_PIPELINE_64_256_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f32>::RUNG_64_256.bytes(),
        ),
        (
            "F64_PIPELINE_8_16_WITH_MOMENTS_BYTES",
            sizes::F64_PIPELINE_8_16_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f64>::RUNG_8_16.bytes(),
        ),
        (
            "F64_PIPELINE_16_64_WITH_MOMENTS_BYTES",
            sizes::F64_PIPELINE_16_64_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f64>::RUNG_16_64.bytes(),
        ),
        (
            "F64_PIPELINE_64_256_WITH_MOMENTS_BYTES",
            sizes::F64_PIPELINE_64_256_WITH_MOMENTS_BYTES,
            PipelinesWithMoments::<f64>::RUNG_64_256.bytes(),
        ),
        (
            "F32_PIPELINE_8_16_WITH_JOINTS_BYTES",
            sizes::F32_PIPELINE_8_16_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f32>::RUNG_8_16.bytes(),
        ),
        (
            "F32_PIPELINE_16_64_WITH_JOINTS_BYTES",
            sizes::F32_PIPELINE_16_64_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f32>::RUNG_16_64.bytes(),
        ),
        (
            "F32_PIPELINE_64_256_WITH_JOINTS_BYTES",
            sizes::F32_PIPELINE_64_256_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f32>::RUNG_64_256.bytes(),
        ),
        (
            "F64_PIPELINE_8_16_WITH_JOINTS_BYTES",
            sizes::F64_PIPELINE_8_16_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f64>::RUNG_8_16.bytes(),
        ),
        (
            "F64_PIPELINE_16_64_WITH_JOINTS_BYTES",
            sizes::F64_PIPELINE_16_64_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f64>::RUNG_16_64.bytes(),
        ),
        (
            "F64_PIPELINE_64_256_WITH_JOINTS_BYTES",
            sizes::F64_PIPELINE_64_256_WITH_JOINTS_BYTES,
            PipelinesWithJoints::<f64>::RUNG_64_256.bytes(),
        ),
    ];
    for (name, reserved, bytes) in pairs {
        assert_eq!(reserved, bytes, "{name}");
    }
}
