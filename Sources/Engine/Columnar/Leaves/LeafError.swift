/// The reason why bytes are not a leaf or a live mask, or why a value does not fit one.
package enum LeafError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than the header, or than the header requires.
    case truncated
    /// A field of the header has a value that no writer stores.
    case malformed
    /// Written by a newer format.
    case unsupportedFormat
    /// The leaf holds another kind of values than requested.
    case kindMismatch
    /// A leaf holds at most 65,535 slots and 4 GiB of text.
    case full
    /// The slot does not exist.
    case noSuchSlot

    package var description: String {
        switch self {
        case .truncated: "A column block is shorter than its header requires; restore the file from a backup."
        case .malformed: "A column block's header is damaged; restore the file from a backup."
        case .unsupportedFormat: "A column block was written by a newer version; open the file with that version."
        case .kindMismatch: "The type of a value does not match its column."
        case .full: "A column block cannot hold more values."
        case .noSuchSlot: "A column block has no value at that position."
        }
    }
}
