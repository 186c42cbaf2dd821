import Columnar
package import ObjectModel
import QueryLanguage

/// Assigns a number to every distinct value at the end of a path, counting up from 0: values have the same number when
/// they are equal in the total order. Used by one thread at a time.
final class ValueNumbering {
    /// Represents a null link on the path.
    static let nullLink = -1

    private let reader: PathReader
    /// The property itself when its values are read from its column.
    let property: PropertyID?
    private let column: ColumnReader?
    /// What the first link of the path leads to, where that decides the value.
    private let firstLink: FirstLink?
    /// By number: the first value that had it.
    private(set) var values: [Value] = []
    /// The numbers of values that are equal without being the same, such as 0 and -0; nil if nobody asks.
    private(set) var mixed: Set<Int>?
    private var nullNumber: Int?
    private var others: [Value: Int] = [:]
    private var bytes = ByteNumbering()
    private var words = WordNumbering()
    /// The numbers of `bytes`' entries and of `words`' pairs.
    private var byteNumbers: [Int] = []
    private var wordNumbers: [Int] = []

    /// - Parameter notesMixed: whether `mixed` is noted, where the type has such values.
    init(_ path: BoundPath, from classID: ClassID, in source: any ColumnSource, notesMixed: Bool = false) {
        reader = PathReader(path, from: classID, in: source)
        property = path.column
        column = property.map { ColumnReader(source, classID, $0) }
        if property == nil, !path.isToMany, case .forward(let link, _)? = path.links.first {
            firstLink = FirstLink(ColumnReader(source, classID, link))
        } else {
            firstLink = nil
        }
        if notesMixed, path.valueType.base.hasEqualForms { mixed = [] }
    }

    /// The number of an object's value, or `nullLink`.
    func number(of key: ObjectKey) throws -> Int {
        if let column {
            guard let (leaf, slot) = try column.location(key), !leaf.isNull(slot) else { return null() }
            let number = number(leaf, slot)
            if mixed != nil { record(leaf.value(at: slot), number) }
            return number
        }
        guard let firstLink else { return try readNumber(of: key) }
        return try firstLink.number(try firstLink.column.link(key)) { try readNumber(of: key) }
    }

    private func readNumber(of key: ObjectKey) throws -> Int {
        guard let value = try reader.single(key) else { return Self.nullLink }
        let number = number(value)
        if mixed != nil { record(value, number) }
        return number
    }

    /// Writes the number of each selected slot of a cluster to `numbers`, by slot; `nullLink` where a link on the path
    /// is null.
    func fill(_ numbers: UnsafeMutablePointer<Int32>, _ cluster: ClusterView, _ mask: SelectionMask) throws {
        if let property { return fill(numbers, try cluster.leaf(property), mask) }
        let first = Int64(cluster.firstKey)
        guard let firstLink else {
            return try mask.forEach { slot in
                numbers[slot] = Int32(truncatingIfNeeded: try readNumber(of: ObjectKey(first + Int64(slot))))
            }
        }
        let leaf = try cluster.leaf(firstLink.column.property)
        let hasLinks = leaf.kind == .link
        try mask.forEach { slot in
            let target = hasLinks && !leaf.isNull(slot) ? leaf.link(at: slot) : nil
            let number = try firstLink.number(target) { try readNumber(of: ObjectKey(first + Int64(slot))) }
            numbers[slot] = Int32(truncatingIfNeeded: number)
        }
    }

    /// Notes whether a value with a number is another one than the first that had it.
    private func record(_ value: Value, _ number: Int) { if values[number] != value { mixed?.insert(number) } }

    /// Notes the same of the selected slots of a column, whose numbers are known.
    private func noteMixed(_ numbers: UnsafeMutablePointer<Int32>, _ leaf: Leaf, _ mask: SelectionMask) {
        mask.forEach { slot in
            let number = Int(numbers[slot])
            if leaf.kind == .double, case .double(let first) = values[number],
                first.bitPattern == leaf.double(at: slot).bitPattern
            {
                return
            }
            record(leaf.value(at: slot), number)
        }
    }

