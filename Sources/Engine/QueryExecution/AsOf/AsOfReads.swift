import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// The reads of an earlier version of a store, from the columns of an `AsOfSource`.
package final class AsOfReads: ObjectReads {
    package let version: Version
    package let tag: HistoryTag
    package let source: AsOfSource

    package init(_ version: Version, _ tag: HistoryTag, _ source: AsOfSource) {
        self.version = version
        self.tag = tag
        self.source = source
    }

    package var schema: Schema { source.schema }

    package func count(of classID: ClassID) -> Int { source.objectCount(of: classID) }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try source.exists(classID, key) }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        _ = try objectClass(classID)
        return try source.key(of: classID, primaryKey: primaryKey)
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        _ = try resolved(classID, key, property)
        return try source.value(classID, key, property)
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try checkCollection(classID, key, property)
        guard let value = try source.difference(classID, key, property) else {
            return try source.reads.elementCount(classID, key, property)
        }
        return value.elementCount
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        try checkCollection(classID, key, property)
        guard let value = try source.difference(classID, key, property) else {
            return try source.reads.elements(classID, key, property, range)
        }
        let range = range.clamped(to: 0..<value.elementCount)
        return switch value {
        case .list(let elements), .set(let elements): Array(elements[range])
        case .dictionary(let map): map.entries[range].map(\.value)
        default: []
        }
    }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] { try source.backlinks(to: target, from: origin, property) }

    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try QueryExecutor(source).select(query, window)
    }

    package func count(_ query: BoundQuery) throws -> Int { try QueryExecutor(source).count(query) }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        try QueryExecutor(source).matches(query, key)
    }

    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try QueryExecutor(source).aggregate(query, requests)
    }

    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try QueryExecutor(source).sections(query, by: key)
    }

    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try QueryExecutor(source).sortValues(keys, of: key, in: classID)
    }

    // MARK: Rules

    private func objectClass(_ classID: ClassID) throws -> ClassSchema {
        guard let objectClass = schema[classID] else { throw StoreError.unknownClass(classID) }
        return objectClass
    }

    /// Throws `unknownClass`, `unknownProperty`, `notFound`.
    private func resolved(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> (objectClass: ClassSchema, property: PropertySchema) {
        let objectClass = try objectClass(classID)
        guard let declared = objectClass[property], LeafKind(declared.type) != nil else {
            throw StoreError.unknownProperty(property, in: objectClass)
        }
        guard try source.exists(classID, key) else { throw StoreError.notFound(key, in: objectClass) }
        return (objectClass, declared)
    }

    private func checkCollection(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws {
        let (objectClass, declared) = try resolved(classID, key, property)
        guard declared.type.isCollection else { throw StoreError.notACollection(declared, in: objectClass) }
    }
}

extension Value {
    /// The number of elements of a list or set, or of entries of a map.
    fileprivate var elementCount: Int {
        switch self {
        case .list(let elements), .set(let elements): elements.count
        case .dictionary(let map): map.count
        default: 0
        }
    }
}
