// stiction: rigid-body contact with exact Coulomb friction, for engines and controllers in C and C++.
//
// Bodies and contacts go in; velocities, impulses and a truthful report come out. Nothing is allocated, nothing panics or throws, no
// solve adds energy, and the same input gives the same bits on every machine.
//
// Three ways in, each in single (f32) and double precision (f64):
//
//   solver     you keep bodies and contacts in your own structs, the solver reads them where they lie and writes velocities
//              and impulses back: stiction_f32_solver_init, stiction_f32_solve
//   pipeline   the library keeps the bodies, remembers contacts and moves the world; you find where bodies touch:
//              stiction_f32_pipeline_init, stiction_f32_add_body, stiction_f32_step
//   Delassus   you know the matrix J inv(M) J^T yourself, as for articulated robots: stiction_f32_delassus_solve
//
// Memory is yours: ask for the size, align to STICTION_ALIGNMENT, initialise, use, forget. A handle is the address of its memory. An
// object has no pointers into itself, so a copy of its memory, aligned alike, is a copy of the object with its own address as
// handle: that is how to save one for rollback. A copy is good within its process; for other processes there is
// stiction_f32_cache_save. Objects note that they are in use, so even those that are only read must lie in writable memory.
//
// Arrays are views: a pointer to the first number of the first element, and the bytes from one element to the next. A view of a
// field of your own struct is { &bodies[0].velocity.x, sizeof bodies[0] }. Stride 0 gives one element to all where it is read.
//
// Every call gives a StictionError; 0 is success. Pointers are checked for null and alignment, counts and strides for sense, numbers
// for range, all before anything is written: a refusal changes nothing, and tells which input it is about if you hand it a place to.
// What a pointer points to is your promise, as in any C library.
//
// An object is used by one thread at a time, and not from within its own callbacks. Different objects know nothing of each other.
//
// Conventions: SI units. The normal points from body A to body B; relative velocity is B minus A, so a negative normal velocity
// approaches; an impulse acts with its sign on B and against it on A. A body that cannot move has inverse mass 0 and inverse inertia 0.
// Matrices of nine numbers are symmetric, so rows and columns are the same. Quaternions are x, y, z, w.
//
// This file is made from the Rust sources; do not edit it.
