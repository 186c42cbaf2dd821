import HTTPMessages
import HTTPServer
import Testing

@Suite("Groups of event streams")
struct EventStreamGroupTests {
    private func text(_ stream: EventStream) -> String {
        let events = stream.takeQueued().events
        for event in events { stream.didSend(event.count) }
        return String(decoding: events.flatMap(\.bytes), as: UTF8.self)
    }

    @Test("what is sent to a group and to its streams one by one keeps its order")
    func order() {
        let group = EventStreamGroup()
        let streams = (0..<3).map { _ in EventStream(limit: 100) }
        for stream in streams { group.join(stream) }
        streams[0].send(SharedBytes("a"))
        #expect(group.send(SharedBytes("b")).isEmpty)
        streams[0].send(SharedBytes("c"))
        #expect(group.send(SharedBytes("d")).isEmpty)
        #expect(streams.map { text($0) } == ["abcd", "bd", "bd"])
    }

    @Test("a stream that is full is reported, leaves the group, drains, and may join again")
    func full() {
        let group = EventStreamGroup()
        let drained = Recorder<Int>()
        let streams = (0..<10).map { index in
            let stream = EventStream(limit: index % 3 == 0 ? 2 : 100)
            stream.onDrain { drained.append(index) }
            group.join(stream)
            return stream
        }
        #expect(group.send(SharedBytes("12")).isEmpty)
        let behind = group.send(SharedBytes("34"))
        #expect(Set(behind.map(ObjectIdentifier.init)) == Set([0, 3, 6, 9].map { ObjectIdentifier(streams[$0]) }))
        #expect(group.count == 6)
        #expect(group.send(SharedBytes("56")).isEmpty)
        #expect(streams.prefix(3).map { text($0) } == ["12", "123456", "123456"])
        #expect(drained.takeAll() == [0])
        group.join(streams[0])
        #expect(group.send(SharedBytes("78")).isEmpty)
        #expect(text(streams[0]) == "78")
        #expect(text(streams[3]) == "12")
        #expect(drained.takeAll() == [3])
    }

    @Test("the sending side of each stream hears once, however many events the group is sent")
    func wakes() {
        let group = EventStreamGroup()
        let wakes = Recorder<Int>()
        let streams = (0..<5).map { index in EventStream(limit: 100) { wakes.append(index) } }
        for stream in streams { group.join(stream) }
        for _ in 0..<4 { group.send(SharedBytes("x")) }
        #expect(wakes.takeAll() == [0, 1, 2, 3, 4])
        _ = streams[2].takeQueued()
        group.send(SharedBytes("y"))
        #expect(wakes.takeAll() == [2])
    }

    @Test("streams that have ended leave with the next event, or when half the group has ended")
    func leaving() {
        let group = EventStreamGroup()
        let streams = (0..<8).map { _ in EventStream(limit: 100) }
        for stream in streams { group.join(stream) }
        streams[7].close()
        group.send(SharedBytes("x"))
        #expect(group.count == 7)
        for (index, expected) in [(0, 7), (1, 7), (2, 7), (3, 3)] {
            streams[index].didClose(.clientLeft)
            group.leave(streams[index])
            #expect(group.count == expected)
        }
        group.leave(streams[4])
        #expect(group.count == 2)
        group.leave(streams[4])
        #expect(group.count == 2)
        group.send(SharedBytes("y"))
        #expect(streams.map { text($0) } == ["", "", "", "", "x", "xy", "xy", ""])
    }
}
