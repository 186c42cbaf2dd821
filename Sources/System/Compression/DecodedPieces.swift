/// Expands a compressed stream piece by piece, in memory that does not depend on the expanded size.
package final class DecodedPieces {
    private let decoder: Decoder
    private let read: () throws -> [UInt8]?
    private var input: [UInt8] = []
    private var used = 0
    private var hasMore = false
    private var isOver = false

    /// The approximate size of a piece, in bytes.
    private static let piece = 64 * 1024

    /// - Parameters:
    ///   - limit: the most bytes of output; more throw `tooLarge`.
    ///   - read: returns the next compressed bytes; nil at the end.
    package init(_ coding: Coding, limit: Int, read: @escaping () throws -> [UInt8]?) throws(CompressionError) {
        decoder = try Decoder(coding, limit: limit)
        self.read = read
    }

    /// The next bytes, at most 96 KiB; nil at the end. Throws `CompressionError`, and the errors of `read`.
    package func next() throws -> [UInt8]? {
        var output: [UInt8] = []
        while !isOver {
            if used == input.count, !hasMore {
                guard let bytes = try read() else {
                    try decoder.finish()
                    isOver = true
                    break
                }
                (input, used) = (bytes, 0)
            }
            used += try input.withUnsafeBytes {
                try decoder.add(UnsafeRawBufferPointer(rebasing: $0[used...]), to: &output, atMost: Self.piece)
            }
            hasMore = output.count > Self.piece
            if hasMore || output.count >= Self.piece / 2 { return output }
        }
        return output.isEmpty ? nil : output
    }
}
