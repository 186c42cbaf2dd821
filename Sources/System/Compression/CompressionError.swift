/// The errors of compressed data.
package enum CompressionError: Error, Hashable {
    /// It is not of this coding, or was altered in transit.
    case damaged
    /// It ends too early.
    case truncated
    /// It expands to more bytes than allowed.
    case tooLarge(limit: Int)
    case outOfMemory
}
