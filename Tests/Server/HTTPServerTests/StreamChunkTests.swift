@testable import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Chunks of event streams")
struct StreamChunkTests {
    /// Sends chunks as a socket does that accepts as many bytes of each call as `accepted` says, and returns what arrives.
    private func send(_ bodies: [[UInt8]], accepting accepted: (Int) -> Int) -> (wire: [UInt8], counted: [Int]) {
        var wire: [UInt8] = []
        var counted: [Int] = []
        for body in bodies {
            var chunk = StreamChunk()
            chunk.open(body.count)
            var offset = 0
            while chunk.isOpen {
                withUnsafeTemporaryAllocation(byteCount: StreamChunk.frameLimit, alignment: 1) { frame in
                    let ends = chunk.ends(in: frame)
                    #expect(chunk.bytesLeft == body.count - offset)
                    let rest = Array(ends.start) + body[offset...] + Array(ends.end)
                    let count = accepted(rest.count)
                    wire += rest[..<count]
                    offset += chunk.advance(count)
                }
            }
            counted.append(offset)
            #expect(chunk.isLast == body.isEmpty && chunk.wasLast == body.isEmpty)
        }
        return (wire, counted)
    }

    @Test(
        "whatever the kernel accepts of each call, the chunks arrive whole, and no byte of them is counted as an event's"
    )
    func partialWrites() {
        var random = SeededRandom.ofTest()
        let sizes = [1, 2, 9, 10, 15, 16, 17, 255, 256, 4_095, 4_096, 65_536, 70_001]
        for _ in 0..<200 {
            let bodies = (0..<random.below(6)).map { _ in
                [UInt8](repeating: UInt8(random.below(256)), count: sizes[random.below(sizes.count)])
            }
            let most = 1 + random.below(3_000)
            let (wire, counted) = send(bodies + [[]]) { min($0, 1 + random.below(most)) }
            #expect(counted == bodies.map(\.count) + [0])
            var reader = StreamChunkReader()
            #expect(reader.take(wire) == bodies.flatMap(\.self))
            #expect(reader.hasEnded && reader.wholeChunks == bodies.count)
        }
    }

    @Test("the form is that of RFC 9112")
    func form() {
        let wire = send([Array("data: a\n\n".utf8), [UInt8](repeating: 0x78, count: 26), []]) { $0 }.wire
        #expect(
            String(decoding: wire, as: UTF8.self)
                == "9\r\ndata: a\n\n\r\n1a\r\n\(String(repeating: "x", count: 26))\r\n0\r\n\r\n")
    }
}
