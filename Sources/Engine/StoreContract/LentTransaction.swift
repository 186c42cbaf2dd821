import ObjectModel
import QueryLanguage

/// The transaction of a pending write, as its thread may keep it: it does not outlive the write in the store.
final class LentTransaction: WriteTransaction {
    private let handover: Handover
    let schema: Schema
    let version: Version
    let tag: HistoryTag
    let before: Mark

    init(_ handover: Handover, _ transaction: any WriteTransaction) {
        self.handover = handover
        schema = transaction.schema
        version = transaction.version
        tag = transaction.tag
        before = transaction.before
    }

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        try handover.transaction.create(classID, values)
    }

    func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        try handover.transaction.create(classID, row: row)
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        try handover.transaction.set(classID, key, values)
    }

    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        try handover.transaction.edit(classID, key, property, operation)
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws { try handover.transaction.delete(classID, key) }

    func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws { try handover.transaction.delete(classID, keys) }

    func keptRecord(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? {
        try handover.transaction.keptRecord(key, at: time)
    }

    func keep(_ record: [UInt8], under key: [UInt8], until expiry: Timestamp, at time: Timestamp) throws {
        try handover.transaction.keep(record, under: key, until: expiry, at: time)
    }

    /// 0 when the write is finished.
    func count(of classID: ClassID) -> Int { (try? handover.transaction)?.count(of: classID) ?? 0 }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try handover.transaction.exists(classID, key)
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try handover.transaction.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try handover.transaction.value(classID, key, property)
    }

    func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowCells)?
    ) throws -> (any RowCells)? {
        try handover.transaction.cells(of: classID, around: key, properties, over: base)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try handover.transaction.elementCount(classID, key, property)
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try handover.transaction.elements(classID, key, property, range) }

    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try handover.transaction.backlinks(to: key, from: origin, property)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try handover.transaction.select(query, window)
    }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        try handover.transaction.matches(query, key)
    }

    func count(_ query: BoundQuery) throws -> Int { try handover.transaction.count(query) }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try handover.transaction.aggregate(query, requests)
    }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try handover.transaction.sections(query, by: key)
    }
}
