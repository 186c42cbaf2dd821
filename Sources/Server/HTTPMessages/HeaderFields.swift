/// An ordered list of header fields. Names are compared without regard to ASCII case; repeated fields are kept.
///
/// All fields are in one allocation, in the form in which they are handed to C: a response has about ten of them, and
/// each middleware looks for some and adds some, so that two strings for each would be most of what it does.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    /// For each field the lengths of name and value, in four bytes each, then both, each followed by a NUL.
    private var bytes: [UInt8] = []
    /// A bit for each hash of a name that is present, or was: most fields that are looked for are missing.
    private var kinds: UInt64 = 0

    package init() {}

    /// Reserves capacity for so many fields of usual length.
    package init(capacity: Int) { bytes.reserveCapacity(capacity * 48) }

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    package var isEmpty: Bool { bytes.isEmpty }

    /// The first field with that name. Setting replaces all fields with that name; `nil` removes them.
    package subscript(name: String) -> String? {
        get { withValue(of: name) { String(decoding: $0, as: UTF8.self) } }
        set {
            while let field = field(named: name) { bytes.removeSubrange(field.start..<field.end) }
            if let newValue { add(name, newValue) }
        }
    }

    /// Whether there is a field with that name.
    package func has(_ name: String) -> Bool { field(named: name) != nil }

    /// Whether the first field with that name has the value.
    package func has(_ name: String, _ value: String) -> Bool {
        withValue(of: name) { present in
            var value = value
            return value.withUTF8 { $0.elementsEqual(present) }
        } ?? false
    }

    /// Adds a field at the end, even if the name exists.
    package mutating func add(_ name: String, _ value: String) {
        var (name, value) = (name, value)
        name.withUTF8 { name in value.withUTF8 { add(name, $0) } }
    }

    /// Adds fields at the end, without those whose names exist.
    ///
    /// - Parameter others: no two of the same name.
    package mutating func addMissing(_ others: HeaderFields) {
        // A bit that both have may be of different names.
        guard kinds & others.kinds != 0 else {
            bytes += others.bytes
            kinds |= others.kinds
            return
        }
        for field in others where !has(field.name) { add(field.name, field.value) }
    }

    /// Lends the name and value of each field to C; valid during the call only.
    package func forEachCString(_ body: (_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var next = Field(at: 0, bytes)
            while let field = next, let start = bytes.baseAddress {
                // Both end with a NUL within the allocation.
                let text = start.assumingMemoryBound(to: CChar.self)
                body(text + field.name, text + field.value)
                next = Field(at: field.end, bytes)
            }
        }
    }

    /// Iterates over the fields in order. Cost: two strings for each.
    package struct Iterator: IteratorProtocol {
        fileprivate let bytes: [UInt8]
        fileprivate var position = 0

        package mutating func next() -> (name: String, value: String)? {
            bytes.withUnsafeBytes { bytes in
                guard let field = Field(at: position, bytes) else { return nil }
                position = field.end
                return (
                    String(decoding: bytes[field.names], as: UTF8.self),
                    String(decoding: bytes[field.values], as: UTF8.self)
                )
            }
        }
    }

    package func makeIterator() -> Iterator { Iterator(bytes: bytes) }

    // MARK: Bytes

    /// The position of a field in the bytes.
    fileprivate struct Field {
        let start: Int
        let nameLength: Int
        let valueLength: Int

        var name: Int { start + 8 }
        var value: Int { name + nameLength + 1 }
        var end: Int { value + valueLength + 1 }
        var names: Range<Int> { name..<(name + nameLength) }
        var values: Range<Int> { value..<(value + valueLength) }

        /// Nil at the end.
        @inline(__always)
        init?(at start: Int, _ bytes: UnsafeRawBufferPointer) {
            guard start < bytes.count else { return nil }
            self.start = start
            nameLength = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            valueLength = Int(bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
        }
    }

    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let lengths = (UInt32(truncatingIfNeeded: name.count), UInt32(truncatingIfNeeded: value.count))
        withUnsafeBytes(of: lengths) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: name)
        bytes.append(0)
        bytes.append(contentsOf: value)
        bytes.append(0)
        kinds |= headerKind(of: name)
    }

    private func field(named name: String) -> Field? {
        var name = name
        return name.withUTF8 { name in
            guard kinds & headerKind(of: name) != 0 else { return nil }
            return bytes.withUnsafeBytes { bytes in
                var next = Field(at: 0, bytes)
                while let field = next {
                    if field.nameLength == name.count,
                        equalsIgnoringCase(
                            UnsafeRawBufferPointer(rebasing: bytes[field.names]).bindMemory(to: UInt8.self), name)
                    {
                        return field
                    }
                    next = Field(at: field.end, bytes)
                }
                return nil
            }
        }
    }

    private func withValue<R>(of name: String, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard let field = field(named: name) else { return nil }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[field.values])) }
    }

    /// Adds bytes to the end of a field's value.
    private mutating func extend(_ field: Field, _ more: [UInt8]) {
        bytes.insert(contentsOf: more, at: field.values.upperBound)
        let length = UInt32(truncatingIfNeeded: field.valueLength + more.count)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: field.start + 4, as: UInt32.self) }
    }
}

/// Returns one of 64 bits, by length and first letter.
@inline(__always)
func headerKind(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let first = name.first.map { foldedASCII($0) } ?? 0
    return 1 << UInt64((name.count &* 5 &+ Int(first)) & 63)
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
        guard let field = field(named: "Vary") else { return add("Vary", names) }
        var more: [UInt8] = []
        var asked = names
        asked.withUTF8 { asked in
            bytes.withUnsafeBytes { bytes in
                let present = UnsafeRawBufferPointer(rebasing: bytes[field.values]).bindMemory(to: UInt8.self)
                forEachName(asked) { name in
                    var isThere = false
                    func look(_ known: UnsafeBufferPointer<UInt8>) {
                        forEachName(known) { isThere = isThere || isEvery($0) || equalsIgnoringCase($0, name) }
                    }
                    look(present)
                    more.withUnsafeBufferPointer(look)
                    guard !isThere else { return }
                    more += ", ".utf8
                    more += name
                }
            }
        }
        if !more.isEmpty { extend(field, more) }
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
