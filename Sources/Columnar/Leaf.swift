package import ObjectModel

/// What a leaf's values are; decides its encodings.
package enum LeafKind: UInt8, Sendable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case string = 5
    case date = 6
    case objectId = 7
    case uuid = 8
    case link = 9
}

/// The values of one property of one cluster, read in place from memory that somebody else keeps alive.
package struct Leaf: @unchecked Sendable {
    package let kind: LeafKind
    package let bytes: UnsafeRawBufferPointer
}

/// Which slots of a cluster hold objects, read in place.
package struct LiveMask: @unchecked Sendable {
    package let words: UnsafeBufferPointer<UInt64>
    package let slotCount: Int
    package let liveCount: Int
}
