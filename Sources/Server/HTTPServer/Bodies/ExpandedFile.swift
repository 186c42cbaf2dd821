import Compression

/// The body of a request that lies in a file and has a `Content-Encoding`, read once, piece by piece, in its expanded form.
package final class ExpandedFile {
    private let coding: Coding
    private let pieces: DecodedPieces
    private let place: Place

    /// How far the file has been read.
    private final class Place {
        var offset = 0
    }

    /// Bytes of the file that have been read.
    package var offset: Int { place.offset }

    private static let block = 1 << 16

    /// Nil for a body that is as it is.
    ///
    /// - Parameter limit: bytes that it may expand to.
    /// - Throws: 415 for a coding that nobody here can undo.
    package init?(bodyOf request: Request, limit: Int) throws(HTTPError) {
        guard let file = request.bodyFile, let coding = try request.contentCoding else { return nil }
        let place = Place()
        self.place = place
        self.coding = coding
        do throws(CompressionError) {
            pieces = try DecodedPieces(coding, limit: limit) {
                let bytes = try file.read(at: place.offset, upTo: ExpandedFile.block)
                place.offset += bytes.count
                return bytes.isEmpty ? nil : bytes
            }
        } catch {
            throw HTTPError(error, coding)
        }
    }

    /// The next bytes; nil at the end. Throws 400 for what is not of its coding, and 413 beyond the limit.
    package func next() throws -> [UInt8]? {
        do {
            return try pieces.next()
        } catch let error as CompressionError {
            throw HTTPError(error, coding)
        }
    }
}
