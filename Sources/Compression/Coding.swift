/// A content coding of HTTP.
package enum Coding: String, Sendable, CaseIterable {
    case zstd
    case gzip
}
