import CGnuTLS

/// Comparisons whose duration does not depend on the compared bytes, for secrets.
package enum ConstantTime {
    /// The duration depends on the lengths alone.
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && (a.isEmpty || gnutls_memcmp(a, b, a.count) == 0)
    }
}
