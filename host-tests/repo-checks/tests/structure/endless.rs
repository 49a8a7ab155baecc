//! Finds loops and recursion without a visible end in source text. It reads words, not types: unclear cases are
//! flagged.

/// The parts of a source that could run for ever, each with its reason.
pub fn endless(source: &str) -> Vec<String> {
    let text = without_comments_and_texts(source);
    let words = words(&text);
    [loops(&text, &words), iterators(&text, &words), open_ranges(&text), recursion(&text, &words)].concat()
}

/// A finding: the line of a position, and the reason.
fn finding(text: &str, at: usize, reason: &str) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or("");
    format!("'{}': {reason}", line.trim())
}

/// The same source, with spaces for comments and strings. A quote begins a lifetime unless another one ends a
/// character.
fn without_comments_and_texts(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = vec![b' '; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at..] {
            [b'/', b'/', ..] => source[at..].find('\n').map_or(bytes.len(), |length| at + length),
            [b'/', b'*', ..] => source[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4),
            [b'"', ..] => end_of_text(bytes, at + 1, b'"'),
            [b'\'', b'\\', ..] | [b'\'', _, b'\'', ..] => end_of_text(bytes, at + 1, b'\''),
            _ => {
                code[at] = bytes[at];
                at += 1;
                continue;
            }
        };
        (at..end.min(bytes.len())).filter(|i| bytes[*i] == b'\n').for_each(|i| code[i] = b'\n');
        at = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// The position after the quote that ends a string.
fn end_of_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Every word and its position.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|c| !is_letter(c)) {
        if !word.is_empty() {
            found.push((at, word));
        }
        // A separator is one byte: other characters occur only in comments and strings, which are spaces now.
        at += word.len() + 1;
    }
    found
}

fn before(text: &str, at: usize) -> &str {
    text[..at].trim_end()
}

fn after<'a>(text: &'a str, (at, word): (usize, &str)) -> &'a str {
    text[at + word.len()..].trim_start()
}

fn loops(text: &str, words: &[(usize, &str)]) -> Vec<String> {
    let unbounded = words.iter().filter(|(_, word)| matches!(*word, "while" | "loop"));
    unbounded.map(|(at, _)| finding(text, *at, "a loop without a visible bound")).collect()
}

/// Iterators that have no end of their own, by whatever path they are named or imported.
fn iterators(text: &str, words: &[(usize, &str)]) -> Vec<String> {
    let endless = |(at, word): &&(usize, &str)| match *word {
        "repeat" | "repeat_with" | "successors" | "cycle" | "RangeFrom" => true,
        // Arrays and matrices have as many entries as their types say.
        "from_fn" => !["array::", "SMatrix::"].iter().any(|path| text[..*at].ends_with(path)),
        _ => false,
    };
    words.iter().filter(endless).map(|(at, _)| finding(text, *at, "an iterator without an end of its own")).collect()
}

/// Ranges without an end, but for those that cut a slice.
fn open_ranges(text: &str) -> Vec<String> {
    let open = |at: &usize| {
        let from = before(text, *at).ends_with(|c: char| c.is_ascii_alphanumeric() || "_)]".contains(c));
        let next = text[at + 2..].trim_start().chars().next().unwrap_or(' ');
        from && match next {
            ')' => !matches!(called(text, *at), "get" | "get_mut"),
            '{' | ',' | ';' | '.' => true,
            _ => false,
        }
    };
    let positions = text.match_indices("..").map(|(at, _)| at).filter(|at| !text[..*at].ends_with('.'));
    positions.filter(open).map(|at| finding(text, at, "a range without an end")).collect()
}

/// The word before the parenthesis that contains a position.
fn called(text: &str, position: usize) -> &str {
    let mut depth = 0;
    for (at, c) in text[..position].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            '(' => return text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(""),
            _ => (),
        }
    }
    ""
}

/// Functions that call themselves: by name, by `Self::` or on `self`.
fn recursion(text: &str, words: &[(usize, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    for pair in words.windows(2).filter(|pair| pair[0].1 == "fn") {
        let (at, name) = pair[1];
        let Some(body) = body(text, at) else { continue };
        let associated = is_associated(text, at);
        let inside = words.iter().filter(|(position, word)| body.contains(position) && *word == name);
        let calls = inside.filter(|word| {
            let (path, next) = (&text[..word.0], after(text, **word));
            let own = ["Self::", "self."].iter().any(|by| path.ends_with(by));
            // What belongs to a type is not called by its bare name: that is another function.
            let bare = !associated && !path.ends_with(['.', ':']) && !before(text, word.0).ends_with("fn");
            (own || bare) && (next.starts_with('(') || next.starts_with("::<"))
        });
        found.extend(calls.map(|(position, _)| finding(text, *position, "a function that calls itself")));
    }
    found
}

/// Where the braces of a function's body are; none where it is only declared.
fn body(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let start = at + text[at..].find(['{', ';'])?;
    let mut depth = 0;
    for (position, c) in text[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return (c == '}').then_some(start..start + position);
        }
    }
    None
}

/// Whether the braces around a position are those of an `impl` or a trait.
fn is_associated(text: &str, position: usize) -> bool {
    let mut depth = 0;
    for (at, c) in text[..position].char_indices().rev() {
        match c {
            '}' => depth += 1,
            '{' if depth > 0 => depth -= 1,
            '{' => {
                let head = text[..at].rsplit(['{', '}', ';']).next().unwrap_or("");
                let has = |keyword: &str| words(head).iter().any(|(_, word)| *word == keyword);
                // A function may return an `impl`.
                return (has("impl") || has("trait")) && !has("fn");
            }
            _ => (),
        }
    }
    false
}
