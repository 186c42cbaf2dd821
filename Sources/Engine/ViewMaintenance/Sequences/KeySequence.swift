import Basics
package import ObjectModel

/// The objects of a result in order: a list that is cheap to copy and to change at any position.
///
/// A balanced tree whose leaves hold the keys and whose inner nodes know the number of keys below them. A copy shares
/// all nodes with its original; the first one to be changed copies the few nodes on the path to the change. Memory:
/// eight bytes a key, and up to half as many again after many changes.
package struct KeySequence: Sendable {
    private var root: KeyNode

    package init() { root = KeyNode(keys: []) }

    /// Cost: linear.
    package init(_ keys: some Sequence<ObjectKey>) {
        var builder = KeyTreeBuilder()
        for key in keys { builder.append(key) }
        root = builder.finished()
    }

    /// Cost: logarithmic, as are all changes of a single element.
    package mutating func insert(_ key: ObjectKey, at index: Int) {
        precondition(index >= 0 && index <= root.count, "There is no such position in the sequence.")
        if let right = root.insert(key, at: index) { root = KeyNode(children: [root, right]) }
    }

    @discardableResult
    package mutating func remove(at index: Int) -> ObjectKey {
        precondition(index >= 0 && index < root.count, "There is no such element in the sequence.")
        let key = root.remove(at: index)
        while root.children.count == 1 { root = root.children[0] }
        return key
    }
}

extension KeySequence: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { root.count }

    /// Cost: logarithmic.
    package subscript(index: Int) -> ObjectKey { root.key(at: index) }

    package func makeIterator() -> Iterator { Iterator(root, from: 0) }

    /// Iterates over the keys from one position on, leaf by leaf.
    package struct Iterator: IteratorProtocol {
        private var path: [(node: KeyNode, next: Int)] = []
        private var leaf: [ObjectKey] = []
        private var position = 0

        fileprivate init(_ root: KeyNode, from index: Int) {
            guard index < root.count else { return }
            var node = root
            var rest = index
            while !node.children.isEmpty {
                let child = node.child(at: &rest)
                path.append((node, child + 1))
                node = node.children[child]
            }
            leaf = node.keys
            position = rest
        }

        package mutating func next() -> ObjectKey? {
            if position == leaf.count {
                guard let following = nextLeaf() else { return nil }
                leaf = following
                position = 0
            }
            defer { position += 1 }
            return leaf[position]
        }

        /// Returns the rest of the present leaf, then whole leaves: each chunk is contiguous in memory.
        fileprivate mutating func nextChunk() -> ArraySlice<ObjectKey>? {
            if position < leaf.count {
                defer { position = leaf.count }
                return leaf[position...]
            }
            return nextLeaf()?[...]
        }

        private mutating func nextLeaf() -> [ObjectKey]? {
            while let (parent, next) = path.last {
                guard next < parent.children.count else {
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                var node = parent.children[next]
                while !node.children.isEmpty {
                    path.append((node, 1))
                    node = node.children[0]
                }
                return node.keys
            }
            return nil
        }
    }

    /// Calls `body` with the keys of a range in contiguous chunks, in order, until it returns false.
    package func forEachChunk(
        in range: Range<Int>? = nil, _ body: (ArraySlice<ObjectKey>) throws -> Bool
    ) rethrows {
        let range = range ?? 0..<count
        var rest = range.count
        var iterator = Iterator(root, from: range.lowerBound)
        while rest > 0, let chunk = iterator.nextChunk() {
            let part = chunk.prefix(rest)
            rest -= part.count
            guard try body(part) else { return }
        }
    }

    /// The keys at the positions. Cost: logarithmic, and their number.
    package func keys(in range: Range<Int>) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(range.count)
        forEachChunk(in: range) { chunk in
            keys += chunk
            return true
        }
        return keys
    }

    /// The first position whose key satisfies `isInSecondPart`, which must be false before it and true from it on; the
    /// end if none does. The keys that are tested first depend on little but the keys themselves, so that their values
    /// can be cached: they are the same after most changes.
    package func partitioningIndex(where isInSecondPart: (ObjectKey) throws -> Bool) rethrows -> Int {
        guard !isEmpty else { return 0 }
        var node = root
        var before = 0
        while !node.children.isEmpty {
            // The last child whose first key is in the first part, otherwise the first one.
            let child =
                try node.children.indices.dropFirst()
                .partitioningIndex { try isInSecondPart(node.children[$0].firstKey) } - 1
            for earlier in 0..<child { before += node.children[earlier].count }
            node = node.children[child]
        }
        return before + (try node.keys.partitioningIndex(where: isInSecondPart))
    }
}

extension KeySequence: Hashable {
    package static func == (a: KeySequence, b: KeySequence) -> Bool {
        a.count == b.count && a.elementsEqual(b)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for key in self { hasher.combine(key) }
    }
}

extension KeySequence: ExpressibleByArrayLiteral {
    package init(arrayLiteral keys: ObjectKey...) { self.init(keys) }
}

extension KeySequence: CustomStringConvertible {
    package var description: String { "\(map(\.rawValue))" }
}
