/// An ordered list of header fields. Names are compared without regard to ASCII case; repeated fields are kept.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    package private(set) var fields: [(name: String, value: String)]

    package init() { fields = [] }

    /// Reserves capacity.
    package init(capacity: Int) {
        fields = []
        fields.reserveCapacity(capacity)
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    package var isEmpty: Bool { fields.isEmpty }

    /// The first field with that name. Setting replaces all fields with that name; `nil` removes them.
    package subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            if index(of: name) != nil { fields.removeAll { equalsIgnoringCase($0.name, name) } }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    /// Returns the index of the first field with that name.
    package func index(of name: String) -> Int? {
        for index in fields.indices where equalsIgnoringCase(fields[index].name, name) { return index }
        return nil
    }

    /// Replaces the value of an existing field.
    mutating func replace(at index: Int, _ value: String) { fields[index].value = value }

    /// Adds a field at the end, even if the name exists.
    package mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
}

/// Compares without regard to ASCII case, without creating folded strings.
package func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
    // Most names differ in length, which a UTF-8 string knows.
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in right.withUTF8 { equalsIgnoringCase(left, $0) } }
}

package func equalsIgnoringCase(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where foldedASCII(left[index]) != foldedASCII(right[index]) { return false }
    return true
}

@inline(__always)
func foldedASCII(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}

extension HeaderFields {
    /// Adds field names, separated by commas, to `Vary`, unless it contains them.
    package mutating func vary(_ names: String) {
        guard let index = index(of: "Vary") else { return add("Vary", names) }
        var present = fields[index].value
        var asked = names
        asked.withUTF8 { asked in
            forEachName(asked) { name in
                let isThere = present.withUTF8 { present in
                    var isThere = false
                    forEachName(present) { isThere = isThere || isEvery($0) || equalsIgnoringCase($0, name) }
                    return isThere
                }
                if !isThere { present += ", " + String(decoding: name, as: UTF8.self) }
            }
        }
        replace(at: index, present)
    }
}

/// Whether the name is `*`, which stands for every field.
private func isEvery(_ name: UnsafeBufferPointer<UInt8>) -> Bool { name.count == 1 && name[0] == UInt8(ascii: "*") }

/// Calls `body` with each name of a list, trimmed.
private func forEachName(_ list: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    var start = 0
    while start < list.count {
        let end = list[start...].firstIndex(of: UInt8(ascii: ",")) ?? list.count
        var (low, high) = (start, end)
        while low < high, list[low] == UInt8(ascii: " ") { low += 1 }
        while high > low, list[high - 1] == UInt8(ascii: " ") { high -= 1 }
        if low < high { body(UnsafeBufferPointer(rebasing: list[low..<high])) }
        start = end + 1
    }
}
