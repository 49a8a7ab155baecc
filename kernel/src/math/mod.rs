//! Numbers, small vectors and matrices, and factorisations. No physics.
//!
//! * `real`: the number type, and why no operation of it differs between machines
//! * `root`: the square root
//! * `ldlt3`: factors of a 3×3 inertia, and energies with their rounding
//! * `block_lu`: sparse factors by blocks in a pool of fixed size
//! * `second_order_cone`: the cone's own algebra, for interior points
//! * `angle`: the angle of a rotation from its quaternion
//! * `free_rotation`: a free body's rotation, without adding energy
//! * `quaternion`: rotations without trigonometric functions of the host

pub(crate) mod angle;
pub(crate) mod block_lu;
pub(crate) mod free_rotation;
pub(crate) mod lanes;
pub(crate) mod ldlt3;
pub(crate) mod quaternion;
pub(crate) mod real;
pub(crate) mod root;
pub(crate) mod second_order_cone;
pub(crate) mod square;
pub(crate) mod vector;
pub(crate) mod velocity;
