/// A compressed stream, read piece by piece in its expanded form, in memory that does not depend on how far it expands.
package final class DecodedPieces {
    private let decoder: Decoder
    private let read: () throws -> [UInt8]?
    private var input: [UInt8] = []
    private var used = 0
    private var hasMore = false
    private var isOver = false

    /// Bytes of a piece, about.
    private static let piece = 64 * 1024

    /// - Parameters:
    ///   - limit: bytes that may come out altogether; `tooLarge` beyond.
    ///   - read: the next compressed bytes; nil at the end.
    package init(_ coding: Coding, limit: Int, read: @escaping () throws -> [UInt8]?) throws(CompressionError) {
        decoder = try Decoder(coding, limit: limit)
        self.read = read
    }

    /// The next bytes, at most 96 KiB; nil at the end. Throws `CompressionError`, and what `read` throws.
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
