//! The words of statuses, methods and contact states in files.

use stiction::{ContactState, Method, Status};

/// How many methods there are.
pub const METHOD_COUNT: usize = 6;

/// The methods and their words.
pub const METHODS: [(Method, &str); METHOD_COUNT] = [
    (Method::ActiveSet, "active_set"),
    (Method::ScalarPgs, "scalar_pgs"),
    (Method::BlockPgs, "block_pgs"),
    (Method::Accelerated, "accelerated"),
    (Method::Newton, "newton"),
    (Method::InteriorPoint, "interior_point"),
];

/// The statuses and their words in recordings.
pub const STATUSES: [(Status, &str); 5] = [
    (Status::Converged, "converged"),
    (Status::Guarded, "guarded"),
    (Status::BounceDropped, "bounce_dropped"),
    (Status::SweepLimit, "sweep_limit"),
    (Status::Deadline, "deadline"),
];

/// The states of contacts and their words.
pub const STATES: [(ContactState, &str); 3] =
    [(ContactState::Open, "open"), (ContactState::Stick, "stick"), (ContactState::Slide, "slide")];

/// The word of a contact without friction that carries an impulse: it neither sticks nor slides.
const FRICTIONLESS: &str = "frictionless";

fn word<K: PartialEq>(known: &[(K, &'static str)], value: &K) -> &'static str {
    known.iter().find(|(kind, _)| kind == value).map_or("unknown", |(_, word)| word)
}

fn meaning<K: Copy>(known: &[(K, &'static str)], word: &str) -> Option<K> {
    known.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind)
}

/// A method's word.
pub fn method_name(method: Method) -> &'static str {
    word(&METHODS, &method)
}

/// A status's word in answers, which have three. Other fields of an answer give the reason.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Converged | Status::Deadline => word(&STATUSES, &status),
        _ => "sweep_limit",
    }
}

/// A status's word in recordings.
pub fn recorded_status(status: Status) -> &'static str {
    word(&STATUSES, &status)
}

/// A contact state's word in answers.
pub fn state_name(state: ContactState) -> &'static str {
    word(&STATES, &state)
}

/// A contact state's word in recordings.
pub fn recorded_state(state: ContactState, mu: f64) -> &'static str {
    if state != ContactState::Open && mu == 0.0 { FRICTIONLESS } else { state_name(state) }
}

/// The method of a word.
pub fn method_of(word: &str) -> Option<Method> {
    meaning(&METHODS, word)
}

/// The status of a word in a recording.
pub fn status_of(word: &str) -> Option<Status> {
    meaning(&STATUSES, word)
}

/// The contact state of a word in a recording.
pub fn state_of(word: &str) -> Option<ContactState> {
    if word == FRICTIONLESS { Some(ContactState::Slide) } else { meaning(&STATES, word) }
}
