import Basics
import Columnar
import ObjectModel

/// A list, set or map of one object, read in place: in its leaf, or, when it is large, block by block outside.
struct StoredCollection {
    private enum Location {
        case run(ElementRun)
        case blocks(any ColumnSource, ClassID, ObjectKey, PropertyID)
    }

    /// The number of elements.
    let count: Int
    let isMap: Bool
    private let location: Location

    /// The collection in a slot of a leaf of collections. Null is an empty one.
    init(
        _ leaf: Leaf, _ slot: Int, _ source: any ColumnSource, _ classID: ClassID, _ key: ObjectKey,
        _ property: PropertyID
    ) {
        isMap = leaf.kind == .map
        if leaf.isOverflow(slot) {
            count = leaf.overflowSize(slot)
            location = .blocks(source, classID, key, property)
        } else {
            // The bytes of a null slot may be another object's.
            let bytes = leaf.isNull(slot) ? UnsafeBufferPointer(start: nil, count: 0) : leaf.utf8(at: slot)
            let run = ElementRun(UnsafeRawBufferPointer(bytes), hasKeys: leaf.kind == .map)
            count = run.count
            location = .run(run)
        }
    }

    /// Calls `body` with each element, or value of a map, in order until it returns false; returns whether it reached
    /// the end.
    @inline(__always)
    func forEach(_ body: (ValueView) throws -> Bool) throws -> Bool { try forEachRun { try $0.forEach(body) } }

    /// Calls `body` with the links alone, for a collection of links.
    @inline(__always)
    func forEachLink(_ body: (ObjectKey) throws -> Bool) throws -> Bool { try forEachRun { try $0.forEachLink(body) } }

    /// Calls `body` with the keys of a map, ascending.
    func forEachKey(_ body: (ValueView.Bytes) throws -> Bool) throws -> Bool {
        try forEachRun { try $0.forEachKey(body) }
    }

    @inline(__always)
    private func forEachRun(_ body: (ElementRun) throws -> Bool) throws -> Bool {
        switch location {
        case .run(let run):
            return try body(run)
        case .blocks(let source, let classID, let key, let property):
            for block in try source.overflowBlocks(of: classID, key, property) {
                guard try body(try run(block.number, source, classID, key, property)) else { return false }
            }
            return true
        }
    }

    /// Returns nil beyond the end.
    func element(at index: Int) throws -> ValueView? {
        guard index >= 0, index < count else { return nil }
        switch location {
        case .run(let run):
            return run.element(at: index)
        case .blocks(let source, let classID, let key, let property):
            var rest = index
            for block in try source.overflowBlocks(of: classID, key, property) {
                if rest < block.count {
                    return try run(block.number, source, classID, key, property).element(at: rest)
                }
                rest -= block.count
            }
            return nil
        }
    }

    /// The value of a map for a key; nil when it is absent.
    func element(for wanted: ValueView.Bytes) throws -> ValueView? {
        switch location {
        case .run(let run):
            let (index, isThere) = run.position(of: wanted)
            return isThere ? run.element(at: index) : nil
        case .blocks(let source, let classID, let key, let property):
            let blocks = try source.overflowBlocks(of: classID, key, property)
            guard !blocks.isEmpty else { return nil }
            // The last block whose first key is not above the key.
            let following = try blocks.dropFirst().partitioningIndex { block in
                var isBehind = false
                _ = try run(block.number, source, classID, key, property).forEachKey {
                    isBehind = TextPattern.order($0, wanted) > 0
                    return false
                }
                return isBehind
            }
            let found = try run(blocks[following - 1].number, source, classID, key, property)
            let (index, isThere) = found.position(of: wanted)
            return isThere ? found.element(at: index) : nil
        }
    }

    private func run(
        _ number: UInt32, _ source: any ColumnSource, _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> ElementRun {
        ElementRun(try source.overflowBlock(number, of: classID, key, property), hasKeys: isMap)
    }
}
