import HTTPMessages
import HTTPServer
import Testing

@Suite("The queue of events")
struct EventQueueTests {
    @Test(
        "a queue holds what an array holds, whatever is added, taken over and removed",
        arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        func next(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(bound))
        }
        var queue = EventQueue()
        var model: [SharedBytes] = []
        for step in 0..<300 {
            switch next(step / 100 == 1 ? 4 : 8) {
            case 0, 1, 2:
                if !model.isEmpty {
                    queue.removeOldest()
                    model.removeFirst()
                }
            case 3:
                var other = EventQueue()
                let events = (0..<next(40)).map { SharedBytes("\(step) \($0)") }
                for event in events { other.append(event) }
                queue.append(other)
                model += events
            default:
                let event = SharedBytes("\(step)")
                queue.append(event)
                model.append(event)
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty, "seed \(seed), step \(step)")
            #expect(queue.first === model.first, "seed \(seed), step \(step)")
            guard step % 10 == 0 else { continue }
            #expect(queue.elementsEqual(model) { $0 === $1 }, "seed \(seed), step \(step)")
        }
    }
}
