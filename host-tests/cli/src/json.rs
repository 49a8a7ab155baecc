//! Reading JSON so that every error is one line that names the field.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A message on one line, also where names from the input contain line breaks.
pub fn one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Reads a whole file; `whole` is its name in messages, `check` rejects what derived readers would accept.
pub fn parse<D: DeserializeOwned>(
    json: &str,
    whole: &str,
    check: impl FnOnce(&Value) -> Result<(), String>,
) -> Result<D, String> {
    if let Ok(value) = serde_json::from_str::<Value>(json) {
        check(&value)?;
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner().to_string();
        // The reader's message where an array has too many entries.
        let reason = if path == "." { reason } else { reason.replace("trailing characters", "too many entries") };
        one_line(&format!("{}: {reason}", if path == "." { whole } else { &path }))
    })?;
    reader.end().map_err(|error| format!("{whole}: {error}"))?;
    Ok(read)
}

/// Rejects an array where the format has an object: derived readers would accept it, field by field.
pub fn object(name: &str, value: &Value) -> Result<(), String> {
    if value.is_array() { Err(format!("{name}: must be an object")) } else { Ok(()) }
}

/// The entries of a list, if it is present.
pub fn entries<'a>(value: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    value.get(list).and_then(Value::as_array).into_iter().flatten()
}
