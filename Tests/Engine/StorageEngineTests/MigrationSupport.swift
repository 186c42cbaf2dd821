import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import QuerySyntax
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// A schema written as text: `Dog(name!): name string, age int?` with `!` after the primary key's name, `E*` for an
/// embedded class, `+` after an indexed type and `#` after one with a full-text index.
func schema(_ version: UInt64, _ classes: String...) -> Schema {
    Schema(
        version: version,
        classes: classes.map { text in
            let parts = text.split(separator: ":", maxSplits: 1)
            let isEmbedded = parts[0].hasSuffix("*")
            var primaryKey: String?
            let properties = parts[1].split(separator: ",").map { property in
                let words = property.split(separator: " ")
                var name = String(words[0])
                if name.hasSuffix("!") {
                    name.removeLast()
                    primaryKey = name
                }
                var type = String(words[1])
                let isIndexed = type.hasSuffix("+")
                let isFullTextIndexed = type.hasSuffix("#")
                if isIndexed || isFullTextIndexed { type.removeLast() }
                return PropertySchema(
                    name, PropertyType(text: type) ?? PropertyType(.mixed), isIndexed: isIndexed,
                    isFullTextIndexed: isFullTextIndexed)
            }
            return ClassSchema(
                String(isEmbedded ? parts[0].dropLast() : parts[0]), primaryKey: primaryKey, isEmbedded: isEmbedded,
                properties: properties)
        })
}

/// A store in a directory that is deleted with it.
struct MigrationStore {
    let directory: TestDirectory
    let store: EmbeddedStore

