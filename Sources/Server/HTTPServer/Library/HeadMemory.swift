import HTTPMessages
import CMicrohttpd

/// A request's header, read again in the memory of libmicrohttpd before 0.9.77, byte by byte.
///
/// That library accepts much that RFC 9112 forbids and that request smuggling exploits, and passes it on as if it were
/// right. It parses in place, keeps the whole header in one piece, from the method to the empty line, and replaces
/// separators by NUL: the first colon of a line, and CR LF. No documentation promises this, so ``LibraryTrial`` sees
/// whether it is so. Reading that memory again shows what was really sent:
///
/// - a line ended by LF alone has one NUL at its end, not two; a bare CR is still there;
/// - a folded line still begins with a blank; a blank before the colon is still in the name;
/// - a NUL sent by the client ends a part where no separator belongs.
///
/// Not visible here: a NUL in place of the CR before a LF; blank lines before the request line (legal); the framing
/// of chunks and trailers, for which the connection ends after the response.
struct HeadMemory {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The range of the target; its bytes may have been overwritten and are not read.
    private let target: Range<Int>

    /// - Parameters:
    ///   - method: the library's pointer to the method, with which the header begins.
    ///   - target: its pointer to the target, and the target's length.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, target: (start: UnsafePointer<CChar>, length: Int)
    ) throws(HTTPError) {
        let begin = UnsafeRawPointer(method)
        let start = UnsafeRawPointer(target.start) - begin
        let size = rg_mhd_header_size(connection)
        guard start > 0, start + target.length < size else { throw .malformed("The request line is malformed.") }
        bytes = UnsafeBufferPointer(start: begin.assumingMemoryBound(to: UInt8.self), count: size)
        self.target = start..<(start + target.length)
    }

    func head(limits: RequestHead.Limits) throws(HTTPError) -> RequestHead {
        guard bytes.count <= limits.headerBytes else { throw .headerTooLarge }
        guard target.lowerBound > 1, bytes[target.lowerBound - 1] == 0,
            bytes[..<(target.lowerBound - 1)].allSatisfy(isToken)
        else { throw .malformedRequestLine }
        let version = target.upperBound + 1
        let fields = version + 10
        guard !target.isEmpty, fields + 2 <= bytes.count, bytes[target.upperBound] == 0, bytes[version + 8] == 0,
            bytes[version + 9] == 0
        else { throw .malformedRequestLineEnd }
        var head = try RequestHead(version: UnsafeBufferPointer(rebasing: bytes[version..<version + 8]))
        head.headers.reserve(bytes.count - fields, count: 16)
        try read(from: fields, into: &head, limits)
        try head.finish()
        return head
    }

    private func read(from start: Int, into head: inout RequestHead, _ limits: RequestHead.Limits) throws(HTTPError) {
        var position = start
        let end = bytes.count - 2
        while position < end {
            let nameStart = position
            while position < end, isToken(bytes[position]) { position += 1 }
            let nameEnd = position
            guard nameEnd > nameStart, position < end, bytes[position] == 0 else {
                throw .malformed(
                    "A header line must be a name, a colon and a value: no space before the colon, no folded lines.")
            }
            position += 1
            let valueStart = position
            while position < end, isFieldByte(bytes[position]) { position += 1 }
            guard position + 2 <= bytes.count, bytes[position] == 0, bytes[position + 1] == 0 else {
                throw .malformed(
                    "A header line must end in a carriage return and a line feed and hold no control characters.")
            }
            try head.add(
                name: UnsafeBufferPointer(rebasing: bytes[nameStart..<nameEnd]),
                value: UnsafeBufferPointer(rebasing: bytes[valueStart..<position]), limits: limits)
            position += 2
        }
        guard position == end, bytes[end] == 0, bytes[end + 1] == 0 else {
            throw .malformed("The header must end in an empty line of a carriage return and a line feed.")
        }
    }
}
