//! Time between two places in the work of a graphics processor.
use std::time::Duration;

use crate::context::Context;
use crate::driver::Handle;
use crate::error::GpuError;
use crate::stream::Stream;

/// Two marks in the order of work.
pub struct Timer<'a> {
    stream: &'a Stream,
    marks: [Mark<'a>; 2],
}

impl<'a> Timer<'a> {
    /// Marks the beginning. The context is the current one.
    pub fn start(stream: &'a Stream) -> Result<Self, GpuError> {
        let marks = [Mark::new(&stream.context)?, Mark::new(&stream.context)?];
        marks[0].set(stream)?;
        Ok(Timer { stream, marks })
    }

    /// Marks the end and waits for it.
    pub fn stop(self) -> Result<Duration, GpuError> {
        let marked = self.marks[1].set(self.stream);
        self.stream.wait()?;
        marked?;
        let (driver, mut milliseconds) = (&self.stream.context.driver, 0.0f32);
        // SAFETY: both events were recorded and have happened.
        let code = unsafe {
            (driver.functions.cuEventElapsedTime)(&mut milliseconds, self.marks[0].event, self.marks[1].event)
        };
        driver.check("cuEventElapsedTime", code)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) * 1e-3).unwrap_or_default())
    }
}

/// An event of the driver.
struct Mark<'a> {
    context: &'a Context,
    event: Handle,
}

impl<'a> Mark<'a> {
    fn new(context: &'a Context) -> Result<Self, GpuError> {
        let mut event = Handle::NONE;
        // SAFETY: writes a handle, which `Drop` destroys; 0 are the default flags.
        let code = unsafe { (context.driver.functions.cuEventCreate)(&mut event, 0) };
        context.driver.check("cuEventCreate", code).map(|()| Mark { context, event })
    }

    fn set(&self, stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: event and stream live and are of one context.
        let code = unsafe { (self.context.driver.functions.cuEventRecord)(self.event, stream.handle) };
        self.context.driver.check("cuEventRecord", code)
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // SAFETY: was created by `new` and is destroyed once.
        let _ = unsafe { (self.context.driver.functions.cuEventDestroy_v2)(self.event) };
    }
}
