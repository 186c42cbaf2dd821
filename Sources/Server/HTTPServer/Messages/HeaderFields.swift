/// An ordered list of header fields; names compare without regard to ASCII case, repeats are kept.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    package private(set) var fields: [(name: String, value: String)]

    package init() { fields = [] }

    /// With room for so many.
    package init(capacity: Int) {
        fields = []
        fields.reserveCapacity(capacity)
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    package var isEmpty: Bool { fields.isEmpty }

    /// The first field of that name; setting replaces every field of that name, or removes them with `nil`.
    package subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            if index(of: name) != nil { fields.removeAll { equalsIgnoringCase($0.name, name) } }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    /// Where the first field of that name is.
    func index(of name: String) -> Int? {
        for index in fields.indices where equalsIgnoringCase(fields[index].name, name) { return index }
        return nil
    }

    /// Replaces the value of a field that is there.
    mutating func replace(at index: Int, _ value: String) { fields[index].value = value }

    /// Adds a field after those already there, also when the name is present.
    package mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
}

/// ASCII case-insensitive equality, without building folded strings.
func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
    // Most names differ in length, which a string of UTF-8 knows.
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in right.withUTF8 { equalsIgnoringCase(left, $0) } }
}

func equalsIgnoringCase(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where foldedASCII(left[index]) != foldedASCII(right[index]) { return false }
    return true
}

@inline(__always)
func foldedASCII(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}
