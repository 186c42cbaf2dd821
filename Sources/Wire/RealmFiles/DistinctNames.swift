/// A name in the file: the text, and the bytes that it was made of.
struct StoredName {
    let text: String
    let bytes: [UInt8]
}

/// Names that a program can tell apart.
///
/// Names differ in the file when their bytes do. As texts, two may be the same: bytes that are not UTF-8 all become
/// U+FFFD, and a letter with an accent is one character however it is composed. The later ones get a number then.
struct DistinctNames {
    private var stored: Set<[UInt8]> = []
    private var taken: Set<String> = []
    /// The number that the next name of a text gets: a file may have thousands of one.
    private var numbers: [String: Int] = [:]
    /// All texts of the list, also those that come later.
    private let all: Set<String>

    /// - Parameter names: all names of a list.
    init(_ names: [StoredName]) { all = Set(names.map(\.text)) }

    /// The name as a text that none of the earlier ones is. Nil if one of them has the same bytes.
    mutating func next(_ name: StoredName) -> String? {
        guard stored.insert(name.bytes).inserted else { return nil }
        if taken.insert(name.text).inserted { return name.text }
        var number = numbers[name.text] ?? 2
        while true {
            let text = "\(name.text)_\(number)"
            number += 1
            guard !all.contains(text), taken.insert(text).inserted else { continue }
            numbers[name.text] = number
            return text
        }
    }
}
