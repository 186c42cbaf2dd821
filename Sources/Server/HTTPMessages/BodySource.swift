/// A body that is produced piece by piece while it is sent, so that it is never in memory as a whole. Its length is not
/// known when the response begins.
package protocol BodySource: AnyObject, Sendable {
    /// Returns the next bytes, about 64 KiB; nil at the end, after which it is not called again. Called when the client
    /// has read most of the preceding bytes, by one thread at a time and never on a loop's thread. It may block for a
    /// while, but the server has few such threads (`ServerConfiguration.bodyThreads`), and other bodies wait meanwhile.
    /// An error closes the connection, from which the client sees that the body is incomplete. If the client leaves,
    /// the source is released without further calls.
    func next() throws -> [UInt8]?

    /// The bytes that the source holds in memory.
    var bytesAtHand: Int { get }
}

extension BodySource {
    package var bytesAtHand: Int { 0 }
}

/// Stands for a body of unknown length that is not produced, because `HEAD` requests only the headers.
package final class OmittedBody: BodySource {
    package init() {}

    package func next() -> [UInt8]? { nil }
}
