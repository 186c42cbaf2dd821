import Testing

@testable import ModelContext

@Suite("Responses of a gateway at the other end of a connection")
struct HTTPAnswerTests {
    @Test(
        "responses are read whole, in one piece or in chunks, and what is cut off is none",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"),
            ("HTTP/1.1 404 X\r\ncontent-length:  3 \r\n\r\nabcd", 404, "abc"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=1\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 200, "abc"),
            ("HTTP/1.0 204 None\r\n\r\n", 204, ""), ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", nil, ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", nil, ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n", nil, ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab\r\n", nil, ""),
            ("HTTP/1.1 200", nil, ""), ("SSH-2.0-x\r\n\r\n", nil, ""), ("", nil, ""),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", nil, ""),
        ])
    func responses(text: String, status: Int?, body: String) {
        let answer = HTTPAnswer.parse(Array(text.utf8))
        #expect(answer?.status == status)
        #expect(String(decoding: answer?.body ?? [], as: UTF8.self) == body)
    }
}
