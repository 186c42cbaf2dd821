import JSONCoding
import Logging
import Synchronization
import Testing

@testable import realmgate

@Suite("Lines of the log")
struct LineLogHandlerTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func line(_ format: LogFormat, _ body: (Logger) -> Void) throws -> String {
        let lines = Lines()
        let logger = Logger(label: "t") { label in
            LineLogHandler(label: label, format: format, level: .info) { bytes in
                lines.all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        body(logger)
        let all = lines.all.withLock { $0 }
        #expect(all.count == 1)
        return try #require(all.first)
    }

    @Test("as text are one line each, whatever a message or a value holds")
    func text() throws {
        let text = try line(.text) { logger in
            logger.debug("not this")
            logger.info(
                "Answered.\nfoo",
                metadata: ["route": "/a", "empty": "", "said": "a \"b\"\nc=d", "status": .stringConvertible(200)])
        }
        #expect(text.hasSuffix("info t: Answered. foo empty=\"\" route=/a said=\"a \\\"b\\\" c=d\" status=200\n"))
        #expect(text.contains(/^\d{4}-\d\d-\d\dT[0-9:.]+Z info/))
    }

    @Test("as JSON are an object each, numbers as numbers")
    func json() throws {
        let text = try line(.json) { logger in
            logger.warning(
                "Answered.\n",
                metadata: [
                    "status": .stringConvertible(200), "milliseconds": .stringConvertible(0.5), "caller": "a\"b",
                    "list": ["x", ["y": "z"]], "time": "mine",
                ])
        }
        #expect(text.last == "\n")
        let object = try JSONValue.parse(Array(text.utf8))
        #expect(object["level"] == .string("warning"))
        #expect(object["label"] == .string("t"))
        #expect(object["message"] == .string("Answered.\n"))
        #expect(object["status"] == .int(200))
        #expect(object["milliseconds"] == .double(0.5))
        #expect(object["caller"] == .string("a\"b"))
        #expect(object["time"] != .string("mine"))
        #expect(text.contains("\"list\":[\"x\",{\"y\":\"z\"}]"))
    }
}
