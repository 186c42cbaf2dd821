import HTTPMessages
import Compression
import Synchronization

/// A body that is compressed while it is sent.
///
/// - Note: ``BodySource`` guarantees that one thread at a time calls it. The lock is never contended; it makes the type
///   `Sendable` for the compiler.
final class EncodedSource: BodySource {
    private struct State {
        var encoder: Encoder?
        var isOver = false
    }

    private let state = Mutex(Lent(State()))
    private let source: any BodySource
    private let coding: Coding
    private let pool: EncoderPool

    init(_ source: any BodySource, _ coding: Coding, _ pool: EncoderPool) {
        self.source = source
        self.coding = coding
        self.pool = pool
    }

    func next() throws -> [UInt8]? {
        try state.withLock { lent in
            guard !lent.value.isOver else { return nil }
            // Not before the first piece is requested, which never happens for HEAD.
            let encoder = try lent.value.encoder ?? pool.acquire(coding)
            lent.value.encoder = encoder
            var output: [UInt8] = []
            while output.isEmpty {
                guard let piece = try source.next() else {
                    try encoder.finish(into: &output)
                    lent.value = State(isOver: true)
                    pool.put(encoder)
                    break
                }
                try piece.withUnsafeBytes { try encoder.add($0, to: &output) }
            }
            return output
        }
    }

    var bytesAtHand: Int { source.bytesAtHand }

    // An encoder may be used by one thread at a time, which the lock around it ensures.
    private struct Lent: @unchecked Sendable {
        var value: State
        init(_ value: State) { self.value = value }
    }
}
