/// An ordered list of header fields; names compare without regard to ASCII case, repeats are kept.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    package private(set) var fields: [(name: String, value: String)]

    package init() { fields = [] }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    package var isEmpty: Bool { fields.isEmpty }

    /// The first field of that name; setting replaces every field of that name, or removes them with `nil`.
    package subscript(name: String) -> String? {
        get { fields.first { equalsIgnoringCase($0.name, name) }?.value }
        set {
            fields.removeAll { equalsIgnoringCase($0.name, name) }
            if let newValue { fields.append((name: name, value: newValue)) }
        }
    }

    /// Adds a field after those already there, also when the name is present.
    package mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
}

/// ASCII case-insensitive equality, without building folded strings.
func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
    var left = left.utf8.makeIterator()
    var right = right.utf8.makeIterator()
    while true {
        let (a, b) = (left.next(), right.next())
        guard let a, let b else { return a == nil && b == nil }
        guard foldedASCII(a) == foldedASCII(b) else { return false }
    }
}

@inline(__always)
func foldedASCII(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}
