import AccessRules
import Dispatch
import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import Logging
import RepositoryFiles
import RequestHandling
import TestBasics
import Testing

@testable import ServerLog

/// The lines of the log that administrators read over HTTP.
@Suite("The log over HTTP")
struct RecentLogTests {
    /// A gateway with a log, and a logger that fills it.
    private struct Fixture {
        let log = RecentLog()
        let gateway: TestGateway
        let logger: Logger

        init() throws {
            let log = log
            gateway = try TestGateway {
                $0.recentLog = log
                $0.requestLog = LoggerRequestLog(Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() })
            }
            logger = Logger(label: "part") { label in
                KeepingLogHandler(QuietHandler(), label: label, in: log)
            }
        }

        func lines(_ query: String = "") throws -> [JSONValue] {
            let answer = try gateway.get("/v1/logs" + query)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.headers["Cache-Control"] == "no-store")
            return answer.member("lines")?.asArray ?? []
        }

        func messages(_ query: String = "") throws -> [String] {
            try lines(query).compactMap { $0["message"]?.asString }
        }
    }

    /// Takes every line and shows none.
    private struct QuietHandler: LogHandler {
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {}
    }

    @Test("has the newest lines, the oldest of them first, with their fields")
    func newest() throws {
        let fixture = try Fixture()
        fixture.logger.info("One.", metadata: ["status": "\(200)", "name": "a\nb"])
        fixture.logger.error("Two.")
        let lines = try fixture.lines()
        #expect(lines.compactMap { $0["message"]?.asString } == ["One.", "Two."])
        #expect(lines.first?["level"] == "info" && lines.first?["label"] == "part")
        #expect(lines.first?["fields"] == ["name": "a b", "status": "200"])
        #expect(lines.first?["time"]?.asString?.hasSuffix("Z") == true)
        #expect(try fixture.messages("?limit=1") == ["Two."])
    }

    @Test(
        "has the lines that a filter takes",
        arguments: [
            ("?level=warning", ["Disk full.", "Lost."]), ("?text=DISK", ["Disk full."]), ("?text=b-17", ["Lost."]),
            ("?text=part", ["Begun.", "Disk full.", "Lost."]), ("?level=error&text=disk", []),
            ("?since=2020-01-01T00:00:00Z", ["Begun.", "Disk full.", "Lost."]),
            ("?since=2120-01-01T00:00:00Z", []),
        ])
    func filters(query: String, expected: [String]) throws {
        let fixture = try Fixture()
        fixture.logger.debug("Begun.")
        fixture.logger.warning("Disk full.")
        fixture.logger.error("Lost.", metadata: ["object": "B-17"])
        #expect(try fixture.messages(query) == expected)
    }

    @Test("continues after a line, and says when lines in between are gone")
    func continuation() throws {
        let fixture = try Fixture()
        fixture.logger.info("0")
        let first = try fixture.gateway.get("/v1/logs")
        let last = try #require(first.member("last")?.asString)
        #expect(first.member("lost") == .bool(false))
        for number in 1...5 { fixture.logger.info("\(number)") }
        let more = try fixture.gateway.get("/v1/logs?limit=2&after=\(last)")
        #expect(more.member("lines")?.asArray?.compactMap { $0["message"]?.asString } == ["1", "2"])
        let next = try #require(more.member("last")?.asString)
        #expect(try fixture.messages("?after=\(next)") == ["3", "4", "5"])
        for number in 0..<RecentLog.capacity { fixture.logger.info("late \(number)") }
        let late = try fixture.gateway.get("/v1/logs?limit=1&after=\(next)")
        #expect(late.member("lost") == .bool(true))
        #expect(late.member("lines")?.asArray?.compactMap { $0["message"]?.asString } == ["late 0"])
        // A mark of another process is before everything.
        #expect(try fixture.gateway.get("/v1/logs?after=zzz-3").member("lost") == .bool(true))
    }

    @Test(
        "keeps a bounded number of lines, in order, whatever their number", arguments: [0, 1, 1999, 2000, 2001, 5003])
    func bounded(count: Int) throws {
        let fixture = try Fixture()
        for number in 0..<count { fixture.logger.info("\(number)") }
        let kept = try fixture.messages("?limit=\(RecentLog.capacity)")
        #expect(kept == (max(0, count - RecentLog.capacity)..<count).map(String.init))
    }

    @Test("has each line whole when several threads log")
    func threads() throws {
        let fixture = try Fixture()
        let logger = fixture.logger
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<200 { logger.info("\(thread)", metadata: ["number": "\(number)"]) }
        }
        let lines = try fixture.lines("?limit=2000")
        #expect(lines.count == 800)
        for thread in 0..<4 {
            let own = lines.filter { $0["message"]?.asString == "\(thread)" }.compactMap {
                $0["fields"]?["number"]?.asString
            }
            #expect(own == (0..<200).map(String.init))
        }
    }

    @Test(
        "shows no secret that somebody logs",
        arguments: [
            ("cannot connect to postgres://ann:hunter2@db/app", "postgres://ann:•••@db/app"),
            ("host=db password=hunter2 user=ann", "host=db password=••• user=ann"),
            ("password='hunter2 x' user=ann", "password=••• user=ann"),
            ("Authorization: Bearer hunter2hunter2", "Authorization: Bearer •••"),
            ("a token eyJhbGciOi.eyJzdWIiOi.hunter2 came", "a token ••• came"),
            ("a plain line with 3 = 3 and ann@example.com", nil),
        ] as [(String, String?)])
    func secrets(text: String, shown: String?) throws {
        let fixture = try Fixture()
        fixture.logger.warning("\(text)", metadata: ["error": "\(text)", "apiKey": "hunter2", "auth_token": "hunter2"])
        let answer = try fixture.gateway.get("/v1/logs")
        #expect(!answer.text.contains("hunter2"), "\(answer.text)")
        let line = answer.member("lines")?.asArray?.first
        #expect(line?["message"]?.asString?.contains(shown ?? text) == true, "\(answer.text)")
        #expect(line?["fields"]?["error"]?.asString?.contains(shown ?? text) == true)
        #expect(line?["fields"]?["apiKey"] == "•••")
    }

    @Test("cuts long lines at a character")
    func long() throws {
        let fixture = try Fixture()
        fixture.logger.info("\(String(repeating: "é", count: 5000))")
        let message = try #require(try fixture.messages().first)
        #expect(message.utf8.count <= LogLine.textLimit + 3 && message.hasSuffix("é…"))
    }

    @Test("has the requests of the gateway without their queries, keys and credentials")
    func requests() throws {
        let gateway = try TestGateway { $0.requestLogLevel = .info }
        // A gateway without a log of its own keeps what its logger writes.
        _ = try gateway.get(
            "/v1/objects/Dog?filter=name+%3D%3D+%22hunter2%22", headers: ["Authorization": "Bearer hunter2"])
        let answer = try gateway.get("/v1/logs?text=/v1/objects")
        let line = answer.member("lines")?.asArray?.first
        #expect(line?["fields"]?["route"] == "/v1/objects/:class", "\(answer.text)")
        #expect(line?["fields"]?["status"] == "200")
        #expect(!answer.text.contains("hunter2"))
    }

    @Test(
        "refuses what it does not understand, with the parameter",
        arguments: ["level=loud", "since=yesterday", "limit=0", "limit=2001", "x=1"])
    func refusals(query: String) throws {
        let fixture = try Fixture()
        for path in ["/v1/logs", "/v1/observe/logs"] where path == "/v1/logs" || !query.hasPrefix("limit") {
            let answer = try fixture.gateway.get("\(path)?\(query)")
            #expect(answer.status == 400, "\(path)")
            #expect(answer.member("parameter")?.asString == query.components(separatedBy: "=").first)
        }
    }

    @Test("is for administrators alone", arguments: ["/v1/logs", "/v1/observe/logs"])
    func access(path: String) throws {
        let guarded = try GuardedGateway([Role(name: "reader", others: ClassRule(read: "TRUEPREDICATE"))])
        #expect(try guarded.gateway.get(path).status == 401)
        let reader: HeaderFields = ["X-API-Key": try guarded.secret("reader")]
        #expect(try guarded.gateway.get(path, headers: reader).status == 403)
        #expect(try guarded.gateway.get(path, headers: try guarded.bearer("admin")).status == 200)
    }

    // MARK: The stream

    /// Reads events until there are as many lines as wanted.
    private final class Reader {
        let stream: EventStream
        private let news = DispatchSemaphore(value: 0)
        private(set) var events: [(name: String, id: String?, data: JSONValue)] = []

        init(_ gateway: TestGateway, _ query: String = "", after id: String? = nil, limit: Int = 1 << 20) throws {
            let headers: HeaderFields = id.map { ["Last-Event-ID": $0] } ?? [:]
            let request = try Request(.get, "/v1/observe/logs" + query, headers: headers)
            guard case .events(_, let start) = gateway.router.respond(to: request) else {
                throw WireFailure("no stream")
            }
            let news = news
            stream = EventStream(limit: limit) { news.signal() }
            start(stream)
        }

        func read(_ count: Int) throws {
            while events.count < count {
                guard news.wait(timeout: .now() + .seconds(TestRun.patience)) == .success else {
                    throw WireFailure("only \(events.count) events")
                }
                let (queued, _) = stream.takeQueued()
                let text = queued.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
                for block in text.components(separatedBy: "\n\n") where block.contains("data: ") {
                    func field(_ name: String) -> String? {
                        block.components(separatedBy: "\n").first { $0.hasPrefix("\(name): ") }.map {
                            String($0.dropFirst(name.count + 2))
                        }
                    }
                    events.append(
                        (field("event") ?? "", field("id"), try JSONValue.parse(Array((field("data") ?? "").utf8))))
                }
                stream.didSend(queued.reduce(0) { $0 + $1.count })
            }
        }

        var messages: [String] { events.compactMap { $0.data["message"]?.asString } }
    }

    @Test("is a stream of what is there and then of each line that fits")
    func live() throws {
        let fixture = try Fixture()
        fixture.logger.warning("before")
        let reader = try Reader(fixture.gateway, "?level=warning")
        try reader.read(1)
        fixture.logger.info("not this")
        fixture.logger.error("after")
        try reader.read(2)
        #expect(reader.messages == ["before", "after"])
        #expect(reader.events.allSatisfy { $0.name == "line" && $0.id == $0.data["id"]?.asString })
    }

    @Test("begins at once where no line fits, so that a client knows that it is open")
    func begins() throws {
        let fixture = try Fixture()
        let reader = try Reader(fixture.gateway, "?level=critical")
        #expect(
            reader.stream.takeQueued().events.map { String(decoding: $0.bytes, as: UTF8.self) } == ["retry: 2000\n"])
    }

    @Test("resumes after the last line that a client has, and says how many it lost")
    func resumption() throws {
        let fixture = try Fixture()
        for number in 0..<3 { fixture.logger.info("\(number)") }
        let first = try Reader(fixture.gateway)
        try first.read(3)
        first.stream.close()
        let second = try Reader(fixture.gateway, after: first.events[1].id)
        try second.read(1)
        #expect(second.messages == ["2"])
        second.stream.close()
        for number in 0..<RecentLog.capacity + 5 { fixture.logger.info("late \(number)") }
        let third = try Reader(fixture.gateway, after: first.events[1].id, limit: 1 << 26)
        try third.read(RecentLog.capacity + 1)
        #expect(third.events[0].name == "lost" && third.events[0].data["count"] == 6)
        #expect(third.messages == (5..<RecentLog.capacity + 5).map { "late \($0)" })
    }
}
