import HTTPMessages
import HTTPServer
import Testing

@Suite("The queue of an event stream")
struct EventStreamTests {
    @Test("events are refused beyond the limit, and the owner hears when there is room again")
    func congestion() {
        let drained = Recorder<Int>()
        let wakes = Recorder<Int>()
        let stream = EventStream(limit: 10) { wakes.append(1) }
        stream.onDrain { drained.append(1) }
        #expect(stream.send(SharedBytes("12345")) == .queued)
        #expect(stream.send(SharedBytes("1234567890")) == .queued)
        #expect(stream.isCongested)
        #expect(stream.send(SharedBytes("x")) == .full)
        #expect(wakes.values.count == 1)
        #expect(stream.takeQueued().events.map(\.count) == [5, 10])
        stream.didSend(5)
        #expect(drained.values.isEmpty)
        #expect(stream.send(SharedBytes("x")) == .full)
        stream.didSend(5)
        #expect(drained.values.count == 1)
        #expect(stream.send(SharedBytes("x")) == .queued)
        #expect(wakes.values.count == 2)
        stream.didSend(6)
        #expect(drained.values.count == 1)
    }

    @Test("a stream knows what it has carried: events, without what is none, and bytes by whether they wait")
    func traffic() {
        let stream = EventStream(limit: 10)
        #expect(stream.traffic == EventStream.Traffic())
        let start = monotonicNanoseconds()
        stream.send(SharedBytes("retry"), isEvent: false)
        #expect(stream.traffic == EventStream.Traffic(events: 0, sentBytes: 0, waitingBytes: 5, lastEvent: nil))
        stream.send(SharedBytes("123"))
        #expect(stream.send(SharedBytes("12"), SharedBytes("345")) == .queued)
        // A refused event is none.
        #expect(stream.send(SharedBytes("x")) == .full)
        let first = stream.traffic
        #expect(first.events == 2 && first.sentBytes == 0 && first.waitingBytes == 13)
        #expect(first.lastEvent.map { (start...monotonicNanoseconds()).contains($0) } == true)
        stream.didSend(9)
        #expect(stream.traffic.sentBytes == 9 && stream.traffic.waitingBytes == 4)
        let group = EventStreamGroup()
        group.join(stream)
        #expect(group.send(SharedBytes("y")).isEmpty)
        let second = stream.traffic
        #expect(second.events == 3 && second.waitingBytes == 5)
        #expect(second.lastEvent ?? 0 >= first.lastEvent ?? 0)
        stream.close()
        group.send(SharedBytes("late"))
        #expect(stream.traffic == second)
    }

    @Test("a stream takes nothing after its end, and tells its owner once")
    func closing() {
        let reasons = Recorder<EventStream.CloseReason>()
        let stream = EventStream(limit: 10)
        stream.onClose { reasons.append($0) }
        #expect(stream.send(SharedBytes("last")) == .queued)
        stream.close()
        #expect(stream.send(SharedBytes("late")) == .closed)
        let (events, finishing) = stream.takeQueued()
        #expect(events.count == 1)
        #expect(finishing)
        stream.didClose(.finished)
        stream.didClose(.clientLeft)
        #expect(reasons.takeAll() == [.finished])
        stream.onClose { reasons.append($0) }
        #expect(reasons.values == [.finished])
    }

    @Test(
        "events are encoded line by line",
        arguments: [
            ("a", "id: 7\nevent: update\ndata: a\n\n"), ("a\nb", "id: 7\nevent: update\ndata: a\ndata: b\n\n"),
            ("a\r\nb\rc", "id: 7\nevent: update\ndata: a\ndata: b\ndata: c\n\n"),
            ("", "id: 7\nevent: update\ndata: \n\n"), ("a\n", "id: 7\nevent: update\ndata: a\ndata: \n\n"),
        ])
    func encoding(data: String, expected: String) {
        let event = SharedBytes.event(id: "7", name: "update", data: Array(data.utf8))
        #expect(String(decoding: event.bytes, as: UTF8.self) == expected)
    }

    @Test("an id or a name cannot start a line of its own")
    func injection() {
        let event = SharedBytes.event(id: "1\ndata: x", name: "a\r\nb", data: Array("d".utf8))
        #expect(String(decoding: event.bytes, as: UTF8.self) == "id: 1\nevent: a\ndata: d\n\n")
    }
}
