import Columnar
import ObjectModel
import QueryLanguage

/// Gives every distinct value at the end of a path a number, counting up from 0: values have the same number when they
/// are equal in the total order. Used by one thread at a time.
final class ValueNumbering {
    /// What stands for a null link on the way.
    static let nullLink = -1

    private let reader: PathReader
    /// The property itself when its values are read from its column.
    let property: PropertyID?
    private let column: ColumnReader?
    /// By number: the first value that had it.
    private(set) var values: [Value] = []
    private var nullNumber: Int?
    private var others: [Value: Int] = [:]
    private var bytes = ByteNumbering()
    private var words = WordNumbering()
    /// The numbers of `bytes`' entries and of `words`' pairs.
    private var byteNumbers: [Int] = []
    private var wordNumbers: [Int] = []
    /// By code of the leaf at hand; -1 where it is not known yet.
    private var codes = [Int](repeating: -1, count: 256)

    init(_ path: BoundPath, from classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(path, from: classID, in: source)
        property = path.column
        column = property.map { ColumnReader(source, classID, $0) }
    }

    /// The number of an object's value, or `nullLink`.
    func number(of key: ObjectKey) throws -> Int {
        if let column {
            guard let (leaf, slot) = try column.place(key) else { return null() }
            return leaf.isNull(slot) ? null() : number(leaf, slot)
        }
        guard let value = try reader.single(key) else { return Self.nullLink }
        return number(value)
    }

    /// Calls `body` with each selected slot of a column and its number, ascending; stops when it says so.
    @inline(__always)
    func forEach(_ leaf: Leaf, _ mask: SelectionMask, _ body: (Int, Int) -> Void) {
        guard leaf.codeCount != nil else {
            mask.forEach { slot in body(slot, leaf.isNull(slot) ? null() : number(leaf, slot)) }
            return
        }
        forgetCodes()
        let isNullable = leaf.nullCount > 0
        mask.forEach { slot in
            if isNullable, leaf.isNull(slot) { return body(slot, null()) }
            let code = leaf.code(at: slot)
            var found = codes[code]
            if found < 0 {
                found = number(leaf, slot)
                codes[code] = found
            }
            body(slot, found)
        }
    }

    private func forgetCodes() {
        for index in codes.indices { codes[index] = -1 }
    }

    /// The number of null.
    func null() -> Int {
        if let nullNumber { return nullNumber }
        nullNumber = values.count
        values.append(.null)
        return values.count - 1
    }

    /// Of a slot that is not null. A column has values of one kind, so that each kind can have a table of its own.
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

/// The numbers of combinations of values at several paths. Used by one thread at a time.
final class CombinationNumbering {
    private let parts: [ValueNumbering]
    /// Of the first two parts, of those with the third, and so on.
    private var pairs: [WordNumbering]
    /// By number: the numbers of the parts. Kept only for several parts.
    private var combinations: [[Int]] = []
    private var perSlot: [[Int]]
    private let keepsNullLinks: Bool

    /// A null link on a path counts as null with `keepsNullLinks`; else there is no number.
    init(_ paths: [BoundPath], from classID: ClassID, in source: any ColumnSource, keepsNullLinks: Bool) {
        parts = paths.map { ValueNumbering($0, from: classID, in: source) }
        pairs = paths.dropFirst().map { _ in WordNumbering() }
        perSlot = paths.map { _ in [Int](repeating: 0, count: source.clusterCapacity) }
        self.keepsNullLinks = keepsNullLinks
    }

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

    /// Calls `body` with each selected slot that has a number, and the number, ascending.
    @inline(__always)
    func forEach(_ cluster: ClusterView, _ mask: SelectionMask, _ body: (Int, Int) -> Void) throws {
        if parts.count == 1, let property = parts[0].property {
            return parts[0].forEach(try cluster.leaf(property), mask, body)
        }
        let first = Int64(cluster.firstKey)
        for (index, part) in parts.enumerated() {
            if let property = part.property {
                part.forEach(try cluster.leaf(property), mask) { perSlot[index][$0] = $1 }
            } else {
                try mask.forEach { perSlot[index][$0] = try part.number(of: ObjectKey(first + Int64($0))) }
            }
        }
        mask.forEach { slot in
            var numbers: [Int] = []
            numbers.reserveCapacity(parts.count)
            for index in parts.indices {
                var number = perSlot[index][slot]
                if number < 0 {
                    guard keepsNullLinks else { return }
                    number = parts[index].null()
                }
                numbers.append(number)
            }
            body(slot, combine(numbers))
        }
    }

    /// The values of a combination.
    func values(of number: Int) -> [Value] {
        if parts.count == 1 { return [parts[0].values[number]] }
        return zip(parts, combinations[number]).map { $0.values[$1] }
    }

    private func combine(_ numbers: [Int]) -> Int {
        guard var number = numbers.first else {
            // Without any path all objects are alike.
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
