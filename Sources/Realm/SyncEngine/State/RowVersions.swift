import ObjectModel

/// The versions of the gateway's rows of classes that several subscriptions select from.
///
/// A long event has the version at which it was begun, also where its rows come after those of later commits. Such a row
/// does not replace a later one: if the object has left that query meanwhile, no other row would follow. Not stored: a
/// long event that a connection does not end begins again. Memory: some 50 bytes for each object of which a row came
/// since some subscription has been behind another one.
struct RowVersions: Sendable {
    private var classes: [String: [Value: UInt64]] = [:]
    private var newest: UInt64 = 0
    /// Whether the rows of the present event are recorded.
    var areRecorded = false

    /// Records a row. Returns false if a later one has come already.
    mutating func take(_ object: SyncObject, at version: UInt64) -> Bool {
        guard areRecorded || !classes.isEmpty else { return true }
        if let last = classes[object.className]?[object.key], last > version { return false }
        if areRecorded {
            classes[object.className, default: [:]][object.key] = version
            newest = max(newest, version)
        }
        return true
    }

    /// Forgets all rows if all subscriptions have reached their versions: no older row can follow.
    mutating func forget(reached version: UInt64) { if newest <= version { removeAll() } }

    /// Forgets the row of an object that is removed here: a query that still has it brings it again.
    mutating func forget(_ object: SyncObject) {
        if !classes.isEmpty { classes[object.className]?[object.key] = nil }
    }

    mutating func removeAll() {
        guard !classes.isEmpty else { return }
        classes = [:]
        newest = 0
    }
}
