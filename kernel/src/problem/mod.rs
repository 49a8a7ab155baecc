//! What crosses the interface: inputs, which are validated on entry, settings, reports and errors.

pub(crate) mod bodies;
pub(crate) mod body;
pub(crate) mod columns;
pub(crate) mod conditions;
pub(crate) mod contact;
pub(crate) mod contact_rules;
pub(crate) mod contacts;
pub(crate) mod delassus;
pub(crate) mod error;
pub(crate) mod material;
pub(crate) mod observer;
pub(crate) mod point_id;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod status;
pub(crate) mod stop_check;
pub(crate) mod wrench;
