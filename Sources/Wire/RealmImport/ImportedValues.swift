import ObjectModel
import RealmFiles
import StoreContract

/// Converts values of a file to values of the store: links to the created objects, and embedded objects as values.
struct ImportedValues {
    private let file: RealmFile
    private let layout: CopyLayout
    /// The position of each table in the order in which objects are created.
    private let creationOrder: [UInt32: Int]
    private(set) var report: RealmImportReport
    /// The objects that were created, by table.
    private var keys: [UInt32: ObjectKeyRuns] = [:]
    /// The look-ups in the tables of embedded objects.
    private var lookups: [UInt32: RealmObjectLookup] = [:]
    /// The object whose value is converted: the position of its table, and its key.
    private var origin = (creationIndex: 0, key: Int64(0))
    /// Whether all objects have been created.
    private var isConnecting = false
    /// Whether the value that was converted last has a link to an object that is created after its own.
    private(set) var isWaiting = false
    /// The number of embedded objects around the one that is converted.
    private var depth = 0

    /// Realm's limit for collections within a mixed value is 100. Deeper ones would need a large stack.
    private static let depthLimit = 100

    /// - Parameter order: the tables in the order in which their objects are created.
    init(_ file: RealmFile, _ layout: CopyLayout, order: [UInt32]) {
        self.file = file
        self.layout = layout
        creationOrder = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
        report = layout.report
    }

    mutating func beginConnecting() { isConnecting = true }

    mutating func record(
        _ key: Int64, became target: ObjectKey, in table: TableCopy, isNew: Bool = true, isChanged: Bool = true
    ) {
        keys[table.table.key, default: ObjectKeyRuns()].append(key, target)
        report.classes[table.reportIndex].objects += 1
        if !isNew {
            report.classes[table.reportIndex].present += 1
            if isChanged { report.classes[table.reportIndex].modified += 1 }
        }
    }

    mutating func record(_ sentence: String) { report.notes.append(sentence) }

    func key(of key: Int64, in table: TableCopy) -> ObjectKey? { keys[table.table.key]?[key] }

    /// The value of a property. Before all objects have been created, ignore it if `isWaiting` is set afterwards.
    mutating func value(_ object: RealmObject, _ column: ColumnCopy, of table: TableCopy) throws -> Value {
        isWaiting = false
        depth = 0
        origin = (creationOrder[table.table.key] ?? 0, object.key)
        return try property(object, column, table)
    }

    private mutating func property(_ object: RealmObject, _ column: ColumnCopy, _ table: TableCopy) throws -> Value {
        let value = try whole(object.values[column.source], column)
        if !isConnecting, let numbers = column.numbers {
            report.classes[table.reportIndex].numbers[numbers].add(value)
        }
        return value
    }

    private mutating func whole(_ value: RealmValue, _ column: ColumnCopy) throws -> Value {
        switch (column.collection, value) {
        case (.none, _): return try single(value, column)
        case (.list, .list(let elements)): return .list(try list(elements, column))
        case (.set, .list(let elements)):
            var present: [Value] = []
            present.reserveCapacity(elements.count)
            for element in elements {
                let lost = report.lostLinks
                let value = try single(element, column)
                // In a set, no null is needed to keep positions.
                if report.lostLinks == lost { present.append(value) }
            }
            return .set(present)
        case (.map, .map(let entries)): return .dictionary(try map(entries, column))
        default: throw mismatch(column)
        }
    }

    private mutating func list(_ elements: [RealmValue], _ column: ColumnCopy) throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements { values.append(try single(element, column)) }
        return values
    }

    private mutating func map(_ entries: [(key: RealmValue, value: RealmValue)], _ column: ColumnCopy) throws
        -> ValueMap
    {
        var pairs: [(String, Value)] = []
        pairs.reserveCapacity(entries.count)
        for entry in entries {
            let key: String
            switch entry.key {
            case .string(let text): key = text
            case .int(let number): key = String(number)
            default: throw mismatch(column)
            }
            pairs.append((key, try single(entry.value, column)))
        }
        return ValueMap(pairs)
    }

    private mutating func single(_ value: RealmValue, _ column: ColumnCopy) throws -> Value {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value)
        case .binary(let value): return .data(value)
        case .timestamp(let seconds, let nanoseconds):
            guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
                throw damaged(column, "a date of \(seconds) seconds and \(nanoseconds) nanoseconds")
            }
            return .date(date)
        case .decimal(let value): return .decimal(value)
        case .objectID(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        case .link(let table, let key): return try link(table, key, column)
        case .list(let elements):
            guard column.isMixed else { throw mismatch(column) }
            return .list(try list(elements, column))
        case .map(let entries):
            guard column.isMixed else { throw mismatch(column) }
            return .dictionary(try map(entries, column))
        }
    }

    // MARK: Links

    private mutating func link(_ table: UInt32, _ key: Int64, _ column: ColumnCopy) throws -> Value {
        guard column.isMixed || table == column.target else { throw mismatch(column) }
        guard let target = layout.tables[table] else {
            // Properties that link to classes that are left out are left out, too, so this property is mixed.
            report.lostLinks += 1
            return .null
        }
        if target.isEmbedded {
            guard !column.isMixed else { throw damaged(column, "a link to an embedded object in a mixed value") }
            return try embedded(key, target, column)
        }
        if isLater(key, table) { isWaiting = true }
        guard let object = keys[table]?[key] else {
            guard isWaiting, !isConnecting else {
                throw damaged(column, "a link to object key \(key) of '\(target.oldName)', which is not there")
            }
            return .null
        }
        return column.isMixed ? .reference(ObjectReference(target.classID, object)) : .link(object)
    }

    /// Whether an object is created after the one that links to it, or is that object.
    private func isLater(_ key: Int64, _ table: UInt32) -> Bool {
        guard let creationIndex = creationOrder[table] else { return false }
        return creationIndex != origin.creationIndex ? creationIndex > origin.creationIndex : key >= origin.key
    }

    private mutating func embedded(_ key: Int64, _ target: TableCopy, _ column: ColumnCopy) throws -> Value {
        let lookup: RealmObjectLookup
        if let known = lookups[target.table.key] {
            lookup = known
        } else {
            lookup = try file.lookup(in: target.table, columns: target.sources)
            lookups[target.table.key] = lookup
        }
        guard let object = try lookup.object(key) else {
            throw damaged(column, "a link to object key \(key) of '\(target.oldName)', which is not there")
        }
        if !isConnecting {
            // Each has one owner, so reading them all ends.
            guard report.classes[target.reportIndex].objects < lookup.count else {
                throw damaged(column, "a link to an object of '\(target.oldName)' that another object owns")
            }
            report.classes[target.reportIndex].objects += 1
        }
        guard depth < Self.depthLimit else {
            throw damaged(column, "embedded objects are more than \(Self.depthLimit) levels deep")
        }
        depth += 1
        defer { depth -= 1 }
        var values: [PropertyID: Value] = [:]
        for inner in target.columns { values[inner.id] = try property(object, inner, target) }
        return .embedded(values)
    }

    // MARK: Damage

    private func mismatch(_ column: ColumnCopy) -> RealmFileError { damaged(column, "a value of another type") }

    private func damaged(_ column: ColumnCopy, _ reason: String) -> RealmFileError {
        .damaged(location: "property '\(column.path)'", reason: reason)
    }
}
