import JSONCoding
import ObjectModel
import StoreTesting
import Testing
import WireProtocol
import TestBasics

@Suite("Events of the stream of a subscription set")
struct SetEventTests {
    /// An event as a gateway writes it.
    private struct Written {
        var kind: EventKind
        var id: String?
        var data: [UInt8]
        var content: SetEvent.Content
        var version = Version(0)

        var bytes: [UInt8] {
            Array(((id.map { "id: \($0)\n" } ?? "") + "event: \(kind.rawValue)\ndata: ").utf8) + data
                + Array("\n\n".utf8)
        }
    }

    private func object(_ body: (JSONWriter) -> Void) -> [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.beginObject()
        body(json)
        json.endObject()
        return json.bytes
    }

    private func event(_ random: inout SeededRandom) throws -> Written {
        let label = RandomValues.string(&random)
        let version = Version(UInt64(random.below(1 << 40)))
        let id = RandomForms.position(&random).description
        func rows() -> [JSONValue] { (0..<random.below(4)).map { _ in RandomForms.object(&random) } }
        func positions() -> [Int] { (0..<random.below(4)).map { _ in random.below(1000) } }
        switch random.below(7) {
        case 0:
            let items = rows()
            let data = object {
                $0.member(subscription: label)
                $0.member(version)
                $0.name(EventField.items)
                $0.value(.array(items))
            }
            return Written(
                kind: .initial, id: id, data: data, content: .initial(subscription: label, items: items),
                version: version)
        case 1:
            let update = CollectionUpdate(
                deletions: positions(), insertions: positions(), modifications: positions(), inserted: rows(),
                modified: rows())
            let data = object { json in
                json.member(subscription: label)
                json.member(version)
                json.positions(
                    deletions: update.deletions, insertions: update.insertions, modifications: update.modifications)
                json.changedObjects(
                    insertions: { json.value(.array(update.inserted)) },
                    modifications: { json.value(.array(update.modified)) })
            }
            return Written(
                kind: .update, id: id, data: data, content: .update(subscription: label, update), version: version)
        case 2:
            let data = object { $0.member(subscription: label) }
            return Written(kind: .removed, id: id, data: data, content: .removed(subscription: label))
        case 3:
            let problem: JSONValue = ["code": "query.invalid", "detail": .string(label)]
            let data = object {
                $0.member(subscription: label)
                $0.name(ProblemForm.Field.code)
                $0.string("query.invalid")
                $0.name(ProblemForm.Field.detail)
                $0.string(label)
            }
            return Written(
                kind: .error, id: id, data: data, content: .failed(subscription: label, ProblemForm(problem)))
        case 4:
            let labels = (0..<random.below(4)).map { _ in RandomValues.string(&random) }
            let json = JSONWriter()
            json.subscriptionList(labels)
            return Written(kind: .subscriptions, data: json.bytes, content: .subscriptions(labels))
        case 5:
            let token = try #require(BarrierToken("t\(random.next())"))
            let json = JSONWriter()
            json.barrier(token, at: version)
            return Written(
                kind: .barrier, id: id, data: json.bytes, content: .barrier(token.text), version: version)
        default:
            let json = JSONWriter()
            json.closing(code: "gateway.draining")
            return Written(kind: .closing, data: json.bytes, content: .closing)
        }
    }

    @Test("what is written of any event reads as the same event, however the bytes are cut")
    func roundTrip() throws {
        var random = SeededRandom.ofTest()
        print("events seed \(random.seed)")
        for _ in 0..<200 {
            let written = try (0..<8).map { _ in try event(&random) }
            let bytes = written.flatMap(\.bytes)
            var parser = EventStreamParser()
            var read: [ServerEvent] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + 1 + random.below(200))
                read += parser.feed(Array(bytes[start..<end]))
                start = end
            }
            let events = try read.map { try SetEvent($0) }
            #expect(events.map(\.content) == written.map(\.content))
            #expect(events.map(\.version) == written.map(\.version))
            // An event without an id leaves the one before.
            var last: String?
            for (event, written) in zip(events, written) {
                last = written.id ?? last
                #expect(event.position == last)
                #expect(event.reached == last.flatMap { StreamPosition($0) }?.reached)
            }
        }
    }

    @Test("an event that followers know nothing of is passed over, and data that is no JSON is refused")
    func others() throws {
        func content(_ name: String, _ data: String) throws -> SetEvent.Content {
            try SetEvent(ServerEvent(name: name, data: Array(data.utf8))).content
        }
        #expect(try content("news", #"{"subscription":"n1"}"#) == .other)
        #expect(try content("error", #"{"code":"access.ended"}"#) == .other)
        #expect(try content("barrier", "{}") == .other)
        #expect(try content("initial", #"{"items":[]}"#) == .other)
        #expect(throws: JSONError.self) { try content("initial", "{") }
    }

    @Test("events are put together however the bytes are cut", arguments: 1...9)
    func parser(step: Int) {
        let text =
            "retry: 2000\n\nid: 41\nevent: initial\ndata: {\"a\":\ndata: 1}\n\n: keep-alive\n\n"
            + "event:update\r\ndata:x\r\n\r\nid\rdata\r\r"
        let bytes = Array(text.utf8)
        var parser = EventStreamParser()
        var events: [ServerEvent] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            events += parser.feed(Array(bytes[start..<min(start + step, bytes.count)]))
        }
        #expect(
            events == [
                ServerEvent(id: "41", name: "initial", data: Array("{\"a\":\n1}".utf8)),
                ServerEvent(id: "41", name: "update", data: Array("x".utf8)),
                ServerEvent(id: "", name: "message", data: []),
            ])
    }
}
