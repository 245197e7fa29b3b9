//! Why a task was not executed.

/// Why a task was not executed. The numbers are those that a WebAssembly module returns ([`KernelError::code`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum KernelError {
    /// The task is inconsistent, or accesses elements outside of its buffers.
    InvalidTask = 1,
    /// No kernel supports the task.
    NoKernel = 2,
    /// There is not enough memory for the task's buffers.
    OutOfMemory = 3,
    /// The observer cancelled it; the contents of the results are unspecified.
    Cancelled = 4,
    /// The kernel does not support this task: it was chosen for a different task.
    WrongKernel = 5,
    /// Rows to sort have more elements than 32-bit indices can address.
    RowTooLong = 6,
}

impl KernelError {
    /// All errors.
    pub const ALL: [Self; 6] = [
        Self::InvalidTask,
        Self::NoKernel,
        Self::OutOfMemory,
        Self::Cancelled,
        Self::WrongKernel,
        Self::RowTooLong,
    ];

    /// The return value of the module's exports for it: a negative number, whereas 0 and above mean success.
    pub const fn code(self) -> i32 {
        -(self as i32)
    }

    /// The error with this code; `None` for success and for codes of other releases.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_identify_errors() {
        for error in KernelError::ALL {
            assert_eq!(KernelError::from_code(error.code()), Some(error));
        }
        assert_eq!([0, 1, -99].map(KernelError::from_code), [None; 3]);
    }
}
