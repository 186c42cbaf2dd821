import ObjectModel
import SyncEngine

/// A set of subscriptions during an update. New subscriptions have the number 0, and a negative id.
struct SubscriptionDraft: Sendable {
    private(set) var queries: [SyncQuery]
    private let now: Timestamp
    private var lastID = 0

    init(_ queries: [SyncQuery], now: Timestamp = .now()) {
        self.queries = queries
        self.now = now
    }

    /// Implements `Results.subscribe`: a name occurs once, and a new query replaces its query; each query occurs once
    /// without a name. Returns the index of the subscription, and whether anything changed.
    mutating func subscribe(_ name: String?, _ className: String, _ filter: String) -> (index: Int, changed: Bool) {
        let known = queries.firstIndex { query in
            name == nil ? query.name == nil && query.asks(className, filter) : query.name.isSame(as: name)
        }
        guard let known else {
            add(name, className, filter)
            return (queries.count - 1, true)
        }
        if queries[known].asks(className, filter) { return (known, false) }
        replace(known, className, filter)
        return (known, true)
    }

    /// Implements `SyncSubscriptionSet.append`. Throws for a name that is already used.
    mutating func append(_ name: String?, _ className: String, _ filter: String) throws {
        if let name, queries.contains(where: { $0.name.isSame(as: name) }) {
            throw RealmException(
                "A subscription named '\(name)' already exists. If you meant to update the existing subscription please use the `update` method."
            )
        }
        if name == nil, queries.contains(where: { $0.name == nil && $0.asks(className, filter) }) { return }
        add(name, className, filter)
    }

    /// Throws for a subscription to another class.
    mutating func update(_ id: Int, _ className: String, _ filter: String) throws {
        guard let index = queries.firstIndex(where: { $0.id == id }) else {
            throw RealmException("The subscription has been removed.")
        }
        guard queries[index].className == className else {
            throw RealmException(
                "Updating a subscription query of a different Object Type is not allowed: it is to '\(queries[index].className)', not to '\(className)'."
            )
        }
        if queries[index].asks(className, filter) { return }
        replace(index, className, filter)
    }

    @discardableResult
    mutating func remove(where isChosen: (SyncQuery) -> Bool) -> Int {
        let before = queries.count
        queries.removeAll(where: isChosen)
        return before - queries.count
    }

    private mutating func add(_ name: String?, _ className: String, _ filter: String) {
        lastID -= 1
        queries.append(
            SyncQuery(
                id: lastID, number: 0, name: name, className: className, filter: filter, createdAt: now, updatedAt: now)
        )
    }

    private mutating func replace(_ index: Int, _ className: String, _ filter: String) {
        queries[index].number = 0
        queries[index].className = className
        queries[index].filter = filter
        queries[index].updatedAt = now
        queries[index].state = .pending
    }
}

extension SyncQuery {
    func asks(_ className: String, _ filter: String) -> Bool { self.className == className && self.filter == filter }
}

extension String? {
    /// Compares by bytes, not by canonical equivalence.
    fileprivate func isSame(as other: String?) -> Bool {
        switch (self, other) {
        case (let a?, let b?): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }
}
