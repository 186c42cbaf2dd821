extension NodeReader {
    /// All elements of a list or set, or all keys or values of a map. Reference 0 stands for an empty collection.
    func sequence(_ root: Int64, _ form: LeafForm) throws(RealmFileError) -> [RealmValue] {
        var values: [RealmValue] = []
        if root != 0 { _ = try appendSequence(root, form, to: &values) }
        return values
    }

    /// Appends the elements of a B+ tree, or of one of its subtrees, and returns their number. Links that Realm leaves
    /// out count as well.
    private func appendSequence(
        _ ref: Int64, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) -> Int {
        let node = try node(at: ref)
        guard node.isInner else {
            let before = values.count
            try append(node, form, to: &values)
            return form.type == .link ? node.size : values.count - before
        }
        var form = form
        try descend(&form, at: ref)
        // The form of the offsets, the children, and the total.
        let slots = try slots(node, atLeast: 3)
        var ends: [Int] = []
        var count = 0
        for child in slots.values[1..<slots.count - 1] {
            count += try appendSequence(child, form, to: &values)
            ends.append(count)
        }
        let total = try self.count(slots, slots.count - 1)
        guard count == total else { throw damaged("it says \(total) elements and has \(count)", at: ref) }
        let starts = ends.dropLast()
        let isAgreed: Bool
        if slots[0] & 1 == 1 {
            let each = try self.count(slots, 0)
            isAgreed = starts.enumerated().allSatisfy { index, start in
                let (product, isOver) = each.multipliedReportingOverflow(by: index + 1)
                return !isOver && product == start
            }
        } else {
            let offsets = try integers(at: slots[0], isUnsigned: true)
            isAgreed = offsets.count >= starts.count && zip(offsets, starts).allSatisfy { $0 == Int64($1) }
        }
        guard isAgreed else { throw damaged("its children have other numbers of elements than it says", at: ref) }
        return count
    }

    /// One more level of a tree or of nested collections. One limit bounds both, because both use the stack.
    func descend(_ form: inout LeafForm, at ref: Int64) throws(RealmFileError) {
        guard form.depth < Self.depthLimit else {
            throw damaged("collections are nested too deeply, or their trees", at: ref)
        }
        form.depth += 1
    }

    /// The entries of a map. The form describes its values, which the file stores as mixed values whatever the column's
    /// type is.
    func map(_ root: Int64, keysAreIntegers: Bool, _ form: LeafForm) throws(RealmFileError) -> RealmValue {
        guard root != 0 else { return .map([]) }
        let entries = format < 23 ? try hashedEntries(root, form) : try entries(root, keysAreIntegers, form)
        guard zip(entries, entries.dropFirst()).allSatisfy({ !Self.isSame($0.key, $1.key) }) else {
            throw damaged(
                "a map has a key twice\(texts.summary == nil ? "" : ", when bytes that are not UTF-8 are left aside")",
                at: root)
        }
        if form.type != .mixed {
            for entry in entries { try check(entry.value, form, at: root) }
        }
        return .map(entries)
    }

    /// Two trees: the keys and the values.
    private func entries(
        _ root: Int64, _ keysAreIntegers: Bool, _ form: LeafForm
    ) throws(RealmFileError) -> [(key: RealmValue, value: RealmValue)] {
        let slots = try slots(at: root, atLeast: 2)
        // An empty map has no root, or empty trees.
        guard slots[0] != 0, slots[1] != 0 else { throw damaged("a map has no keys or no values", at: root) }
        let keys = try sequence(slots[0], LeafForm(type: keysAreIntegers ? .int : .string, isNullable: false))
        let values = try sequence(slots[1], .mixed(depth: form.depth))
        guard keys.count == values.count else {
            throw damaged("a map has \(keys.count) keys and \(values.count) values", at: root)
        }
        return Self.sorted(zip(keys, values).map { ($0, $1) })
    }

    /// Formats 21 and 22: a tree of clusters with two columns, in the order of a hash.
    private func hashedEntries(
        _ root: Int64, _ form: LeafForm
    ) throws(RealmFileError) -> [(key: RealmValue, value: RealmValue)] {
        var clusters = ClusterCursor(root: root, isOrdered: false)
        var entries: [(key: RealmValue, value: RealmValue)] = []
        while let cluster = try clusters.next(self) {
            guard cluster.count > 0 else { continue }
            var keys: [RealmValue] = []
            var values: [RealmValue] = []
            let strings = LeafForm(type: .string, isNullable: false)
            try append(try node(at: cluster.slots[1]), strings, to: &keys)
            try append(try node(at: cluster.slots[2]), .mixed(depth: form.depth), to: &values)
            guard keys.count == cluster.count, values.count == cluster.count else {
                throw damaged("a map has \(keys.count) keys and \(values.count) values", at: root)
            }
            for (key, value) in zip(keys, values) { entries.append((key, value)) }
        }
        return Self.sorted(entries)
    }

    private static func sorted(
        _ entries: [(key: RealmValue, value: RealmValue)]
    ) -> [(key: RealmValue, value: RealmValue)] {
        // The entries are nearly always in order.
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy { !isBelow($1.key, $0.key) }
        return isSorted ? entries : entries.sorted { isBelow($0.key, $1.key) }
    }

    /// The order of keys. Strings are compared by their bytes: Swift's comparison considers some different strings
    /// equal.
    private static func isBelow(_ a: RealmValue, _ b: RealmValue) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.int(let a), .int(let b)): a < b
        default: false
        }
    }

    private static func isSame(_ a: RealmValue, _ b: RealmValue) -> Bool { !isBelow(a, b) && !isBelow(b, a) }

    /// Throws for a value that does not have the column's type.
    private func check(_ value: RealmValue, _ form: LeafForm, at ref: Int64) throws(RealmFileError) {
        let isOfType =
            switch (value, form.type) {
            case (.null, _): form.isNullable
            case (.int, .int), (.bool, .bool), (.string, .string), (.binary, .binary), (.timestamp, .timestamp),
                (.float, .float), (.double, .double), (.decimal, .decimal), (.objectID, .objectID), (.uuid, .uuid):
                true
            case (.link(let table, _), .link): table == form.target
            default: false
            }
        guard isOfType else { throw damaged("a map has a value of another type than its column", at: ref) }
    }
}
