import StoredRecords
import Basics
import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// The transaction of one work within a group commit: checks the rules, records changes, and can roll everything back.
///
/// A method performs all checks before it changes anything, so that work which continues after an error finds nothing
/// half done.
package class MemberTransaction: WriteTransaction {
    package let version: Version
    package let before: Mark
    var changes: [ClassID: ClassChangeRecorder] {
        _read {
            enterPending()
            yield recorded
        }
        _modify {
            enterPending()
            yield &recorded
        }
    }
    package let session: WriteSession
    var journal: Journal {
        enterPending()
        return steps
    }
    /// Objects that were created one after the other, and are not entered in `recorded` and `steps` yet: those of a
    /// bulk load are entered at once.
    private var creation: (objectClass: MutableClass, keys: Range<Int64>)?
    /// Assignments by row accessors that are not entered in `recorded` and `steps` yet. They are of objects that existed
    /// before the work, so they and `creation` are entered in any order.
    private var assignments: [AssignmentRun.Entry] = []
    /// Their class; nil for none.
    private var classOfAssignments: MutableClass?
    /// The clusters with a row accessor. An accessor records one assignment of each value.
    private var accessed: Set<LeafAddress> = []
    /// Whether the steps may have several assignments of one value by row accessors.
    private(set) var mayRepeatAssignments = false
    private var recorded: [ClassID: ClassChangeRecorder] = [:]
    private var steps = Journal()
    /// The approximate size of the journal in memory.
    private var journalBytes = 0
    private let journalLimit: Int
    /// Whether the journal outgrew its limit and was dropped. The work can then be rolled back only with the whole LMDB
    /// transaction.
    package var cannotRollBack: Bool {
        // They may be what outgrows it.
        enterPending()
        return isJournalDropped
    }
    private var isJournalDropped = false
    /// Whether the work has created an object of any class.
    private(set) var hasCreated = false
    /// Increases at least when the first object of a class is created: while it stays, `firstCreated` is what it was.
    private(set) var creationNumber = 0

    /// The inverse of one change.
    enum Step {
        /// Objects that were created one after the other are one step.
        case created(MutableClass, Range<Int64>)
        case assigned(MutableClass, ObjectKey, ColumnLayout, old: BeforeImage)
        case assignedMany(AssignmentRun)
        case deleted(MutableClass, ObjectKey, [BeforeImage])
        case inserted(MutableClass, ObjectKey, ColumnLayout, position: Int)
        case replaced(MutableClass, ObjectKey, ColumnLayout, position: Int, old: Value)
        case removed(MutableClass, ObjectKey, ColumnLayout, position: Int, mapKey: String?, old: Value)
        /// A record beside the objects replaced the given one.
        case recordStored([UInt8], oldBytes: [UInt8]?, oldExpiry: UInt64)
    }

    /// - Parameter journalLimit: the maximum size of the journal in memory, in bytes.
    package convenience init(_ session: WriteSession, version: Version, journalLimit: Int = .max) {
        self.init(session, at: version, journalLimit: journalLimit)
    }

    init(_ session: WriteSession, at version: Version, journalLimit: Int) {
        self.session = session
        self.version = version
        before = session.newest
        self.journalLimit = journalLimit
    }

    /// The changes of the work so far.
    package var changeSet: ChangeSet {
        ChangeSet(version: version, classes: changes.mapValues(\.changes).filter { !$0.value.isEmpty })
    }

    package var schema: Schema { session.schema }
    /// The schema by which values are checked.
    var validationSchema: Schema { schema }
    package var tag: HistoryTag { session.tag }

    func record(_ step: Step) {
        enterPending()
        guard !isJournalDropped else { return }
        steps.append(step)
        journalBytes += step.sizeEstimate
        if journalBytes > journalLimit { dropJournal() }
    }

    private func dropJournal() {
        isJournalDropped = true
        steps = Journal()
    }

    /// The present value of a property, as the journal keeps it. Returns nil, and drops the journal, for a long
    /// collection that exceeds the journal's limit.
    ///
    /// - Parameter others: the bytes of other values of the same step.
    private func former(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, besides others: Int = 0
    ) throws -> BeforeImage? {
        guard try session.isLongCollection(objectClass, key, column) else {
            return .value(try session.value(objectClass, key, column))
        }
        guard !cannotRollBack else { return nil }
        let room = journalLimit - journalBytes - others
        if let blocks = try session.blocks(objectClass, key, column, limit: room) { return .blocks(blocks) }
        dropJournal()
        return nil
    }

    private func noteCreation(_ objectClass: MutableClass, _ key: ObjectKey) {
        if let (last, keys) = creation, last === objectClass, keys.upperBound == key.rawValue {
            creation = (objectClass, keys.lowerBound..<key.rawValue + 1)
        } else {
            enterCreations()
            creation = (objectClass, key.rawValue..<key.rawValue + 1)
            creationNumber += 1
        }
    }

    /// Records that a value on which nothing else depends is about to be replaced, of an object that existed before.
    func noteAssignment(_ objectClass: MutableClass, _ key: ObjectKey, _ position: Int, old: Value) {
        if classOfAssignments !== objectClass || assignments.count == AssignmentRun.longest {
            beginAssignments(objectClass)
        }
        let entry = AssignmentRun.Entry(key: key, position: position, old: old)
        journalBytes += entry.sizeEstimate
        assignments.append(entry)
        if journalBytes > journalLimit, !isJournalDropped { dropJournal() }
    }

    private func beginAssignments(_ objectClass: MutableClass) {
        // The run after a full one is mostly full, too.
        let isFull = !assignments.isEmpty && classOfAssignments === objectClass
        enterAssignments()
        classOfAssignments = objectClass
        if isFull { assignments.reserveCapacity(AssignmentRun.longest) }
    }

    private func enterPending() {
        enterCreations()
        enterAssignments()
    }

    private func enterAssignments() {
        guard let objectClass = classOfAssignments else { return }
        let run = AssignmentRun(objectClass: objectClass, entries: assignments)
        classOfAssignments = nil
        assignments = []
        recorded[objectClass.schema.id, default: ClassChangeRecorder()].recordModifications(run)
        guard !isJournalDropped else { return }
        let step = Step.assignedMany(run)
        steps.append(step)
        journalBytes += step.sizeEstimate
        if journalBytes > journalLimit { dropJournal() }
    }

    private func enterCreations() {
        guard let (objectClass, keys) = creation else { return }
        creation = nil
        if case .created(let last, let before)? = steps.last, last === objectClass, before.upperBound == keys.lowerBound
        {
            steps.replaceLast(with: .created(objectClass, before.lowerBound..<keys.upperBound))
        } else {
            record(.created(objectClass, keys))
        }
        recorded[objectClass.schema.id, default: ClassChangeRecorder()].recordInsertions(keys)
    }

    // MARK: Reading

    package func count(of classID: ClassID) -> Int { session.objectClass(classID)?.state.objectCount ?? 0 }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try session.exists(objectClass(classID), key)
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let objectClass = try objectClass(classID)
        guard let column = objectClass.primaryKey else { return nil }
        return try session.lookUp(primaryKey, objectClass, column)
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let objectClass = try existing(classID, key)
        return try session.value(objectClass, key, column(property, objectClass))
    }

    package func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)? {
        let objectClass = try objectClass(classID)
        guard try session.exists(objectClass, key) else { return nil }
        try session.boundMutableClusters()
        let (address, _) = session.location(objectClass, key)
        if !accessed.insert(address).inserted { mayRepeatAssignments = true }
        return MutableRowAccessor(
            self, objectClass, try session.cluster(address, objectClass),
            firstKey: Int64(address.cluster * session.capacity), properties, over: base)
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let objectClass = try existing(classID, key)
        return try session.elementCount(objectClass, key, collectionColumn(property, objectClass))
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let objectClass = try existing(classID, key)
        let collection = try session.collection(objectClass, key, collectionColumn(property, objectClass))
        return try collection.values(in: range)
    }

    package func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws
        -> [ObjectKey]
    {
        let column = try column(property, try objectClass(origin))
        return try session.backlinks(
            to: target.key, from: origin, property, targetClass: column.isMixed ? target.classID : nil)
    }

    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try session.queryView().select(query, window)
    }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        try session.queryView().matches(query, key)
    }

    package func count(_ query: BoundQuery) throws -> Int { try session.queryView().count(query) }

    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try session.queryView().aggregate(query, requests)
    }

    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try session.queryView().sections(query, by: key)
    }

    // MARK: Changing

    package func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        return try create(objectClass, try row(objectClass, PropertyValues(values)))
    }

    package func create(_ classID: ClassID, given values: PropertyValues) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        return try create(objectClass, try row(objectClass, values))
    }

    package func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        guard row.count == objectClass.columns.count else {
            throw StoreError.wrongRowLength(row.count, of: objectClass.schema)
        }
        return try create(objectClass, row)
    }

    private func create(_ objectClass: MutableClass, _ row: [Value]) throws -> ObjectKey {
        guard !objectClass.isEmbedded else {
            throw StoreError(
                .embeddedWithoutOwner,
                "Embedded objects cannot be created directly. Assign \(objectClass.schema.name.withArticle) to a property that holds one."
            )
        }
        let isPlain = try isPlain(row, objectClass)
        if !isPlain { for column in objectClass.columns { try check(row[column.position], column, objectClass) } }
        if let column = objectClass.primaryKey { try checkUnique(row[column.position], column, objectClass) }
        return isPlain ? try add(objectClass, row, isPlain: true) : try append(objectClass, row)
    }

    /// Whether all values of a row are accepted, and stored in the leaves as they are: the common case.
    private func isPlain(_ row: [Value], _ objectClass: MutableClass) throws -> Bool {
        for index in objectClass.plainColumns.indices {
            let column = objectClass.plainColumns[index]
            switch row[index] {
            case .null: guard column.isOptional else { return false }
            case .string(let text):
                guard column.kind == .string, text.utf8.count <= OverflowTree.limit else { return false }
            case .link(let key):
                guard let target = column.target.flatMap({ session.objectClass($0) }),
                    try session.exists(target, key)
                else { return false }
            case .bool(_): guard column.kind == .bool else { return false }
            case .int(_): guard column.kind == .int else { return false }
            case .float(_): guard column.kind == .float else { return false }
            case .double(_): guard column.kind == .double else { return false }
            case .date(_): guard column.kind == .date else { return false }
            case .objectId(_): guard column.kind == .objectId else { return false }
            case .uuid(_): guard column.kind == .uuid else { return false }
            case .decimal(_): guard column.kind == .decimal128 else { return false }
            default: return false
            }
        }
        return true
    }

    package func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try existing(classID, key)
        // All are checked before any is assigned, in a fixed order so that the first fault reported is always the same
        // one.
        var assignments: [(ColumnLayout, Value)] = []
        for id in values.keys.sorted() {
            let column = try column(id, objectClass)
            guard let value = values[id] else { continue }
            try check(value, column, objectClass, of: key)
            if column.isPrimaryKey { try checkKeyChange(to: value, objectClass, key, column) }
            assignments.append((column, value))
        }
        for (column, value) in assignments { try assign(objectClass, key, column, value) }
    }

    package func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        try remove(try existing(classID, key), key)
    }

    package func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws {
        let objectClass = try objectClass(classID)
        for key in keys where try !session.exists(objectClass, key) {
            throw StoreError.notFound(key, in: objectClass.schema)
        }
        try IncomingLinks(self, to: objectClass, Set(keys)).clear()
        try session.poisoningOnError {
            try session.references.removingMany { for key in keys { try removeUnlinked(objectClass, key) } }
        }
    }

    package func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        let objectClass = try existing(classID, key)
        return try CollectionEditor(self, objectClass, key, try collectionColumn(property, objectClass)).perform(
            operation)
    }

    /// Assigns a checked value, with the consequences for embedded objects.
    func assign(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        let value = try materialised(value, column)
        guard column.ownsTarget else { return try exchange(objectClass, key, column, for: value) }
        let old = try session.value(objectClass, key, column)
        try exchange(objectClass, key, column, old, for: value)
        try removeOwned(old, except: value, column)
    }

    /// Assigns a value and ignores the objects that the old one owned.
    package func exchange(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, for value: Value)
        throws
    {
        guard case .list(let elements) = value, try session.isLongCollection(objectClass, key, column) else {
            return try exchange(objectClass, key, column, try session.value(objectClass, key, column), for: value)
        }
        // The edit of a list depends only on its length, so that a long one need not be read.
        let count = try session.elementCount(objectClass, key, column)
        let edit = CollectionEdit.list(ListEdit(replacing: count, with: elements.count))
        let old = try former(objectClass, key, column)
        try exchange(objectClass, key, column, former: old, for: value, edit, isDifference: true)
    }

    private func exchange(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ old: Value, for value: Value
    ) throws {
        try exchange(
            objectClass, key, column, old, for: value,
            CollectionEdit(replacing: old, with: value, in: column.property.type), isDifference: true)
    }

    /// Assigns a value when the old value and the edit of its elements are known.
    ///
    /// - Parameter isDifference: whether the edit is the one that follows from the two values.
    package func exchange(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, _ old: Value, for value: Value,
        _ edit: CollectionEdit?, isDifference: Bool = false
    ) throws {
        try exchange(objectClass, key, column, former: .value(old), for: value, edit, isDifference: isDifference)
    }

    private func exchange(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, former: BeforeImage?, for value: Value,
        _ edit: CollectionEdit?, isDifference: Bool
    ) throws {
        if let former { record(.assigned(objectClass, key, column, old: former)) }
        session.redo?.append(
            .changed(objectClass.schema.id, key, column.id, .assigned(value, edit: isDifference ? nil : edit)))
        try session.assign(objectClass, key, column, value)
        changes[objectClass.schema.id, default: ClassChangeRecorder()].recordModification(key, column.id, edit)
    }

    /// Rolls back everything, latest first. Assigned keys are not assigned again, which keeps the rule that keys are
    /// never reused.
    package func rollBack() throws {
        for step in journal.steps.reversed() {
            switch step {
            case .created(let objectClass, let keys):
                for key in keys.reversed() { try session.remove(objectClass, ObjectKey(key)) }
            case .assigned(let objectClass, let key, let column, let old):
                try session.assign(objectClass, key, column, old)
            case .assignedMany(let run):
                for entry in run.entries.reversed() {
                    let column = run.objectClass.columns[entry.position]
                    try session.assign(run.objectClass, entry.key, column, entry.old)
                }
            case .deleted(let objectClass, let key, let values): try session.restore(objectClass, key, values)
            case .inserted(let objectClass, let key, let column, let position):
                try session.removeElement(at: position, objectClass, key, column)
            case .replaced(let objectClass, let key, let column, let position, let old):
                try session.replace(at: position, with: old, objectClass, key, column)
            case .removed(let objectClass, let key, let column, let position, let mapKey, let old):
                try session.insert(old, mapKey: mapKey, at: position, objectClass, key, column)
            case .recordStored(let key, let bytes, let expiry):
                try records.put(bytes.map { ($0, expiry) }, under: key)
            }
        }
        steps = Journal()
        changes.removeAll()
    }

    // MARK: Objects

    /// A value for every column, given or initial. Throws `missingValue`, `unknownProperty`. The values are in the
    /// order of their properties, which mostly is that of the columns.
    private func row(_ objectClass: MutableClass, _ values: PropertyValues) throws -> [Value] {
        var row: [Value] = []
        row.reserveCapacity(objectClass.columns.count)
        var (used, next) = (0, 0)
        for column in objectClass.columns {
            if next >= values.count || values[next].key != column.id {
                next = values.position(of: column.id) ?? values.count
            }
            if next < values.count, values[next].key == column.id {
                row.append(values[next].value)
                used += 1
                next += 1
            } else {
                row.append(try initialValue(column, objectClass))
            }
        }
        if used < values.count { for given in values { _ = try column(given.key, objectClass) } }
        return row
    }

    private func initialValue(_ column: ColumnLayout, _ objectClass: MutableClass) throws -> Value {
        guard let value = column.initialValue else {
            throw StoreError(
                .missingValue,
                "Missing value for property '\(objectClass.schema.name).\(column.property.name)'. Give its primary key.",
                property: column.property.name)
        }
        return value
    }

    /// Creates an object from a checked row, and the embedded objects in it.
    package func append(_ objectClass: MutableClass, _ row: [Value]) throws -> ObjectKey {
        var row = row
        for column in objectClass.materialisedColumns {
            row[column.position] = try materialised(row[column.position], column)
        }
        return try add(objectClass, row)
    }

    /// Creates an object from a row as it is stored.
    private func add(_ objectClass: MutableClass, _ row: [Value], isPlain: Bool = false) throws -> ObjectKey {
        let key = try session.append(objectClass, row, isPlain: isPlain)
        if session.redo != nil { session.redo?.append(.created(objectClass.schema.id, key, row)) }
        noteCreation(objectClass, key)
        hasCreated = true
        return key
    }

    /// The value as it is stored: new embedded objects created, a set's elements in order.
    func materialised(_ value: Value, _ column: ColumnLayout) throws -> Value {
        guard column.ownsTarget else { return column.kind == .set ? ValueRules.normalised(value) : value }
        switch value {
        case .embedded(let values):
            guard let target = column.targetClass else { return value }
            let objectClass = try objectClass(target)
            return .link(try append(objectClass, try row(objectClass, PropertyValues(values))))
        case .list(let elements): return .list(try elements.map { try materialised($0, column) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try materialised($0, column) })
        default: return value
        }
    }

    /// Deletes an object: first the links to it, then the object, then the objects that it owns.
    package func remove(_ objectClass: MutableClass, _ key: ObjectKey) throws {
        try IncomingLinks(self, to: objectClass, [key]).clear()
        try removeUnlinked(objectClass, key)
    }

    /// Deletes an object, but neither the links to it nor the objects that it owns.
    package func removeAlone(_ objectClass: MutableClass, _ key: ObjectKey) throws {
        var row: [BeforeImage] = []
        if !cannotRollBack {
            row.reserveCapacity(objectClass.columns.count)
            var bytes = 0
            for column in objectClass.columns {
                guard let old = try former(objectClass, key, column, besides: bytes) else { break }
                bytes += old.sizeEstimate
                row.append(old)
            }
            record(.deleted(objectClass, key, row))
        }
        session.redo?.append(.deleted(objectClass.schema.id, key))
        try session.remove(objectClass, key, former: row)
        changes[objectClass.schema.id, default: ClassChangeRecorder()].recordDeletion(key)
    }

    private func removeUnlinked(_ objectClass: MutableClass, _ key: ObjectKey) throws {
        let owned = try objectClass.owningColumns.map { ($0, try session.value(objectClass, key, $0)) }
        try removeAlone(objectClass, key)
        for (column, old) in owned { try removeOwned(old, except: .null, column) }
    }

    /// Deletes the embedded objects in a replaced value, except those that are also in the new one.
    func removeOwned(_ old: Value, except new: Value, _ column: ColumnLayout) throws {
        guard let target = column.targetClass else { return }
        let remaining = Set(new.linkedKeys)
        let objectClass = try objectClass(target)
        for key in old.linkedKeys where !remaining.contains(key) { try remove(objectClass, key) }
    }

    // MARK: Rules

    package func objectClass(_ classID: ClassID) throws -> MutableClass {
        guard let objectClass = session.objectClass(classID) else { throw StoreError.unknownClass(classID) }
        return objectClass
    }

    package func existing(_ classID: ClassID, _ key: ObjectKey) throws -> MutableClass {
        let objectClass = try objectClass(classID)
        guard try session.exists(objectClass, key) else { throw StoreError.notFound(key, in: objectClass.schema) }
        return objectClass
    }

    package func column(_ id: PropertyID, _ objectClass: MutableClass) throws -> ColumnLayout {
        guard let column = objectClass.column(id) else { throw StoreError.unknownProperty(id, in: objectClass.schema) }
        return column
    }

    private func collectionColumn(_ id: PropertyID, _ objectClass: MutableClass) throws -> ColumnLayout {
        let column = try column(id, objectClass)
        guard column.kind.collection != .single else {
            throw StoreError.notACollection(column.property, in: objectClass.schema)
        }
        return column
    }

    var rules: ValueRules {
        ValueRules(validationSchema) { [self] target in
            guard let objectClass = session.objectClass(target.classID) else { return false }
            return try session.exists(objectClass, target.key)
        }
    }

    /// Checks whether a value can be assigned to a property; `key` is given for an existing object.
    private func check(
        _ value: Value, _ column: ColumnLayout, _ objectClass: MutableClass, of key: ObjectKey? = nil
    ) throws {
        if column.acceptsPlainly(value) { return }
        try rules.check(value, for: column.property, of: objectClass.schema) { owned in
            guard let key else { return false }
            return try session.value(objectClass, key, column).linkedKeys.contains(owned)
        }
    }

    /// Throws `duplicateKey`. A migration checks this only at its end.
    func checkUnique(_ value: Value, _ column: ColumnLayout, _ objectClass: MutableClass) throws {
        guard try session.lookUp(value, objectClass, column) == nil else {
            throw StoreError(
                .duplicateKey,
                "Attempting to create an object of type '\(objectClass.schema.name)' with an existing primary key value '\(value.text)'.",
                property: column.property.name)
        }
    }

    /// Throws `keyImmutable` unless the value is the object's own. A migration may change keys.
    func checkKeyChange(
        to value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws {
        guard try session.value(objectClass, key, column) != value else { return }
        throw StoreError(
            .keyImmutable,
            "Primary key can't be changed after an object is inserted. Delete the object and create a new one.",
            property: column.property.name)
    }
}

extension MemberTransaction.Step {
    /// The approximate size of the step in memory, in bytes.
    var sizeEstimate: Int {
        let values =
            switch self {
            case .created, .inserted: 0
            case .assigned(_, _, _, let old): old.sizeEstimate
            // The array. Its entries are counted one by one.
            case .assignedMany: 32
            case .replaced(_, _, _, _, let old), .removed(_, _, _, _, _, let old): old.heapEstimate
            case .deleted(_, _, let row): row.reduce(0) { $0 + MemoryLayout<BeforeImage>.stride + $1.sizeEstimate }
            case .recordStored(let key, let old, _): key.count + (old?.count ?? 0)
            }
        return MemoryLayout<Self>.stride + values
    }
}
