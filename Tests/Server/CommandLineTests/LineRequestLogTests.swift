import HTTPMessages
import HTTPServer
import Logging
import Promises
import Synchronization
import Testing

@testable import realmgate

@Suite("Lines about requests")
struct LineRequestLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        var write: @Sendable ([UInt8]) -> Void {
            { bytes in self.all.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
        }
    }

    private static let records = [
        RequestRecord(
            label: "0123456789-000001", method: .get, route: "/v1/objects/:class/:key", status: 200, microseconds: 57,
            peer: .v4(0x7f00_0001, port: 8080), bytes: 67),
        RequestRecord(
            label: "a=b:c", method: .other("ODD\u{7f}"), route: "-", status: 503, microseconds: 12_000_340,
            peer: .v6(high: 1, low: 2, port: 3), caller: "subject:a \"b\"\n\tc=d\\ä"),
        RequestRecord(
            label: "x", method: .delete, route: "/", status: 404, microseconds: 0, peer: .none, bytes: 0, caller: ""),
        RequestRecord(
            label: "y", method: .patch, route: "/", status: 204, microseconds: 1_000, peer: .none, caller: "key:1"),
        RequestRecord(label: "z", method: .put, route: "/", status: 200, microseconds: 1_100, peer: .none),
        RequestRecord(label: "z", method: .put, route: "/", status: 200, microseconds: 1_020, peer: .none),
    ]

    @Test("are what a logger would have written, byte for byte but for the time", arguments: records.indices)
    func same(index: Int) throws {
        for format in LogFormat.allCases {
            for level in [Logger.Level.info, .warning] {
                let lines = Lines()
                let logger = Logger(label: "gateway") { label in
                    LineLogHandler(label: label, format: format, level: .info, write: lines.write)
                }
                LoggerRequestLog(logger).write(Self.records[index], at: level)
                LineRequestLog(label: "gateway", format: format, level: LiveLogLevel(.info), put: lines.write)
                    .write(Self.records[index], at: level)
                let all = lines.all.withLock { $0 }.map {
                    $0.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "TIME")
                }
                #expect(all.count == 2)
                #expect(all.first == all.last)
                #expect(all.first?.contains("TIME") == true)
            }
        }
    }

    @Test("that one turn adds are written together at its end, and others at once")
    func gathered() {
        let lines = Lines()
        let log = GatheredLines(lines.write)
        var all: [String] { lines.all.withLock { $0 } }
        log.add(Array("a\n".utf8))
        #expect(all == ["a\n"])
        WakeUps.gather {
            log.add(Array("b\n".utf8))
            log.add(Array("c\n".utf8))
            #expect(all.count == 1)
        }
        #expect(all == ["a\n", "b\nc\n"])
        WakeUps.gather {
            // More than wait.
            for _ in 0..<40 { log.add(Array(repeating: UInt8(ascii: "x"), count: 1023) + [UInt8(ascii: "\n")]) }
            #expect(all.count == 3)
        }
        #expect(all.dropFirst(2).reduce(0) { $0 + $1.utf8.count } == 40 << 10)
    }

    @Test("are written from their level on, which may change")
    func levels() {
        let level = LiveLogLevel(.info)
        let log = LineRequestLog(label: "gateway", format: .text, level: level)
        #expect(log.takes(.info) && log.takes(.error) && !log.takes(.debug))
        level.value = .warning
        #expect(!log.takes(.info) && log.takes(.warning))
        #expect(Logger.Level.allCases.allSatisfy { LiveLogLevel($0).value == $0 })
    }
}
