import LMDBStorage
import StorageEngine
import StoredRecords
import Columnar
import ObjectModel
import StoreContract

/// Repeats a version that another store made, from its entry in the log.
///
/// It asks no clock and follows no links: what the rules demanded is in the steps. It only checks that each step fits
/// the state, and that the changes are those that the writer had.
struct EntryApplier {
    private let session: WriteSession

    /// More keys in a row are never used by work that is rolled back; damage must not fill the file.
    private static let longestGap: Int64 = 1 << 28

    init(_ session: WriteSession) { self.session = session }

    /// Throws `diverged`, and then the transaction must not be committed.
    func apply(
        _ record: RedoRecord, version: Version, journalLimit: Int, undoLimit: Int
    ) throws -> (changes: ChangeSet, undo: [UInt8]?) {
        let isSchema = record.kind == .schema
        // A change of the schema is never undone.
        let member = MemberTransaction(session, version: version, journalLimit: isSchema ? 0 : journalLimit)
        for step in record.steps { try repeated(step, member, isSchema: isSchema) }
        for (id, next) in record.counters { try skipKeys(of: id, to: next) }
        if isSchema {
            if let fault = CatalogueCheck.numberFault(in: session.schema) { throw diverged(fault) }
            try session.transaction.put(
                session.trees.meta, FileFormat.schemaKey, SchemaRecord.encode(session.schema))
        }
        let changes = isSchema ? ChangeSet(version: version, schemaChanged: true) : member.changeSet
        guard RedoRecord.checksum(of: changes) == record.checksum else {
            throw diverged("its changes have another checksum")
        }
        return (changes, isSchema ? nil : member.undo(limit: undoLimit))
    }

    private func repeated(_ step: RedoStep, _ member: MemberTransaction, isSchema: Bool) throws {
        switch step {
        case .layout(let schema):
            guard isSchema else { throw diverged("it changes the schema as ordinary work") }
            if let fault = CatalogueCheck.numberFault(in: schema) { throw diverged(fault) }
            try MigrationLayout(session).change(to: schema)
        case .created(let classID, let key, let row):
            try skipKeys(of: classID, to: key.rawValue)
            let objectClass = try objectClass(classID)
            guard row.count == objectClass.columns.count else {
                throw diverged("an object has another number of values")
            }
            _ = try member.append(
                objectClass, try zip(row, objectClass.columns).map { try fit($0, $1, objectClass) })
        case .deleted(let classID, let key): try member.removeAlone(try existing(classID, key), key)
        case .changed(let classID, let key, let property, let change):
            let objectClass = try existing(classID, key)
            guard let column = objectClass.column(property) else { throw diverged("it changes an unknown property") }
            try repeated(change, objectClass, key, column, member)
        case .recordStored(let key, let bytes, let expiry): try member.exchangeRecord(key, for: (bytes, expiry))
        case .forgotten(let key): try member.exchangeRecord(key, for: nil)
        // They change nothing: the store passes them on once the version is there.
        case .pinned, .unpinned: break
        }
    }

    private func repeated(
        _ change: RedoStep.Change, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout,
        _ member: MemberTransaction
    ) throws {
        if case .assigned(let value, let edit) = change {
            let value = try fit(value, column, objectClass)
            guard let edit else { return try member.exchange(objectClass, key, column, for: value) }
            let old = try session.value(objectClass, key, column)
            return try member.exchange(objectClass, key, column, old, for: value, edit)
        }
        guard column.kind.collection != .single else { throw diverged("it edits a property that is not a collection") }
        let editor = CollectionEditor(member, objectClass, key, column)
        let count = try session.elementCount(objectClass, key, column)
        func check(_ position: Int, below limit: Int) throws {
            guard position >= 0, position < limit else { throw diverged("a position is out of bounds") }
        }
        switch change {
        case .assigned: break
        case .inserted(let value, let mapKey, let position):
            try check(position, below: count + 1)
            guard (mapKey != nil) == (column.kind == .map) else {
                throw diverged("an element has another kind of place")
            }
            try editor.repeatInsertion(try fitElement(value, column, objectClass), mapKey: mapKey, at: position)
        case .replaced(let value, let position):
            try check(position, below: count)
            try editor.exchange(at: position, for: try fitElement(value, column, objectClass))
        case .removed(let position):
            try check(position, below: count)
            try editor.takeOut(at: position)
        case .moved(let from, let to):
            try check(from, below: count)
            try check(to, below: count)
            guard column.kind == .list else { throw diverged("it moves an element of a property that is not a list") }
            try editor.repeatMove(from, to)
        }
    }

    // MARK: Keys

    private func skipKeys(of classID: ClassID, to next: Int64) throws {
        let objectClass = try objectClass(classID)
        let gap = next - objectClass.state.nextKey
        guard gap >= 0, gap <= Self.longestGap else {
            throw diverged("key \(next) of class '\(objectClass.schema.name)' is not free")
        }
        for _ in 0..<gap { try session.skipKey(objectClass) }
    }

    private func objectClass(_ classID: ClassID) throws -> MutableClass {
        guard let objectClass = session.objectClass(classID) else { throw diverged("it has an unknown class") }
        return objectClass
    }

    private func existing(_ classID: ClassID, _ key: ObjectKey) throws -> MutableClass {
        let objectClass = try objectClass(classID)
        guard try session.exists(objectClass, key) else {
            throw diverged("it changes an object of class '\(objectClass.schema.name)' that does not exist")
        }
        return objectClass
    }

    // MARK: Values

    /// The value as the property stores it. An entry has a set as a list.
    private func fit(_ value: Value, _ column: ColumnLayout, _ objectClass: MutableClass) throws -> Value {
        if column.acceptsPlainly(value) { return value }
        var value = value
        if column.kind == .set, case .list(let elements) = value { value = .set(elements) }
        return try checked(value) { try $0.check(value, for: column.property, of: objectClass.schema) { _ in true } }
    }

    private func fitElement(_ value: Value, _ column: ColumnLayout, _ objectClass: MutableClass) throws -> Value {
        try checked(value) { try $0.checkElement(value, for: column.property, of: objectClass.schema) { _ in true } }
    }

    private func checked(_ value: Value, _ check: (ValueRules) throws -> Void) throws -> Value {
        if value.holdsNewObjects { throw diverged("a value has an object without a key") }
        do {
            // The writer has checked that the objects of links exist.
            try check(ValueRules(session.schema) { _ in true })
            return value
        } catch let error as StoreError {
            throw diverged(error.message)
        }
    }

    private func diverged(_ reason: String) -> StoreError {
        StoreError(
            .diverged,
            "The entry of version \(session.version.next) in the log does not fit the replica '\(session.path)': \(reason). Delete the replica; the next start makes a new one from the log."
        )
    }
}

extension Value {
    /// An entry has the keys of embedded objects, never their values.
    fileprivate var holdsNewObjects: Bool {
        switch self {
        case .embedded: true
        case .list(let elements), .set(let elements): elements.contains(where: \.holdsNewObjects)
        case .dictionary(let map): map.entries.contains { $0.value.holdsNewObjects }
        default: false
        }
    }
}
