package import HTTPMessages
import Compression
import Synchronization

/// Bytes that are sent often, with their compressed forms. Each form is created on first use and then kept.
package final class ServedFile: Sendable {
    package let content: SharedBytes
    private let isWorthwhile: Bool
    private let forms = Mutex<[Coding: SharedBytes]>([:])

    package init(_ content: SharedBytes, contentType: String) {
        self.content = content
        let policy = CompressionPolicy()
        isWorthwhile = policy.isWorthwhile(contentType) && content.count >= policy.shortest
    }

    /// Sets the body for a request and the header fields that depend on its coding. The ETag of `headers` becomes that
    /// of the coding.
    package func fill(_ response: inout Response, for request: Request) {
        response.body = .shared(content)
        guard isWorthwhile else { return }
        response.headers.vary("Accept-Encoding")
        guard let coding = AcceptEncoding(request.header("Accept-Encoding")).coding, let form = form(coding) else {
            return
        }
        response.body = .shared(form)
        response.headers["Content-Encoding"] = coding.rawValue
        if let tag = response.headers["ETag"] { response.headers["ETag"] = EncodedETags.tag(tag, coding) }
    }

    /// Returns nil if the compressed form is not shorter, or if there is no memory for it.
    private func form(_ coding: Coding) -> SharedBytes? {
        forms.withLock { forms in
            if let form = forms[coding] { return form }
            guard let made = try? content.withUnsafeBytes({ try Encoder(coding, .best).encode($0) }),
                made.count < content.count
            else { return nil }
            let form = SharedBytes(made)
            forms[coding] = form
            return form
        }
    }
}
