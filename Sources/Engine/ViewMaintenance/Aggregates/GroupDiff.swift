import ObjectModel
package import StoreContract

/// Compares two answers of groups.
package enum GroupDiff {
    /// The groups that went, came and changed. A group is the same as one with an equal key; one whose position among
    /// the others changed is a deletion and an insertion. Cost: that of `KeyDiff`.
    package static func between(_ old: [AggregateGroup], _ new: [AggregateGroup]) -> IndexChanges {
        var numbers: [[Value]: Int64] = [:]
        func number(_ group: AggregateGroup) -> ObjectKey {
            let next = Int64(numbers.count)
            let form = group.form
            let number = numbers[form] ?? next
            numbers[form] = number
            return ObjectKey(number)
        }
        let (before, after) = (old.map(number), new.map(number))
        var changes = KeyDiff.between(before, after) { _ in false }
        changes.addModifications(
            atNew: new.indices.filter { position in
                changes.oldIndex(ofNew: position).map { old[$0] != new[position] } ?? false
            })
        return changes
    }
}
