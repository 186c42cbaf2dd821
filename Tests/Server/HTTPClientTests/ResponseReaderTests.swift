import HTTPMessages
import Testing

@testable import HTTPClient

@Suite("Responses from the bytes of a connection")
struct ResponseReaderTests {
    /// What a reader makes of pieces of this length, after which the connection ends; nil for no response.
    private func read(
        _ bytes: [UInt8], piece: Int, limit: Int = 1_000, hasBody: Bool = true
    ) throws(ResponseReader.Error) -> Response {
        var reader = ResponseReader(limit: limit, hasBody: hasBody)
        for start in stride(from: 0, to: bytes.count, by: piece) where !reader.isWhole {
            try reader.feed(bytes[start..<min(start + piece, bytes.count)])
        }
        if !reader.isWhole { try reader.end() }
        return reader.response
    }

    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        "responses are read whole, with a length, in chunks or up to the end; what is cut off or no HTTP is none",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"),
            ("HTTP/1.1 404 X\r\ncontent-length:  3 \r\n\r\nabcd", 404, "abc"),
            ("HTTP/1.1 200\nContent-Length: 0\n\n", 200, ""),
            (chunked + "2;x=1\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 200, "abc"),
            (chunked + "A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", 200, "0123456789"),
            ("HTTP/1.0 204 None\r\n\r\n", 204, ""), ("HTTP/1.1 304 Same\r\nContent-Length: 9\r\n\r\n", 304, ""),
            ("HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it"), ("HTTP/1.0 200 OK\r\n\r\n", 200, ""),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 X\r\nContent-Length: 1\r\n\r\nx", 201, "x"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, "x"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", nil, ""), (chunked + "5\r\nab", nil, ""),
            (chunked + "2\r\nab\r\n", nil, ""), (chunked + "2\r\nab\r\n0\r\n", nil, ""),
            (chunked + "zz\r\nab\r\n", nil, ""), (chunked + "-1\r\nab\r\n", nil, ""),
            (chunked + "+1\r\na\r\n", nil, ""),
            (chunked + "1\r\nab\r\n0\r\n\r\n", nil, ""), (chunked + "7fffffffffffffff\r\nab\r\n", nil, ""),
            (chunked + "8000000000000000\r\nab\r\n", nil, ""), ("HTTP/1.1 200", nil, ""),
            ("SSH-2.0-x\r\n\r\n", nil, ""),
            ("", nil, ""), ("HTTP/2 200\r\n\r\n", nil, ""), ("HTTP/1.1 99 X\r\n\r\n", nil, ""),
            ("HTTP/1.1 +20 X\r\n\r\n", nil, ""), ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", nil, ""),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy", nil, ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", nil, ""),
            ("HTTP/1.1 200 OK\r\nbad field: 1\r\n\r\n", nil, ""), ("HTTP/1.1 200 OK\r\nnone\r\n\r\n", nil, ""),
        ] as [(String, Int?, String)])
    func responses(text: String, status: Int?, body: String) {
        let bytes = Array(text.utf8)
        for piece in [1, 2, 3, 7, max(1, bytes.count)] {
            let response = try? read(bytes, piece: piece)
            #expect(response?.status == status, "in pieces of \(piece)")
            #expect(String(decoding: response?.bodyBytes ?? [], as: UTF8.self) == body, "in pieces of \(piece)")
        }
    }

    @Test("fields are kept, also repeated ones; those of an interim response are not")
    func fields() throws {
        let text =
            "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\na:  2\t\r\nContent-Length: 0\r\n\r\n"
        let headers = try read(Array(text.utf8), piece: 5).headers
        #expect(headers.map(\.name) == ["A", "a", "Content-Length"])
        #expect(headers.map(\.value) == ["1", "2", "0"])
    }

    @Test("the response to HEAD ends with its fields")
    func head() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        #expect(try read(Array(text.utf8), piece: 4, hasBody: false).headers["Content-Length"] == "5")
    }

    @Test(
        "a body over the limit is refused, announced or not",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n01234567890",
            chunked + "6\r\n012345\r\n5\r\n67890\r\n0\r\n\r\n", chunked + "7fffffffffffffff\r\n01234567890",
        ])
    func limit(text: String) {
        for piece in [1, 1_000] {
            #expect(throws: ResponseReader.Error.tooLong) { try read(Array(text.utf8), piece: piece, limit: 10) }
        }
    }

    @Test("a head over 64 KiB is refused, in one line or in many")
    func endlessHead() {
        let one = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 70_000)
        let many = "HTTP/1.1 200 OK\r\n" + String(repeating: "A: 1\r\n", count: 12_000)
        for text in [one, many] {
            var reader = ResponseReader(limit: 10)
            #expect(throws: ResponseReader.Error.malformed) { try reader.feed(text.utf8) }
        }
    }
}
