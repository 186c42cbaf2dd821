package import HTTPMessages
import Compression

/// The decompressed body of a request with a `Content-Encoding` that is in a file, read once and piece by piece.
package final class ExpandedFile {
    private let coding: Coding
    private let pieces: DecodedPieces
    private let position: Position

    /// The position in the file.
    private final class Position {
        var offset = 0
    }

    /// The number of bytes of the file that have been read.
    package var offset: Int { position.offset }

    private static let block = 1 << 16

    /// Returns nil for a body without a coding.
    ///
    /// - Parameter limit: the maximum size of the decompressed body, in bytes.
    /// - Throws: 415 for an unsupported coding.
    package init?(bodyOf request: Request, limit: Int) throws(HTTPError) {
        guard let file = request.bodyFile, let coding = try request.contentCoding else { return nil }
        let position = Position()
        self.position = position
        self.coding = coding
        do throws(CompressionError) {
            pieces = try DecodedPieces(coding, limit: limit) {
                let bytes = try file.read(at: position.offset, upTo: ExpandedFile.block)
                position.offset += bytes.count
                return bytes.isEmpty ? nil : bytes
            }
        } catch {
            throw HTTPError(error, coding)
        }
    }

    /// Returns the next bytes; nil at the end. Throws 400 for invalid compressed data, and 413 beyond the limit.
    package func next() throws -> [UInt8]? {
        do {
            return try pieces.next()
        } catch let error as CompressionError {
            throw HTTPError(error, coding)
        }
    }
}
