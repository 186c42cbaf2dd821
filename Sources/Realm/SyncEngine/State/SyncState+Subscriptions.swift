extension SyncState {
    /// Replaces the subscriptions. A number of 0 marks a new query, and a negative id a new subscription. Returns the
    /// new set in the same order.
    mutating func take(_ wanted: [SyncQuery]) -> [SyncQuery] {
        var changed = wanted
        for index in changed.indices where changed[index].number == 0 {
            let number = number()
            changed[index] = changed[index].numbered(changed[index].id < 0 ? number : changed[index].id, number)
            addMembers(number, of: changed[index].className)
        }
        guard changed.map(\.number) != queries.map(\.number) else { return queries }
        revision += 1
        queries = changed
        return changed
    }
}

extension SyncQuery {
    fileprivate func numbered(_ id: Int, _ number: Int) -> SyncQuery {
        SyncQuery(
            id: id, number: number, name: name, className: className, filter: filter, createdAt: createdAt,
            updatedAt: updatedAt, state: state)
    }
}
