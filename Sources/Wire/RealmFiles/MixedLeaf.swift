import ObjectModel

/// The kinds of values in a mixed one. The numbers are those of the types of columns.
private enum MixedKind: Int64 {
    case int = 0
    case bool = 1
    case string = 2
    case binary = 4
    case timestamp = 8
    case float = 9
    case double = 10
    case decimal = 11
    case objectID = 15
    case link = 16
    case uuid = 17
    case list = 19
    case map = 21
}

extension NodeReader {
    /// A leaf of values of any kind: a code for each, and lists of what has no room in a code.
    func appendMixed(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        let leaf = try MixedLeaf(node, self)
        for code in leaf.codes { values.append(try value(code, leaf, form)) }
    }

    private func value(_ code: Int64, _ leaf: MixedLeaf, _ form: LeafForm) throws(RealmFileError) -> RealmValue {
        if code == 0 { return .null }
        guard let kind = MixedKind(rawValue: code & 31 - 1) else {
            throw damaged("a value is of the unknown kind \(code & 31 - 1)", at: leaf.node.ref)
        }
        // The number itself for small ones, otherwise the index in one of the lists.
        let number = code >> 8
        switch kind {
        case .int: return .int(code >> 5 & 7 == 0 ? number : try element(leaf.numbers, number, leaf))
        case .bool: return .bool(number != 0)
        case .float:
            let bits = UInt32(truncatingIfNeeded: try element(leaf.numbers, number, leaf))
            return .float(Float(bitPattern: bits))
        case .double:
            return .double(Double(bitPattern: UInt64(bitPattern: try element(leaf.numbers, number, leaf))))
        case .timestamp:
            let pair = try pair(number, leaf)
            return try timestamp(leaf.node, pair.first, pair.second)
        case .decimal:
            let pair = try pair(number, leaf)
            let decimal = DecimalEncodings.decimal128(
                low: UInt64(bitPattern: pair.first), high: UInt64(bitPattern: pair.second))
            if let decimal { return .decimal(decimal) }
            return .null
        case .link:
            let pair = try pair(number, leaf)
            guard let table = UInt32(exactly: pair.first) else {
                throw damaged("a link leads to table \(pair.first)", at: leaf.node.ref)
            }
            return try link(to: pair.second, of: table, at: leaf.node.ref)
        case .string:
            if let text = try text(try element(leaf.texts, number, leaf)) { return .string(text) }
        case .binary:
            if let bytes = try bytes(try element(leaf.texts, number, leaf)) { return .binary(bytes) }
        case .objectID:
            if let id = try bytes(try element(leaf.texts, number, leaf)).flatMap({ ObjectId(bytes: $0) }) {
                return .objectID(id)
            }
        case .uuid:
            if let id = try bytes(try element(leaf.texts, number, leaf)).flatMap({ UUIDValue(bytes: $0) }) {
                return .uuid(id)
            }
        case .list, .map:
            let root = try element(leaf.collections, number, leaf)
            var inner = LeafForm.mixed(depth: form.depth)
            try descend(&inner, at: leaf.node.ref)
            return kind == .list
                ? .list(try sequence(root, inner)) : try map(root, keysAreIntegers: false, inner)
        }
        throw damaged("a value is not of its kind's length", at: leaf.node.ref)
    }

    private func element<Element>(
        _ list: [Element], _ index: Int64, _ leaf: MixedLeaf
    ) throws(RealmFileError) -> Element {
        guard index >= 0, index < list.count else {
            throw damaged("it has element \(index) of \(list.count)", at: leaf.node.ref)
        }
        return list[Int(index)]
    }

    private func pair(_ index: Int64, _ leaf: MixedLeaf) throws(RealmFileError) -> (first: Int64, second: Int64) {
        // A code's number has 56 bits.
        (try element(leaf.pairs, 2 * index, leaf), try element(leaf.pairs, 2 * index + 1, leaf))
    }
}

/// The parts of a leaf of mixed values.
private struct MixedLeaf {
    let node: Node
    let codes: [Int64]
    let numbers: [Int64]
    let pairs: [Int64]
    let texts: [Cell]
    let collections: [Int64]

    init(_ node: Node, _ reader: NodeReader) throws(RealmFileError) {
        let slots = try reader.slots(node, atLeast: 4)
        self.node = node
        codes = try reader.integers(at: slots[0])
        numbers = slots[1] == 0 ? [] : try reader.integers(at: slots[1])
        pairs = slots[2] == 0 ? [] : try reader.integers(at: slots[2])
        // Bytes of all kinds lie here as if they were strings.
        texts = slots[3] == 0 ? [] : try reader.cells(try reader.node(at: slots[3]), hasFinalZero: true)
        collections = slots[4] == 0 ? [] : try reader.slots(at: slots[4]).values
    }
}