    /// Writes the number of each selected slot of a column to `numbers`, by slot. Values of unselected slots may get
    /// numbers, too.
    private func fill(_ numbers: UnsafeMutablePointer<Int32>, _ leaf: Leaf, _ mask: SelectionMask) {
        defer { if mixed != nil { noteMixed(numbers, leaf, mask) } }
        let isNullable = leaf.nullCount > 0
        let null = Int32(truncatingIfNeeded: isNullable ? self.null() : 0)
        guard let codeCount = leaf.codeCount else {
            return mask.forEach { slot in
                numbers[slot] =
                    isNullable && leaf.isNull(slot) ? null : Int32(truncatingIfNeeded: number(leaf, slot))
            }
        }
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: codeCount) { codes in
            codes.initialize(repeating: -1)
            mask.forEach { slot in
                if isNullable, leaf.isNull(slot) { return numbers[slot] = null }
                let code = leaf.code(at: slot)
                if codes[code] < 0 { codes[code] = Int32(truncatingIfNeeded: number(leaf, slot)) }
                numbers[slot] = codes[code]
            }
        }
    }

    /// Whether every selected slot has a known number: true only when that is certain without reading each slot.
    func hasOnlyKnown(_ leaf: Leaf, isKnown: (Int) -> Bool) -> Bool {
        guard let entryCount = leaf.dictionaryCount else { return false }
        if leaf.nullCount > 0 {
            guard let nullNumber, isKnown(nullNumber) else { return false }
        }
        guard leaf.kind != .mixed else { return false }
        for code in 0..<entryCount {
            let (entry, isNew) = bytes.number(of: leaf.dictionaryEntry(code))
            if isNew { byteNumbers.append(add(leaf.dictionaryValue(code))) }
            if !isKnown(byteNumbers[entry]) { return false }
        }
        return true
    }

    /// The number of null.
    func null() -> Int {
        if let nullNumber { return nullNumber }
        nullNumber = values.count
        values.append(.null)
        return values.count - 1
    }

    /// The number of a slot that is not null. A column has values of one kind, so that each kind can have a table of
    /// its own.
    private func number(_ leaf: Leaf, _ slot: Int) -> Int {
        switch leaf.kind {
        case .string, .data:
            let (entry, isNew) = bytes.number(of: leaf.utf8(at: slot))
            if isNew { byteNumbers.append(add(leaf.value(at: slot))) }
            return byteNumbers[entry]
        case .bool: return number(leaf, slot, leaf.bool(at: slot) ? 1 : 0)
        case .int: return number(leaf, slot, UInt64(bitPattern: leaf.int(at: slot)))
        case .link: return number(leaf, slot, UInt64(bitPattern: leaf.link(at: slot).rawValue))
        case .float: return number(leaf, slot, Self.bits(Double(leaf.float(at: slot))))
        case .double: return number(leaf, slot, Self.bits(leaf.double(at: slot)))
        case .date:
            let date = leaf.date(at: slot)
            return number(leaf, slot, UInt64(bitPattern: date.seconds), UInt64(bitPattern: Int64(date.nanoseconds)))
        case .objectId:
            let id = leaf.objectId(at: slot)
            return number(leaf, slot, UInt64(id.high), id.low)
        case .uuid:
            let id = leaf.uuid(at: slot)
            return number(leaf, slot, id.high, id.low)
        case .decimal128:
            let canonical = leaf.decimal(at: slot).canonical
            return number(leaf, slot, canonical.high, canonical.low)
        case .mixed, .list, .set, .map: return number(leaf.value(at: slot))
        }
    }

    @inline(__always)
    private func number(_ leaf: Leaf, _ slot: Int, _ first: UInt64, _ second: UInt64 = 0) -> Int {
        let (entry, isNew) = words.number(of: first, second)
        if isNew { wordNumbers.append(add(leaf.value(at: slot))) }
        return wordNumbers[entry]
    }

    private func number(_ value: Value) -> Int {
        if value.isNull { return null() }
        let form = value.distinctForm
        if let known = others[form] { return known }
        let number = add(value)
        others[form] = number
        return number
    }

    private func add(_ value: Value) -> Int {
        values.append(value)
        return values.count - 1
    }

    private static func bits(_ number: Double) -> UInt64 { number.isNaN ? ~0 : (number + 0).bitPattern }
}

/// The first link of a path that is not to-many, and the numbers of the values that its targets lead to. All objects that
/// link to one target have one value at the end of the path, so the path is read once for each target.
///
/// Memory: some 40 bytes for each target that was met, of which there are at most as many as objects.
private final class FirstLink {
    let column: ColumnReader
    private var targets = WordNumbering()
    private var numbers: [Int] = []
    private var numberOfNull: Int?

    init(_ column: ColumnReader) { self.column = column }

    /// The number of the value that a target leads to, which a block reads unless the target was met before. The target
    /// is nil for a null link.
    @inline(__always)
    func number(_ target: ObjectKey?, read: () throws -> Int) rethrows -> Int {
        guard let target else {
            if let numberOfNull { return numberOfNull }
            let number = try read()
            numberOfNull = number
            return number
        }
        let (index, isNew) = targets.number(of: UInt64(bitPattern: target.rawValue))
        guard isNew else { return numbers[index] }
        numbers.append(ValueNumbering.nullLink)
        let number = try read()
        numbers[index] = number
        return number
    }
}

