import HTTPServer

/// How far a compressed file may expand.
struct ExpansionLimit: Sendable {
    /// The maximum ratio; nil for no limit.
    var times: Int?
    /// The decompressed size in bytes that is always allowed.
    var free: Int

    /// The decompressed bytes that the body of a request may have, and the ratio; nil for an uncompressed file and for
    /// no limit.
    func bytes(of file: BodyFile, _ request: Request) throws -> (bytes: Int, times: Int)? {
        guard let times, try request.contentCoding != nil else { return nil }
        let (bytes, isOver) = file.count.multipliedReportingOverflow(by: times)
        return isOver ? nil : (max(bytes, free), times)
    }
}
