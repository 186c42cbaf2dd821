/// A body that is made piece by piece while it is sent, so that it is never in memory as a whole. Its length is
/// not known when the answer begins.
package protocol BodySource: AnyObject, Sendable {
    /// The next bytes, some 64 KiB; nil at the end, after which it is not called again. Asked for when the client has
    /// taken most of what came before, by one thread at a time and never on a loop's; it may block for a while. The
    /// server has few of those threads (`ServerConfiguration.bodyThreads`), and other bodies wait meanwhile. An error
    /// cuts the connection: the client sees that the body is not whole. Dropped without further calls when the client
    /// leaves.
    func next() throws -> [UInt8]?

    /// Bytes that it holds already.
    var bytesAtHand: Int { get }
}

extension BodySource {
    package var bytesAtHand: Int { 0 }
}

/// Stands for a body of unknown length that is not made, because `HEAD` asks for the headers alone.
package final class UnmadeBody: BodySource {
    package init() {}

    package func next() -> [UInt8]? { nil }
}
