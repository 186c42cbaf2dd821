/// A live mask that a writer changes.
package struct MutableLiveMask: Sendable {
    package private(set) var slotCount = 0
    package private(set) var liveCount = 0
    private var words: [UInt64] = []

    package init() {}

    package init(decoding mask: LiveMask) {
        slotCount = mask.slotCount
        words = (0..<mask.wordCount).map { mask.word($0) }
        liveCount = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// Adds a slot that holds an object.
    package mutating func append() {
        if slotCount & 63 == 0 { words.append(0) }
        words[slotCount >> 6] |= 1 << UInt64(slotCount & 63)
        slotCount += 1
        liveCount += 1
    }

    /// Marks a slot as removed; returns whether it held an object.
    @discardableResult
    package mutating func remove(_ slot: Int) -> Bool {
        guard isLive(slot) else { return false }
        words[slot >> 6] &= ~(1 << UInt64(slot & 63))
        liveCount -= 1
        return true
    }

    /// Marks a removed slot live again, when its removal is undone.
    package mutating func restore(_ slot: Int) {
        guard slot < slotCount, !isLive(slot) else { return }
        words[slot >> 6] |= 1 << UInt64(slot & 63)
        liveCount += 1
    }

    /// The bits of 64 slots that the cluster has.
    func word(_ index: Int) -> UInt64 { words[index] }

    /// Returns false also for slots that the cluster does not have.
    package func isLive(_ slot: Int) -> Bool {
        slot >= 0 && slot < slotCount && words[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    /// Whether a slot is live. Mutating, so that the mask is not copied for the call.
    package mutating func isLiveInPlace(_ slot: Int) -> Bool { isLive(slot) }

    package func encode() -> [UInt8] {
        let size = LiveMask.headerSize + words.count * 8
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: UInt16(truncatingIfNeeded: slotCount), toByteOffset: 0, as: UInt16.self)
            raw.storeBytes(of: UInt16(truncatingIfNeeded: liveCount), toByteOffset: 2, as: UInt16.self)
            raw.storeBytes(of: UInt32(LiveMask.format), toByteOffset: 4, as: UInt32.self)
            for (index, word) in words.enumerated() {
                raw.storeBytes(of: word, toByteOffset: LiveMask.headerSize + index * 8, as: UInt64.self)
            }
            initialized = size
        }
    }
}
