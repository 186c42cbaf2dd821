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
