/// What may go wrong with compressed data.
package enum CompressionError: Error, Hashable {
    /// It is none of this coding, or was changed on the way.
    case damaged
    /// It ends too early.
    case truncated
    /// It expands to more bytes than allowed.
    case tooLarge(limit: Int)
    case outOfMemory
}
