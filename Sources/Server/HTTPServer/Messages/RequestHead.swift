/// A request's header, checked byte by byte.
///
/// libmicrohttpd 0.9.75 accepts much that RFC 9112 forbids and that request smuggling exploits. It parses in place and
/// keeps the whole header in one piece, from the method to the empty line, and replaces separators by NUL: the first
/// colon of a line, and CR LF. Reading that memory again shows what was really sent:
///
/// - a line ended by LF alone has one NUL at its end, not two; a bare CR is still there;
/// - a folded line still begins with a blank; a blank before the colon is still in the name;
/// - a NUL sent by the client ends a part where no separator belongs.
///
/// Detected here, and answered with 400 and a closed connection: all of these, characters outside the grammar in
/// methods, names and values, more than one blank in the request line, missing or repeated Host, Content-Length
/// that repeats, is not a number or comes with Transfer-Encoding, any Transfer-Encoding but a single `chunked`
/// in HTTP/1.1. Not visible here: a NUL in the place of the CR before a LF; blank lines before the request line
/// (legal); the framing of chunks and trailers, which `ChunkDecoder` reads.
struct RequestHead {
    var headers = HeaderBlock()
    /// The announced length; 0 without a body.
    var contentLength = 0
    var isChunked = false
    var expectsContinue = false
    /// False for HTTP/1.0, which does not have chunks.
    var isHTTP11 = true

    var announcesBody: Bool { isChunked || contentLength > 0 }

    struct Limits {
        var headerBytes: Int
        var headerCount: Int
    }

    /// - Parameters:
    ///   - raw: the memory from the method to the empty line as the library leaves it.
    ///   - target: the range of the target in `raw`; its bytes may have been overwritten and are not read.
    init(
        _ raw: UnsafeBufferPointer<UInt8>, target: Range<Int>, limits: Limits
    ) throws(HTTPError) {
        guard raw.count <= limits.headerBytes else { throw .headerTooLarge }
        guard target.lowerBound > 1, raw[target.lowerBound - 1] == 0,
            raw[..<(target.lowerBound - 1)].allSatisfy(isToken)
        else { throw .malformed("The request line must be a method, one space, the target, one space and HTTP/1.1.") }
        let version = target.upperBound + 1
        let fields = version + 10
        guard !target.isEmpty, fields + 2 <= raw.count, raw[target.upperBound] == 0, raw[version + 8] == 0,
            raw[version + 9] == 0, raw[version..<(version + 7)].elementsEqual("HTTP/1.".utf8)
        else { throw .malformed("The request line must end in HTTP/1.1, a carriage return and a line feed.") }
        let minor = raw[version + 7]
        guard minor == UInt8(ascii: "1") || minor == UInt8(ascii: "0") else {
            throw HTTPError(.versionNotSupported, detail: "This server speaks HTTP/1.1 and HTTP/1.0.")
        }
        isHTTP11 = minor == UInt8(ascii: "1")
        headers.reserve(raw.count - fields, count: 16)
        try parseFields(raw, from: fields, countLimit: limits.headerCount)
    }

