/// A request's header fields, and what they say about its body.
///
/// Refused here, with 400 and a closed connection: missing or repeated Host, Content-Length that repeats, is not a number
/// or comes with Transfer-Encoding, any Transfer-Encoding but a single `chunked` in HTTP/1.1, names and values with
/// characters outside the grammar. libmicrohttpd or ``HeadMemory`` divides the header into fields before.
package struct RequestHead {
    package var headers = HeaderBlock()
    /// The announced length; 0 without a body.
    package private(set) var contentLength = 0
    package private(set) var isChunked = false
    package private(set) var expectsContinue = false
    /// False for HTTP/1.0, which does not have chunks.
    package let isHTTP11: Bool

    private var count = 0
    private var hosts = 0
    private var lengths = 0
    private var encodings = 0

    package var announcesBody: Bool { isChunked || contentLength > 0 }

    package struct Limits {
        package var headerBytes: Int
        package var headerCount: Int

        package init(headerBytes: Int, headerCount: Int) {
            self.headerBytes = headerBytes
            self.headerCount = headerCount
        }
    }

    package init(isHTTP11: Bool) { self.isHTTP11 = isHTTP11 }

    /// - Parameter version: as the request line has it.
    package init(version: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8) else {
            throw .malformedRequestLineEnd
        }
        guard version[7] == UInt8(ascii: "1") || version[7] == UInt8(ascii: "0") else {
            throw HTTPError(.versionNotSupported, detail: "This server speaks HTTP/1.1 and HTTP/1.0.")
        }
        isHTTP11 = version[7] == UInt8(ascii: "1")
    }

    /// Adds a field, with or without blanks around its value.
    package mutating func add(
        name: UnsafeBufferPointer<UInt8>, value whole: UnsafeBufferPointer<UInt8>, limits: Limits
    ) throws(HTTPError) {
        count += 1
        guard count <= limits.headerCount else { throw .headerTooLarge }
        guard !name.isEmpty, name.allSatisfy(isToken), whole.allSatisfy(isFieldByte) else {
            throw .malformed(
                "A header line must be a name, a colon and a value without control characters: no space before the colon, no folded lines."
            )
        }
        let end = whole.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        let start = whole[..<end].firstIndex { !isBlank($0) } ?? end
        let value = UnsafeBufferPointer(rebasing: whole[start..<end])
        headers.append(name: name, value: value)
        switch name.count {
        case 4 where equals(name, "host"):
            hosts += 1
            guard value.allSatisfy({ !isBlank($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "/") }) else {
                throw .malformed("The Host field must hold one host name or address.")
            }
        case 6 where equals(name, "expect"):
            guard equals(value, "100-continue") else {
                throw HTTPError(.expectationFailed, detail: "The only supported expectation is 100-continue.")
            }
            expectsContinue = true
        case 14 where equals(name, "content-length"):
            lengths += 1
            guard let length = decimal(value) else { throw .malformed("Content-Length must be one decimal number.") }
            contentLength = length
        case 17 where equals(name, "transfer-encoding"):
            encodings += 1
            guard isHTTP11, equals(value, "chunked") else {
                throw .malformed("The only supported Transfer-Encoding is chunked, in HTTP/1.1.")
            }
            isChunked = true
        default: break
        }
    }

    /// Checks what only the whole header shows.
    package func finish() throws(HTTPError) {
        guard hosts == 1 || (hosts == 0 && !isHTTP11) else {
            throw .malformed("The request must have exactly one Host field.")
        }
        guard lengths + encodings <= 1 else {
            throw .malformed(
                "The request must have at most one of Content-Length and Transfer-Encoding, and only once.")
        }
    }
}

extension HTTPError {
    package static func malformed(_ detail: String) -> HTTPError { HTTPError(.malformedRequest, detail: detail) }

    package static let malformedRequestLine = malformed(
        "The request line must be a method, one space, the target, one space and HTTP/1.1.")
    package static let malformedRequestLineEnd = malformed(
        "The request line must end in HTTP/1.1, a carriage return and a line feed.")
    package static let malformedTrailer = malformed(
        "A field behind the chunks of the body must be a name, a colon and a value without control characters.")
    package static let headerTooLarge = HTTPError(
        .headerTooLarge, detail: "The request header is too large. Send fewer or shorter fields.")
    package static let targetTooLong = HTTPError(
        .targetTooLong,
        detail:
            "The path and query are too long. Send long parameters in the body, if the resource supports that.")
    package static func bodyTooLarge(_ limit: Int) -> HTTPError {
        HTTPError(.bodyTooLarge, detail: "The body is larger than \(limit) bytes. Send it in parts.")
    }
    package static let storageFull = HTTPError(
        .storageFull,
        detail: "The server has no disk space for the body of this request. Free space there, or send it in parts.")
    package static let stopping = HTTPError(
        .stopping, detail: "The server is stopping. Try again shortly.", headers: ["Retry-After": "1"])
    package static let noMemory = HTTPError(
        .answerNoMemory,
        detail:
            "Too many large responses are waiting for their clients. Try again in a moment, or request less at a time.",
        headers: ["Retry-After": "1"])
    package static let noMemoryForBody = HTTPError(
        .bodyNoMemory,
        detail: "Too many large request bodies are being received. Try again in a moment, or send less at a time.",
        headers: ["Retry-After": "1"])
    package static let tooManyStreams = HTTPError(
        .tooManyStreams,
        detail: "The server has reached its limit of open event streams. Try again later.",
        headers: ["Retry-After": "5"])
    package static let tooManyConnections = HTTPError(
        .tooManyConnections,
        detail: "The server has reached its limit of connections, and all of them are busy. Try again in a moment.",
        headers: ["Retry-After": "1", "Connection": "close"])
}

/// Whether the byte is a space or a tab.
@inlinable
@inline(__always)
package func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

@inlinable
@inline(__always)
package func isFieldByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7f) || byte == 0x09 }

/// The `tchar` of RFC 9110, one bit per character of ASCII.
@inlinable
@inline(__always)
package func isToken(_ byte: UInt8) -> Bool {
    // ! # $ % & ' * + - . 0-9 in the low word's upper half; A-Z ^ _ ` a-z | ~ in the high word.
    let low: UInt64 = 0x03ff_6cfa_0000_0000
    let high: UInt64 = 0x57ff_ffff_c7ff_fffe
    guard byte < 0x80 else { return false }
    return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
}

/// Compares with a lower-case ASCII literal, without regard to case.
func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ literal: StaticString) -> Bool {
    guard bytes.count == literal.utf8CodeUnitCount else { return false }
    return literal.withUTF8Buffer { literal in
        for index in bytes.indices where foldedASCII(bytes[index]) != literal[index] { return false }
        return true
    }
}

private func decimal(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard 1...18 ~= bytes.count else { return nil }
    var number = 0
    for byte in bytes {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
}
