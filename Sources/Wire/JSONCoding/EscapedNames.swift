/// The names of an object's members as a `JSONWriter` writes them: escaped, in quotes, with their colons.
///
/// One buffer has all names, so that writing one of them retains nothing. It ends with some bytes more, so that names can
/// be copied by words.
package struct EscapedNames: Sendable {
    private let bytes: [UInt8]
    /// The end of each name in `bytes`.
    private let ends: [Int]

    package init(_ names: [String]) {
        let writer = JSONWriter(capacity: names.reduce(0) { $0 + $1.utf8.count + 3 })
        ends = names.map { name in
            writer.name(name)
            return writer.count
        }
        bytes = writer.bytes + [UInt8](repeating: 0, count: Self.spare)
    }

    /// The bytes behind the last name.
    static let spare = 7

    /// The names in order, as they are written.
    package var texts: [String] {
        ends.indices.map { index in
            var text = ""
            withBytes(index) { text = String(decoding: $0, as: UTF8.self) }
            return text
        }
    }

    /// Lends the bytes of a name; valid during the call only.
    @inline(__always)
    func withBytes(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        let start = index == 0 ? 0 : ends[index - 1]
        let end = ends[index]
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
    }
}
