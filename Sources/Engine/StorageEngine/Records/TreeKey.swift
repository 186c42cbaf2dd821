package import ObjectModel

/// A key under construction.
package struct TreeKey {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 32) { bytes.reserveCapacity(capacity) }

    package mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

    package mutating func append(_ key: ObjectKey) { append(UInt64(bitPattern: key.rawValue)) }

    /// The prefix of the backlinks from one property to one object; `targetClass` is given for mixed properties.
    package static func backlinks(
        from origin: ClassID, _ property: PropertyID, to target: ObjectKey, targetClass: ClassID? = nil
    ) -> TreeKey {
        var key = entries(of: origin, property)
        if let targetClass { key.append(targetClass.rawValue) }
        key.append(target)
        return key
    }

    /// The prefix of a word's entries in a full-text index. A word contains no zero byte, so none is a prefix of
    /// another.
    package static func word(_ word: [UInt8], of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = entries(of: classID, property)
        key.append(contentsOf: word)
        key.append(UInt8(0))
        return key
    }

    /// The key of the block of an Int primary key; see `KeyBlock`.
    static func keyBlock(of classID: ClassID, _ property: PropertyID, _ block: Int64) -> TreeKey {
        var key = entries(of: classID, property)
        // The block's number has 56 bits, so the first byte is free to mark it as not null.
        key.append(UInt64(bitPattern: block ^ (-1 << 55)) & (1 << 56 - 1) | 1 << 56)
        return key
    }

    /// The key of the object whose Int primary key is null.
    static func nullKey(of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = entries(of: classID, property)
        key.append(UInt8(0))
        return key
    }

    /// The prefix of all entries of a property in the index, or in the backlinks as their origin.
    package static func entries(of classID: ClassID, _ property: PropertyID) -> TreeKey {
        var key = TreeKey()
        key.append(classID.rawValue)
        key.append(property.rawValue)
        return key
    }
}
