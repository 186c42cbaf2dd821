import ObjectModel
import QueryLanguage

/// The transaction of a pending write, as the thread of that write may keep it: it does not outlive the write in the
/// store.
final class InteractiveTransaction: WriteTransaction {
    private let handoff: TransactionHandoff
    let schema: Schema
    let version: Version
    let tag: HistoryTag
    let before: Mark

    init(_ handoff: TransactionHandoff, _ transaction: any WriteTransaction) {
        self.handoff = handoff
        schema = transaction.schema
        version = transaction.version
        tag = transaction.tag
        before = transaction.before
    }

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        try handoff.transaction.create(classID, values)
    }

    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        try handoff.transaction.create(classID, row: row)
    }

    func create(_ classID: ClassID, given values: PropertyValues) throws -> ObjectKey {
        try handoff.transaction.create(classID, given: values)
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        try handoff.transaction.set(classID, key, values)
    }

    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        try handoff.transaction.edit(classID, key, property, operation)
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws { try handoff.transaction.delete(classID, key) }

    func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws { try handoff.transaction.delete(classID, keys) }

    func sideRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? {
        try handoff.transaction.sideRecord(key, at: time)
    }

    func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws {
        try handoff.transaction.keep(record, under: key, until: expiry, at: time)
    }

    /// Returns 0 when the write is finished.
    func count(of classID: ClassID) -> Int { (try? handoff.transaction)?.count(of: classID) ?? 0 }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try handoff.transaction.exists(classID, key)
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try handoff.transaction.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try handoff.transaction.value(classID, key, property)
    }

    func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)? {
        try handoff.transaction.cells(of: classID, around: key, properties, over: base)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try handoff.transaction.elementCount(classID, key, property)
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try handoff.transaction.elements(classID, key, property, range) }

    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try handoff.transaction.backlinks(to: target, from: origin, property)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try handoff.transaction.select(query, window)
    }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        try handoff.transaction.matches(query, key)
    }

    func count(_ query: BoundQuery) throws -> Int { try handoff.transaction.count(query) }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try handoff.transaction.aggregate(query, requests)
    }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try handoff.transaction.sections(query, by: key)
    }
}
