import Columnar
import ObjectModel

/// Reads a leaf in all the ways that queries and writers do.
struct LeafProbe {
    private let leaf: Leaf
    private let kind: LeafKind
    /// Leaves of width 0 may claim many slots; some of them, and the last, are enough.
    private let slots: Set<Int>

    init(_ leaf: Leaf, _ kind: LeafKind) {
        self.leaf = leaf
        self.kind = kind
        let some = 0..<min(leaf.count, 300)
        slots = Set(some.map { leaf.count - 1 - $0 } + some)
    }

    func readEverything() {
        var total = 0
        for slot in slots {
            if leaf.value(at: slot).isNull { total += 1 }
            if kind.isBytes { total += leaf.utf8(at: slot).reduce(0) { $0 &+ Int($1) } }
        }
        if leaf.count <= 2000 { change(MutableLeaf(decoding: leaf)) }
        scan()
    }

    /// As a writer does: decoded, changed, and encoded.
    private func change(_ decoded: MutableLeaf) {
        var changed = decoded
        let bytes = changed.encode()
        guard let same = bytes.withUnsafeBytes({ try? Leaf(validating: $0, kind: kind).count }) else {
            preconditionFailure("a leaf of \(kind) is refused when it is written again")
        }
        precondition(same == leaf.count)
        if leaf.count > 0 { try? changed.set(leaf.count - 1, .null) }
        try? changed.append(.null)
        _ = changed.encode()
    }

    /// As queries do.
    private func scan() {
        let mask = SelectionMask(capacity: leaf.count)
        let scratch = SelectionMask(capacity: leaf.count)
        mask.reset(slotCount: leaf.count)
        for slot in slots { mask.insert(slot) }
        switch kind {
        case .bool, .int: leaf.narrow(mask, integers: 0, through: 9, inverted: false, scratch: scratch)
        case .link:
            var keys = KeyBitmap(limit: 1000)
            keys.insert(ObjectKey(3))
            leaf.narrow(mask, links: keys, inverted: true, scratch: scratch)
            leaf.collectLinks(mask, into: &keys)
        case .float: leaf.narrow(mask, floats: 0, through: 9, inverted: false, scratch: scratch)
        case .double: leaf.narrow(mask, doubles: 0, through: 9, inverted: false, scratch: scratch)
        case .date:
            leaf.narrow(mask, dates: .epoch, through: Timestamp(seconds: 1 << 33), inverted: false, scratch: scratch)
        case .string: leaf.narrow(mask, texts: TextPattern(.contains, "a"), inverted: true, scratch: scratch)
        case .objectId, .uuid, .decimal128, .data, .mixed: leaf.narrow(mask, toNulls: false)
        case .list, .set, .map: for slot in slots { _ = leaf.elements(at: slot).count }
        }
        _ = leaf.bounds(mask, scratch: scratch)
        if kind == .int { _ = leaf.integerSum(mask, scratch: scratch) }
    }
}
