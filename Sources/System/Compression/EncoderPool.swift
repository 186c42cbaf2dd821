import Synchronization

/// Encoders that wait for their next use. Any thread may use it.
package final class EncoderPool: Sendable {
    private let idle = Mutex<[Coding: [Idle]]>([:])
    private let limit: Int

    /// - Parameter limit: encoders of each coding that are kept; each holds up to 1.5 MB.
    package init(limit: Int = 4) { self.limit = limit }

    /// An encoder for the caller alone, fresh. Give it back with `put`; one that is not given back is only lost.
    package func take(_ coding: Coding) throws(CompressionError) -> Encoder {
        if let kept = idle.withLock({ $0[coding]?.popLast() }) { return kept.encoder }
        return try Encoder(coding)
    }

    /// Gives back what the caller is done with, in whatever state, and does not touch again.
    package func put(_ encoder: Encoder) {
        guard (try? encoder.reset()) != nil else { return }
        let coding = encoder.coding
        let kept = Idle(encoder: encoder)
        idle.withLock { idle in
            guard idle[coding, default: []].count < limit else { return }
            idle[coding, default: []].append(kept)
        }
    }

    /// The compressed form of bytes as a whole.
    package func encode(_ bytes: UnsafeRawBufferPointer, _ coding: Coding) throws(CompressionError) -> [UInt8] {
        let encoder = try take(coding)
        let encoded = try encoder.encode(bytes)
        put(encoder)
        return encoded
    }

    /// An encoder that nobody uses.
    // Whoever gave it back does not touch it again, and the pool hands it to one taker, so no two threads use it at once.
    private struct Idle: @unchecked Sendable {
        let encoder: Encoder
    }
}
