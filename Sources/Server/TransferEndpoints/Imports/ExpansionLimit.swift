import HTTPServer
import ObjectCoding
import RequestHandling
import RequestParameters

/// How far a compressed file may expand.
struct ExpansionLimit: Sendable {
    /// The maximum ratio; nil for no limit.
    private let times: Int?
    /// The decompressed size in bytes that is always allowed.
    private let free: Int

    init(_ configuration: GatewayConfiguration) {
        times = configuration.importExpansion
        free = configuration.importFreeExpansion
    }

    /// The decompressed bytes that one file may have.
    struct Bytes: Sendable {
        let limit: Int
        let times: Int

        /// Throws the error for a file that has expanded to more.
        func check(_ expanded: Int) throws(Problem) {
            guard expanded > limit else { return }
            throw Problem(
                .importExpandsTooFar,
                "The file expands to more than \(sizeInWords(limit)), over \(times) times its size (limits.importExpansion). Send it uncompressed, or split it: with update=modified an interrupted import can be repeated."
            )
        }
    }

    /// The limit for the body of a request; nil for an uncompressed file and for no limit.
    func bytes(of file: BodyFile, _ request: Request) throws -> Bytes? {
        guard let times, try request.contentCoding != nil else { return nil }
        let (bytes, isOver) = file.count.multipliedReportingOverflow(by: times)
        return isOver ? nil : Bytes(limit: max(bytes, free), times: times)
    }
}
