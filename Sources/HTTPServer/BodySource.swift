/// A body that is made piece by piece while it is sent, so that it is never in memory as a whole. Its length is not known
/// when the answer begins.
package protocol BodySource: AnyObject, Sendable {
    /// The next bytes, some 64 KiB; nil at the end. Asked for when the client has taken most of what came before, by one
    /// thread at a time and never on a loop's. An error cuts the connection: the client sees that the body is not
    /// whole. Dropped without further calls when the client leaves.
    func next() throws -> [UInt8]?
}