    private mutating func parseFields(
        _ raw: UnsafeBufferPointer<UInt8>, from start: Int, countLimit: Int
    ) throws(HTTPError) {
        var position = start
        var count = 0
        var hosts = 0
        var lengths = 0
        var encodings = 0
        let end = raw.count - 2
        while position < end {
            let nameStart = position
            while position < end, isToken(raw[position]) { position += 1 }
            let nameEnd = position
            guard nameEnd > nameStart, position < end, raw[position] == 0 else {
                throw .malformed(
                    "A header line must be a name, a colon and a value: no space before the colon, no folded lines.")
            }
            position += 1
            while position < end, isBlank(raw[position]) { position += 1 }
            let valueStart = position
            while position < end, isFieldByte(raw[position]) { position += 1 }
            guard position + 2 <= raw.count, raw[position] == 0, raw[position + 1] == 0 else {
                throw .malformed(
                    "A header line must end in a carriage return and a line feed and hold no control characters.")
            }
            var valueEnd = position
            while valueEnd > valueStart, isBlank(raw[valueEnd - 1]) { valueEnd -= 1 }
            position += 2
            count += 1
            guard count <= countLimit else { throw .headerTooLarge }
            let name = UnsafeBufferPointer(rebasing: raw[nameStart..<nameEnd])
            let value = UnsafeBufferPointer(rebasing: raw[valueStart..<valueEnd])
            headers.append(name: name, value: value)
            switch name.count {
            case 4 where equals(name, "host"):
                hosts += 1
                guard value.allSatisfy({ !isBlank($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "/") }) else {
                    throw .malformed("The Host field must hold one host name or address.")
                }
            case 6 where equals(name, "expect"):
                guard equals(value, "100-continue") else {
                    throw HTTPError(
                        .expectationFailed, detail: "The only supported expectation is 100-continue.")
                }
                expectsContinue = true
            case 14 where equals(name, "content-length"):
                lengths += 1
                guard let length = decimal(value) else {
                    throw .malformed("Content-Length must be one decimal number.")
                }
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
        guard position == end, raw[end] == 0, raw[end + 1] == 0 else {
            throw .malformed("The header must end in an empty line of a carriage return and a line feed.")
        }
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
    static func malformed(_ detail: String) -> HTTPError { HTTPError(.malformedRequest, detail: detail) }

    static let headerTooLarge = HTTPError(
        .headerTooLarge, detail: "The request header is too large. Send fewer or shorter fields.")
    static let targetTooLong = HTTPError(
        .targetTooLong,
        detail:
            "The path and query are too long. Send long parameters in the body, if the resource supports that.")
    /// Returns the error for a request that the library rejects, by the status that it would send.
    static func refusal(_ status: Int) -> HTTPError {
        switch status {
        case 413: HTTPError(.bodyTooLarge, detail: "The announced length exceeds the limit of any body.")
        case 414: .targetTooLong
        case 431: .headerTooLarge
        case 501:
            HTTPError(.notImplemented, detail: "The only supported Transfer-Encoding is chunked.")
        case 505:
            HTTPError(.versionNotSupported, detail: "This server speaks HTTP/1.1 and HTTP/1.0.")
        case 500...: .internalError
        default: .malformed("The request is not valid HTTP/1.1 (RFC 9112).")
        }
    }
    static func bodyTooLarge(_ limit: Int) -> HTTPError {
        HTTPError(.bodyTooLarge, detail: "The body is larger than \(limit) bytes. Send it in parts.")
    }
    static let storageFull = HTTPError(
        .storageFull,
        detail: "The server has no disk space for the body of this request. Free space there, or send it in parts.")
    static let stopping = HTTPError(
        .stopping, detail: "The server is stopping. Try again shortly.", headers: ["Retry-After": "1"])
    static let noMemory = HTTPError(
        .answerNoMemory,
        detail:
            "Too many large responses are waiting for their clients. Try again in a moment, or request less at a time.",
        headers: ["Retry-After": "1"])
    static let noMemoryForBody = HTTPError(
        .bodyNoMemory,
        detail: "Too many large request bodies are being received. Try again in a moment, or send less at a time.",
        headers: ["Retry-After": "1"])
    static let tooManyStreams = HTTPError(
        .tooManyStreams,
        detail: "The server has reached its limit of open event streams. Try again later.",
        headers: ["Retry-After": "5"])
    static let tooManyConnections = HTTPError(
        .tooManyConnections,
        detail: "The server has reached its limit of connections, and all of them are busy. Try again in a moment.",
        headers: ["Retry-After": "1", "Connection": "close"])
}

@inline(__always)
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

@inline(__always)
func isFieldByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7f) || byte == 0x09 }

/// The `tchar` of RFC 9110, one bit per character of ASCII.
@inline(__always)
func isToken(_ byte: UInt8) -> Bool {
    // ! # $ % & ' * + - . 0-9 in the low word's upper half; A-Z ^ _ ` a-z | ~ in the high word.
    let low: UInt64 = 0x03ff_6cfa_0000_0000
    let high: UInt64 = 0x57ff_ffff_c7ff_fffe
    guard byte < 0x80 else { return false }
    return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
}

/// Compares with a lower-case ASCII literal, without regard to case.
private func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ literal: StaticString) -> Bool {
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
