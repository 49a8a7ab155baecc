//! The methods of an observer that writes blocks.

/// Passes the calls of an observer to an encoder and its output, both fields of `self`.
macro_rules! encode_to {
    ($encoder:ident, $out:ident) => {
        fn input(
            &mut self,
            settings: &Settings<T>,
            dt: T,
            conditions: &SolveConditions,
            bodies: usize,
            contacts: usize,
        ) {
            self.$encoder.input(&mut self.$out, settings, dt, conditions, (bodies, contacts));
        }

        fn input_body(&mut self, body: &Body<T>) {
            self.$encoder.input_body(&mut self.$out, body);
        }

        fn input_contact(&mut self, contact: &Contact<T>) {
            self.$encoder.input_contact(&mut self.$out, contact);
        }

        fn joint(&mut self, record: &JointRecord<'_, T>) {
            self.$encoder.joint(&mut self.$out, record);
        }

        fn surface(&mut self, record: &SurfaceRecord<'_, T>) {
            self.$encoder.surface(&mut self.$out, record);
        }

        fn step(&mut self, input: &StepInput<'_, T>) {
            self.$encoder.step(&mut self.$out, input);
        }

        fn step_body(&mut self, body: &RigidBody<T>) {
            self.$encoder.step_body(&mut self.$out, body);
        }

        fn step_manifold(&mut self, manifold: &KeptManifold<T>, points: &[KeptPoint<T>]) {
            self.$encoder.step_manifold(&mut self.$out, manifold, points);
        }

        fn solving(&mut self) {
            self.$encoder.solving(&mut self.$out);
        }

        fn velocity(&mut self, _body: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
            self.$encoder.velocity(linear, angular);
        }

        fn body(&mut self, record: &BodyRecord<T>) {
            self.$encoder.body(record);
        }

        fn solved(&mut self, stopped_at: Option<u32>) {
            self.$encoder.solved::<T>(&mut self.$out, stopped_at);
        }
    };
}
pub(crate) use encode_to;
