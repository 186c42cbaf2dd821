/// A long array that is kept as its text: millions of numbers take no more memory than they have digits. It was parsed
/// once, so it hardly has errors: a name that occurs twice far apart in one long object is noticed only now.
package struct JSONLongArray: Hashable, Sendable {
    /// The text that it is in, shared with other arrays of it.
    private let bytes: [UInt8]
    private let part: JSONOutline.Part
    /// The numbers in it that a double may not represent, counted from its first non-integer.
    private let precise: [JSONScan.PreciseNumber]
    /// The number of elements.
    package let count: Int

    init(_ bytes: [UInt8], _ part: JSONOutline.Part, _ precise: [JSONScan.PreciseNumber], count: Int) {
        self.bytes = bytes
        self.part = part
        self.precise = precise
        self.count = count
    }

    /// Calls the body with each element, in order. Cost: as for parsing.
    package func forEach(_ body: (JSONValue) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { text in
            var reader = JSONPieceReader(text, precise: precise[...], retained: nil)
            try reader.elements(of: part, body)
        }
    }

    private var text: ArraySlice<UInt8> { bytes[part.start...part.end] }

    package static func == (a: JSONLongArray, b: JSONLongArray) -> Bool { a.text == b.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
