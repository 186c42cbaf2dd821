/// The memory for long lines of files, which the files that are read at the same time share.
package protocol LineMemory: Sendable {
    /// Called before more than `uncountedLine` bytes of a line are read. May wait. Returns the memory of the line, which is
    /// held until the line's row is stored.
    func begin() throws -> any LineShare
}

/// The memory of one long line, until it is released.
package protocol LineShare: AnyObject, Sendable {
    /// Counts the line with its values, when it has been read. May wait. Returns false if there is never so much.
    func count(_ bytes: Int) throws -> Bool
}

/// The length in bytes up to which a line is not counted.
package let uncountedLine = 256 << 10
