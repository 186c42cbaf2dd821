package import ObjectModel

/// The elements that `ElementBlock` wrote, read in place: a whole small collection, or one block of a large one.
/// Damaged bytes read as fewer elements.
package struct ElementRun {
    package let count: Int
    /// Positioned at the first key, or without keys at the tag.
    private let start: ByteReader
    private let hasKeys: Bool

    package init(_ bytes: UnsafeRawBufferPointer, hasKeys: Bool) {
        self.hasKeys = hasKeys
        var reader = ByteReader(bytes)
        let count = bytes.isEmpty ? 0 : (try? reader.integer(Int.self)) ?? 0
        self.count = count <= ElementBlock.countLimit || count <= bytes.count ? count : 0
        start = reader
    }

    /// Calls `body` with each element until it returns false; returns whether it reached the end.
    @inline(__always)
    package func forEach(_ body: (ValueView) throws -> Bool) rethrows -> Bool {
        guard let (tag, first) = values() else { return true }
        var reader = first
        for _ in 0..<count {
            guard let element = Self.next(tag, &reader) else { return true }
            guard try body(element) else { return false }
        }
        return true
    }

    /// Calls `body` with each link: the elements of a collection of links without the nulls of a map.
    @inline(__always)
    package func forEachLink(_ body: (ObjectKey) throws -> Bool) rethrows -> Bool {
        guard let (tag, first) = values() else { return true }
        var reader = first
        guard tag == Self.linkTag else {
            return try forEach { element in
                if case .link(let target) = element { try body(target) } else { true }
            }
        }
        for _ in 0..<count {
            guard let raw = try? reader.signed() else { return true }
            guard try body(ObjectKey(raw)) else { return false }
        }
        return true
    }

    private static let linkTag = ValueRecord.tag(of: .link(ObjectKey(0)))

    /// Calls `body` with each key until it returns false; returns whether it reached the end.
    package func forEachKey(_ body: (ValueView.Bytes) throws -> Bool) rethrows -> Bool {
        guard hasKeys else { return true }
        var reader = start
        for _ in 0..<count {
            guard let key = try? reader.span() else { return true }
            guard try body(key) else { return false }
        }
        return true
    }

    /// The element at a position; nil beyond the end. Cost: constant where all elements have one size, otherwise linear
    /// in the elements before it.
    package func element(at index: Int) -> ValueView? {
        guard index >= 0, index < count, let (tag, first) = values() else { return nil }
        var reader = first
        if let size = ValueRecord.fixedSize(ofTag: tag) {
            let (offset, overflow) = size.multipliedReportingOverflow(by: index)
            guard !overflow, (try? reader.skip(offset)) != nil else { return nil }
        } else {
            for _ in 0..<index {
                let own = tag == ElementBlock.ownTags ? try? reader.byte() : tag
                guard let own, (try? ValueRecord.skipContent(tag: own, &reader)) != nil else { return nil }
            }
        }
        return Self.next(tag, &reader)
    }

    /// The number of keys below a key, which is its position, and whether it exists. Keys ascend by their bytes.
    package func position(of key: ValueView.Bytes) -> (index: Int, isThere: Bool) {
        var index = 0
        var isThere = false
        _ = forEachKey { other in
            let order = TextPattern.order(other, key)
            if order < 0 { index += 1 } else { isThere = order == 0 }
            return order < 0
        }
        return (index, isThere)
    }

    /// The tag that all elements share, or the one for elements with their own tags, and a reader positioned after it.
    @inline(__always)
    private func values() -> (tag: UInt8, reader: ByteReader)? {
        guard count > 0 else { return nil }
        var reader = start
        if hasKeys {
            for _ in 0..<count {
                guard (try? reader.span()) != nil else { return nil }
            }
        }
        guard let tag = try? reader.byte() else { return nil }
        return (tag, reader)
    }

    @inline(__always)
    private static func next(_ tag: UInt8, _ reader: inout ByteReader) -> ValueView? {
        guard tag == ElementBlock.ownTags || tag == 13 || tag == 14 else {
            return try? ValueView.read(tag: tag, &reader)
        }
        // Reading the beginning of a nested collection does not skip it.
        guard let own = tag == ElementBlock.ownTags ? try? reader.byte() : tag else { return nil }
        var content = reader
        guard let element = try? ValueView.read(tag: own, &content),
            (try? ValueRecord.skipContent(tag: own, &reader)) != nil
        else { return nil }
        return element
    }
}