    init(_ schema: Schema) throws {
        directory = try TestDirectory()
        store = try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters())
    }

    /// Creates an object by the names of its properties.
    @discardableResult
    func create(_ className: String, _ values: [String: Value] = [:]) throws -> ObjectKey {
        try store.write { transaction in
            guard let objectClass = transaction.schema[className] else { throw StoreError(.unknownClass, className) }
            return try transaction.create(
                objectClass.id,
                Dictionary(uniqueKeysWithValues: values.map { (objectClass[$0.key]?.id ?? PropertyID(0), $0.value) }))
        }
    }

    func value(_ className: String, _ key: Int64, _ property: String) throws -> Value {
        let snapshot = try store.snapshot()
        let objectClass = try #require(snapshot.schema[className])
        return try snapshot.value(objectClass.id, ObjectKey(key), try #require(objectClass[property]).id)
    }

    func values(_ className: String, _ property: String) throws -> [Value] {
        try keys(className).map { try value(className, $0.rawValue, property) }
    }

    func keys(_ className: String) throws -> [ObjectKey] {
        let snapshot = try store.snapshot()
        let objectClass = try #require(snapshot.schema[className])
        return try snapshot.select(BoundQuery(classID: objectClass.id), .all)
    }

    func key(_ className: String, _ primaryKey: Value) throws -> ObjectKey? {
        let snapshot = try store.snapshot()
        return try snapshot.key(of: try #require(snapshot.schema[className]).id, primaryKey: primaryKey)
    }

    func backlinks(_ key: Int64, _ origin: String, _ property: String) throws -> [ObjectKey] {
        let snapshot = try store.snapshot()
        let objectClass = try #require(snapshot.schema[origin])
        return try snapshot.backlinks(
            to: ObjectKey(key), from: objectClass.id, try #require(objectClass[property]).id)
    }

    func migrate(
        to schema: Schema, _ steps: MigrationStep...,
        block: (@Sendable (any MigrationTransaction) throws -> Void)? = nil
    ) throws {
        try store.replaceSchema(with: schema, migration: Migration(steps: steps, block: block))
        try checkIntegrity()
    }

    /// The error of a migration that fails. Checks that the store is unchanged, now and after it has been opened again.
    func refusal(
        of schema: Schema, _ steps: MigrationStep...,
        block: (@Sendable (any MigrationTransaction) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoreError {
        let before = try dump(store)
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try store.replaceSchema(with: schema, migration: Migration(steps: steps, block: block))
        }
        #expect(try dump(store) == before, sourceLocation: sourceLocation)
        try checkIntegrity()
        let copy = directory.path + "/copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: directory.store, toPath: copy)
        let reopened = try EmbeddedStore.open(path: copy, options: smallClusters())
        #expect(try dump(reopened) == before, sourceLocation: sourceLocation)
        reopened.close()
        return try #require(error)
    }

    /// Checks every index and backlink.
    func checkIntegrity() throws { try StorageEngineTests.checkIntegrity(store) }
}

/// The whole content of a store, as text.
func dump(_ store: any Store) throws -> [String] {
    let snapshot = try store.snapshot()
    var lines = ["version \(snapshot.version.rawValue)", "schema \(snapshot.schema.version)"]
    for objectClass in snapshot.schema.classes {
        lines.append(
            "\(objectClass.name) \(objectClass.id.rawValue), key \(objectClass.primaryKey ?? ""), \(objectClass.isEmbedded): \(snapshot.count(of: objectClass.id))"
        )
        for property in objectClass.properties {
            lines.append("  \(property.name) \(property.id.rawValue) \(property.type) \(property.isIndexed)")
        }
        for key in try snapshot.select(BoundQuery(classID: objectClass.id), .all) {
            for property in objectClass.storedProperties {
                let value = try snapshot.value(objectClass.id, key, property.id)
                lines.append("\(objectClass.name)[\(key.rawValue)].\(property.name) = \(value)")
                guard property.type.isLink, let target = property.targetClass else { continue }
                for other in try snapshot.select(BoundQuery(classID: target), .all) {
                    let origins = try snapshot.backlinks(to: other, from: objectClass.id, property.id)
                    if !origins.isEmpty { lines.append("  \(other.rawValue) <- \(origins.map(\.rawValue))") }
                }
            }
        }
    }
    return lines
}

/// Checks values, owners, and that every index and backlink agrees with the values.
func checkIntegrity(_ store: any Store, _ context: String = "") throws {
    let snapshot = try store.snapshot()
    try StoreConformance.checkIntegrity(snapshot)
    for objectClass in snapshot.schema.classes {
        let keys = try snapshot.select(BoundQuery(classID: objectClass.id), .all)
        #expect(snapshot.count(of: objectClass.id) == keys.count)
        for property in objectClass.storedProperties {
            let values = try keys.map { ($0, try snapshot.value(objectClass.id, $0, property.id)) }
            let path = "\(objectClass.name).\(property.name)"
            if objectClass.primaryKey == property.name {
                for (key, value) in values {
                    #expect(try snapshot.key(of: objectClass.id, primaryKey: value) == key, "key \(path)")
                }
            }
            if property.isIndexed {
                for value in Set(values.map(\.1)) {
                    let query = BoundQuery(
                        classID: objectClass.id,
                        predicate: .comparison(
                            BoundComparison(
                                .path(BoundPath(end: .property(property.id, property.type))), .equal,
                                .constant(value))))
                    let expected = values.filter { ReferenceComparison.isEqual($0.1, toConstant: value) }.map(\.0)
                    let found = try snapshot.select(query, .all)
                    #expect(found == expected, "index of \(path) for \(value): \(context)")
                }
            }
            guard property.type.isLink, let target = property.targetClass else { continue }
            var origins: [ObjectKey: [ObjectKey]] = [:]
            for (key, value) in values {
                for linked in links(value) { origins[linked, default: []].append(key) }
            }
            for key in try snapshot.select(BoundQuery(classID: target), .all) {
                #expect(
                    try snapshot.backlinks(to: key, from: objectClass.id, property.id) == origins[key] ?? [],
                    "backlinks of \(path)")
            }
        }
    }
}

private func links(_ value: Value) -> [ObjectKey] {
    switch value {
    case .link(let key): [key]
    case .list(let elements), .set(let elements): elements.flatMap { links($0) }
    case .dictionary(let map): map.entries.flatMap { links($0.value) }
    default: []
    }
}
