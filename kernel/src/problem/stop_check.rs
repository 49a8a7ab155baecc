//! The caller's `should_stop`, and how often it was called.

/// Calls `should_stop` and counts the calls: a replay stops at the same call.
pub(crate) struct StopCheck<'a> {
    should_stop: Option<&'a mut dyn FnMut() -> bool>,
    asked: u32,
    /// 0 until a call returned true.
    stopped_at: u32,
}

impl<'a> StopCheck<'a> {
    pub fn new(should_stop: Option<&'a mut dyn FnMut() -> bool>) -> Self {
        StopCheck { should_stop, asked: 0, stopped_at: 0 }
    }

    /// Counts from here on: a new solve begins.
    pub fn start_counting(&mut self) {
        (self.asked, self.stopped_at) = (0, 0);
    }

    /// Calls the callback; false without one.
    pub fn should_stop(&mut self) -> bool {
        let Some(should_stop) = &mut self.should_stop else { return false };
        self.asked = self.asked.saturating_add(1);
        let stop = should_stop();
        if stop && self.stopped_at == 0 {
            self.stopped_at = self.asked;
        }
        stop
    }

    /// The call, counted from 1, that first returned true.
    pub fn stopped_at(&self) -> Option<u32> {
        (self.stopped_at > 0).then_some(self.stopped_at)
    }

    /// Whether a call returned true before, or returns true now.
    pub fn is_over(&mut self) -> bool {
        self.has_stopped() || self.should_stop()
    }

    /// Whether a call returned true.
    pub fn has_stopped(&self) -> bool {
        self.stopped_at > 0
    }
}
