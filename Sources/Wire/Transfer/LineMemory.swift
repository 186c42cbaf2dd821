/// The memory budget for long lines, shared by all files that are being read.
package protocol LineMemory: Sendable {
    /// Reserves memory for a line. Called before more than `uncountedLine` bytes of it are read; may wait. The caller
    /// holds the share until the line's row is stored.
    func begin() throws -> any LineShare
}

/// The memory reserved for one long line. Releasing the object returns it.
package protocol LineShare: AnyObject, Sendable {
    /// Extends the reservation to the line and its parsed values, once the line has been read; may wait. Returns false
    /// if that exceeds the whole budget.
    func count(_ bytes: Int) throws -> Bool
}

/// The length in bytes up to which a line is not counted.
package let uncountedLine = 256 << 10