/// The numbers of combinations of values at several paths. Used by one thread at a time.
final class CombinationNumbering {
    private let parts: [ValueNumbering]
    /// The pairs of the first two parts, of those with the third, and so on.
    private var pairs: [WordNumbering]
    /// By number: the numbers of the parts. Kept only for several parts.
    private var combinations: [[Int]] = []
    private let spare: [UnsafeMutablePointer<Int32>]
    private let keepsNullLinks: Bool

    /// With `keepsNullLinks` a null link on a path counts as null; otherwise there is no number.
    ///
    /// - Parameter notesMixed: whether `mixedForms` are noted.
    init(
        _ paths: [BoundPath], from classID: ClassID, in source: any ColumnSource, keepsNullLinks: Bool,
        notesMixed: Bool = false
    ) {
        parts = paths.map { ValueNumbering($0, from: classID, in: source, notesMixed: notesMixed) }
        pairs = paths.dropFirst().map { _ in WordNumbering() }
        spare = paths.dropFirst().map { _ in .allocate(capacity: source.clusterCapacity) }
        self.keepsNullLinks = keepsNullLinks
    }

    deinit { for words in spare { words.deallocate() } }

    /// One more than the highest number so far.
    var count: Int { parts.count == 1 ? parts[0].values.count : combinations.count }

    func number(of key: ObjectKey) throws -> Int? {
        var numbers: [Int] = []
        if parts.count > 1 { numbers.reserveCapacity(parts.count) }
        for part in parts {
            var number = try part.number(of: key)
            if number < 0 {
                guard keepsNullLinks else { return nil }
                number = part.null()
            }
            if parts.count == 1 { return number }
            numbers.append(number)
        }
        return combine(numbers)
    }

    /// Writes the number of each selected slot to `numbers`, by slot; -1 where there is none.
    func fill(_ numbers: UnsafeMutablePointer<Int32>, _ cluster: ClusterView, _ mask: SelectionMask) throws {
        guard !parts.isEmpty else {
            let only = Int32(combine([]))
            return mask.forEach { numbers[$0] = only }
        }
        for (index, part) in parts.enumerated() {
            try fill(index == 0 ? numbers : spare[index - 1], part, cluster, mask)
        }
        if parts.count == 1 { return }
        var combination = [Int](repeating: 0, count: parts.count)
        mask.forEach { slot in
            combination[0] = Int(numbers[slot])
            for index in 1..<parts.count { combination[index] = Int(spare[index - 1][slot]) }
            numbers[slot] = combination.contains { $0 < 0 } ? -1 : Int32(truncatingIfNeeded: combine(combination))
        }
    }

    private func fill(
        _ numbers: UnsafeMutablePointer<Int32>, _ part: ValueNumbering, _ cluster: ClusterView, _ mask: SelectionMask
    ) throws {
        try part.fill(numbers, cluster, mask)
        guard keepsNullLinks, part.property == nil else { return }
        mask.forEach { slot in
            if numbers[slot] < 0 { numbers[slot] = Int32(truncatingIfNeeded: part.null()) }
        }
    }

    /// Whether every selected slot has a known number; true only when that is certain without reading each slot.
    func hasOnlyKnown(_ cluster: ClusterView, isKnown: (Int) -> Bool) throws -> Bool {
        guard parts.count == 1, let property = parts[0].property else { return false }
        return parts[0].hasOnlyKnown(try cluster.leaf(property), isKnown: isKnown)
    }

    /// The values of a combination.
    func values(of number: Int) -> [Value] {
        if parts.count == 1 { return [parts[0].values[number]] }
        return zip(parts, combinations[number]).map { $0.values[$1] }
    }

    /// By path: the values, in the form that equal ones have in common, of which others were there that are equal
    /// without being the same.
    var mixedForms: [Set<Value>] {
        parts.map { part in Set((part.mixed ?? []).map { part.values[$0].distinctForm }) }
    }

    private func combine(_ numbers: [Int]) -> Int {
        guard var number = numbers.first else {
            // Without any path all objects are in one group.
            if combinations.isEmpty { combinations.append([]) }
            return 0
        }
        if numbers.count == 1 { return number }
        for (index, next) in numbers.enumerated().dropFirst() {
            number = pairs[index - 1].number(of: UInt64(number), UInt64(next)).number
        }
        if number == combinations.count { combinations.append(numbers) }
        return number
    }
}

extension BaseType {
    /// Whether values of this type can be equal in the order without being the same.
    package var hasEqualForms: Bool {
        switch self {
        case .float, .double, .decimal128, .mixed: true
        default: false
        }
    }
}
