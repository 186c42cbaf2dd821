/// A set of a class's properties: one word for the first 64, more words only when needed.
package struct PropertySet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    package init(_ members: some Sequence<PropertyID>) {
        for member in members { insert(member) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    package func contains(_ id: PropertyID) -> Bool {
        let (word, bit) = Self.location(id)
        if word == 0 { return low & bit != 0 }
        return word <= high.count && high[word - 1] & bit != 0
    }

    package mutating func insert(_ id: PropertyID) {
        let (word, bit) = Self.location(id)
        if word == 0 {
            low |= bit
        } else {
            while high.count < word { high.append(0) }
            high[word - 1] |= bit
        }
    }

    package mutating func formUnion(_ other: PropertySet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (index, word) in other.high.enumerated() { high[index] |= word }
    }

    package func intersects(_ other: PropertySet) -> Bool {
        low & other.low != 0 || zip(high, other.high).contains { $0 & $1 != 0 }
    }

    /// The members, ascending.
    package var members: [PropertyID] {
        var result: [PropertyID] = []
        for (index, start) in ([low] + high).enumerated() {
            var word = start
            while word != 0 {
                result.append(PropertyID(UInt16(index * 64 + word.trailingZeroBitCount)))
                word &= word - 1
            }
        }
        return result
    }

    private static func location(_ id: PropertyID) -> (word: Int, bit: UInt64) {
        (Int(id.rawValue) / 64, 1 << (UInt64(id.rawValue) % 64))
    }
}
