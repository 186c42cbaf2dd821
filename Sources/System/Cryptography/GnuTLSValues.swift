import CGnuTLS

/// Calls the body with the bytes in GnuTLS's type. The body must call functions that only read them, and must not keep
/// the pointer.
func withDatum<R>(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> R) -> R {
    bytes.withUnsafeBufferPointer { buffer in
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count))
        return body(&datum)
    }
}

/// The library's words for a status.
func gnutlsText(_ status: Int32) -> String {
    guard let text = gnutls_strerror(status) else { return "error \(status)" }
    // GnuTLS's message is a sentence; here it becomes part of one.
    return String(String(cString: text).reversed().drop { $0 == "." }.reversed())
}
