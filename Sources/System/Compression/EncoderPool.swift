import Synchronization

/// Keeps encoders for reuse. Any thread may use it.
package final class EncoderPool: Sendable {
    private let idle = Mutex<[Coding: [Idle]]>([:])
    private let limit: Int

    /// - Parameter limit: the number of encoders of each coding to keep; each holds up to 1.5 MB.
    package init(limit: Int = 4) { self.limit = limit }

    /// Takes an encoder, fresh, for the caller alone. Return it with `put`; one that is not returned is only lost to
    /// the pool.
    package func acquire(_ coding: Coding) throws(CompressionError) -> Encoder {
        if let pooled = idle.withLock({ $0[coding]?.popLast() }) { return pooled.encoder }
        return try Encoder(coding)
    }

    /// Returns an encoder, in any state, that the caller does not use again.
    package func put(_ encoder: Encoder) {
        guard (try? encoder.reset()) != nil else { return }
        let coding = encoder.coding
        let pooled = Idle(encoder: encoder)
        idle.withLock { idle in
            guard idle[coding, default: []].count < limit else { return }
            idle[coding, default: []].append(pooled)
        }
    }

    /// Compresses bytes as a whole.
    package func encode(_ bytes: UnsafeRawBufferPointer, _ coding: Coding) throws(CompressionError) -> [UInt8] {
        let encoder = try acquire(coding)
        let encoded = try encoder.encode(bytes)
        put(encoder)
        return encoded
    }

    /// An encoder that nobody uses.
    // Whoever returned it does not use it again, and the pool gives it to one caller, so no two threads use it at once.
    private struct Idle: @unchecked Sendable {
        let encoder: Encoder
    }
}
