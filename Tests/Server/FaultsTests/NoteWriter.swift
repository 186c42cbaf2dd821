import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import Synchronization
import TestBasics
import Testing

/// Writes notes with ids of its own, on a thread of its own, until its address is over, and keeps what was acknowledged.
final class NoteWriter: Sendable {
    struct State {
        var acknowledged: Set<Int> = []
        var faults: [String] = []
    }
    let number: Int
    let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    init(_ number: Int, to address: ChangingAddress, every microseconds: UInt32) {
        self.number = number
        Thread.detachNewThread { [self] in
            var id = number * 1_000_000
            while !address.over {
                guard let port = address.port, let client = try? LoopbackClient(port: port) else {
                    usleep(2_000)
                    continue
                }
                // A killed gateway closes the connection: whether the last note was stored is not known.
                while !address.over {
                    id += 1
                    let body = #"{"id": \#(id), "text": "n\#(id % 7)", "weight": \#(id * 31 % 100)}"#
                    guard let answer = try? client.send("POST", "/v1/objects/Note", body: body) else { break }
                    state.withLock { state in
                        if answer.status == 201 {
                            state.acknowledged.insert(id)
                        } else if answer.status != 503 {
                            state.faults.append(answer.text)
                        }
                    }
                    usleep(microseconds)
                }
            }
            done.signal()
        }
    }

    func wait() { done.wait() }

    /// The number of acknowledged notes.
    var count: Int { state.withLock { $0.acknowledged.count } }

    /// Waits until all together wrote so many more notes, and each of them one at least.
    static func wait(for more: Int, of writers: [NoteWriter]) {
        func count() -> Int { writers.reduce(0) { $0 + $1.count } }
        let enough = count() + more
        #expect(eventually { count() >= enough && writers.allSatisfy { $0.count > 0 } }, "notes are written")
    }

    /// Records an issue when a note was refused, or an acknowledged one is not among those of a gateway.
    static func check(_ writers: [NoteWriter], on host: SharedHost, seed: UInt64) throws {
        let stored = try Set(host.notes().map(id))
        for writer in writers {
            let state = writer.state.withLock { $0 }
            #expect(state.faults.isEmpty, "seed \(seed): \(state.faults.prefix(3))")
            #expect(!state.acknowledged.isEmpty)
            #expect(state.acknowledged.subtracting(stored).isEmpty, "seed \(seed): acknowledged notes are lost")
        }
    }

    private static func id(_ note: String) throws -> Int {
        let json = try JSONSerialization.jsonObject(with: Data(note.utf8)) as? [String: Any]
        return try #require((json?["id"] as? NSNumber)?.intValue)
    }
}
