//! Data of the interface: inputs, which are validated on entry, settings, reports and errors.
//!
//! * `body`, `bodies`: rigid bodies, one and in columns; `rigid_body`: one with a pose; `wrench`: force and torque, linear and angular velocity
//! * `contact`, `contacts`: contact points, one and in columns; `contact_rules`: their validation
//! * `material`: friction and restitution of a surface; `point_id`: identity of a contact point between steps
//! * `joint`, `joint_axis`: joints, and what acts along their free axis; `joint_work`: their work in a step; `joint_record`: their records; `kept_joint`: a joint as it is kept between steps
//! * `delassus`: a Delassus matrix from the caller
//! * `kept`: contacts as they are kept from step to step
//! * `settings`, `step_settings`: settings of a solve and of a step; `conditions`: islands and memory, recorded with the input
//! * `report`, `status`: results of a solve
//! * `observer`: records of a running solve; `stop_check`: calls of `should_stop`
//! * `error`: input errors; `columns`: structures of arrays

pub(crate) mod bodies;
pub(crate) mod body;
pub(crate) mod columns;
pub(crate) mod conditions;
pub(crate) mod contact;
pub(crate) mod contact_rows;
pub(crate) mod contact_rules;
pub(crate) mod contacts;
pub(crate) mod delassus;
pub(crate) mod error;
pub(crate) mod joint;
pub(crate) mod joint_axis;
pub(crate) mod joint_record;
pub(crate) mod joint_work;
pub(crate) mod kept;
pub(crate) mod kept_joint;
pub(crate) mod material;
pub(crate) mod observer;
pub(crate) mod point_id;
pub(crate) mod report;
pub(crate) mod rigid_body;
pub(crate) mod settings;
pub(crate) mod status;
pub(crate) mod step_settings;
pub(crate) mod stop_check;
pub(crate) mod surface;
pub(crate) mod wrench;
