import ObjectModel

/// The objects of one class that the gateway has reported. Each has a number, by which lists of matches name it, and by
/// which its last row is found: one look-up by key is all that a row costs that has been applied already.
///
/// Memory: some 60 bytes for an object with an integer as its key, and those of its key for another one.
struct ReportedClass: Sendable {
    typealias Number = Int32

    private var keys: [Value] = []
    private var integers: [Int64: Number] = [:]
    private var others: [Value: Number] = [:]
    /// The numbers that no object has.
    private var free: [Number] = []
    /// The hashes of the texts of the rows that objects are equal to; 0 for none.
    private var hashes: [Int] = []
    /// The versions of the last rows; 0 for none. Short, or empty, where none is recorded.
    private var versions: [UInt64] = []

    func key(_ number: Number) -> Value { keys[Int(number)] }

    /// Returns nil for an object that has none.
    func number(of key: Value) -> Number? {
        if case .int(let key) = key { integers[key] } else { others[key] }
    }

    mutating func number(adding key: Value) -> Number {
        if case .int(let key) = key { return number(adding: key) }
        if let known = others[key] { return known }
        let number = add(key)
        others[key] = number
        return number
    }

    mutating func number(adding key: Int64) -> Number {
        if let known = integers[key] { return known }
        let number = add(.int(key))
        integers[key] = number
        return number
    }

    private mutating func add(_ key: Value) -> Number {
        if let number = free.popLast() {
            keys[Int(number)] = key
            return number
        }
        keys.append(key)
        hashes.append(0)
        return Number(keys.count - 1)
    }

    /// Forgets an object that no list names.
    mutating func remove(_ number: Number) {
        let key = key(number)
        if case .int(let key) = key { integers[key] = nil } else { others[key] = nil }
        forgetRow(number)
        keys[Int(number)] = .null
        free.append(number)
    }

    // MARK: Rows

    func has(row hash: Int, _ number: Number) -> Bool { hashes[Int(number)] == hash && hash != 0 }

    /// Records the text that an object is equal to; nil for none.
    mutating func setRow(_ hash: Int?, _ number: Number) { hashes[Int(number)] = hash ?? 0 }

    mutating func forgetTexts() {
        for number in hashes.indices { hashes[number] = 0 }
    }

    /// Forgets the row of an object, and its version: a query that still has it brings it again.
    mutating func forgetRow(_ number: Number) {
        hashes[Int(number)] = 0
        if number < versions.count { versions[Int(number)] = 0 }
    }

    // MARK: Versions

    /// The version of the last row of an object; 0 for none.
    func version(_ number: Number) -> UInt64 { number < versions.count ? versions[Int(number)] : 0 }

    mutating func setVersion(_ version: UInt64, _ number: Number) {
        if number >= versions.count {
            versions.append(contentsOf: repeatElement(0, count: keys.count - versions.count))
        }
        versions[Int(number)] = version
    }

    mutating func forgetVersions() { versions = [] }
}
