/// Beginnings of texts or data, one or several of each view, and a search for those of a text.
///
/// Cost of a look-up: a hash for each length of the beginnings, of which there are few.
struct PrefixIndex {
    private var byLength: [Int: [ArraySlice<UInt8>: Set<Int>]] = [:]

    var isEmpty: Bool { byLength.isEmpty }

    mutating func add(_ bytes: [UInt8], of view: Int) {
        byLength[bytes.count, default: [:]].insert(view, for: bytes[...])
    }

    mutating func remove(_ bytes: [UInt8], of view: Int) {
        byLength[bytes.count]?.remove(view, for: bytes[...])
        if byLength[bytes.count]?.isEmpty == true { byLength[bytes.count] = nil }
    }

    /// Adds the views of the beginnings of a text.
    func collect(beginning text: [UInt8], _ found: inout Set<Int>) {
        for (length, views) in byLength where length <= text.count {
            if let views = views[text[..<length]] { found.formUnion(views) }
        }
    }
}
