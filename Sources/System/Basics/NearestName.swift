extension Sequence<String> {
    /// The name that a person most likely meant by `typed`, for the hint of an error: the one at the smallest edit
    /// distance (two swapped letters are one edit), ignoring case, if at most a third of its letters (and at least one)
    /// is wrong. A single letter is like no other. Cost: |typed| × total length.
    package func nearest(to typed: String) -> String? {
        let wanted = Array(typed.lowercased())
        var best: (name: String, distance: Int)?
        for name in self {
            let candidate = Array(name.lowercased())
            let limit = Swift.max(1, Swift.max(wanted.count, candidate.count) / 3)
            guard wanted.count > 1 || candidate == wanted else { continue }
            let distance = editDistance(wanted, candidate)
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }
}

/// Returns the message as a sentence, followed by the nearest name if there is one.
package func withHint(_ message: String, _ hint: String?) -> String {
    guard let hint else { return message }
    let end = message.hasSuffix(".") ? "" : "."
    return "\(message)\(end) Did you mean '\(hint)'?"
}

/// The number of letters to insert, delete, replace or swap with their neighbour, no letter twice.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for (row, left) in a.enumerated() {
        var current = [row + 1]
        for (column, right) in b.enumerated() {
            let substitution = previous[column] + (left == right ? 0 : 1)
            var best = min(substitution, previous[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left == b[column - 1], right == a[row - 1] {
                best = min(best, beforePrevious[column - 1] + 1)
            }
            current.append(best)
        }
        beforePrevious = previous
        previous = current
    }
    return previous[b.count]
}
