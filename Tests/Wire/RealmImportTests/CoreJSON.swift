import Foundation
import JSONCoding
import ObjectModel
import QueryLanguage
import RealmFiles
import StoreContract

/// The objects of a snapshot in the form in which realm-core prints those of a file.
struct CoreJSON {
    let snapshot: any Snapshot
    /// The file's object keys of classes without a primary key, in order: realm-core prints links by them.
    let fileKeys: [String: [Int64]]
    /// The names that classes of the file have in the snapshot.
    let oldNames: [String: String]

    init(_ snapshot: any Snapshot, _ file: RealmFile, oldNames: [String: String] = [:]) throws {
        self.snapshot = snapshot
        self.oldNames = oldNames
        var fileKeys: [String: [Int64]] = [:]
        for table in file.tables {
            var keys: [Int64] = []
            try file.forEachObject(of: table) { keys.append($0.key) }
            fileKeys[table.className ?? table.name] = keys
        }
        self.fileKeys = fileKeys
    }

    func objects(_ name: String) throws -> [JSONValue] {
        guard let objectClass = snapshot.schema[name] else { return [] }
        return try snapshot.select(BoundQuery(classID: objectClass.id), .all).map { try object(objectClass, $0) }
    }

    private func object(_ objectClass: ClassSchema, _ key: ObjectKey) throws -> JSONValue {
        .object(
            JSONObject(
                try objectClass.storedProperties.map { property in
                    let value = try snapshot.value(objectClass.id, key, property.id)
                    return .init(name: property.name, value: try json(value, property))
                }))
    }

    private func json(_ value: Value, _ property: PropertySchema) throws -> JSONValue {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return ["$numberLong": .string(String(value))]
        case .float(let value): return ["$numberDouble": .string(number(Double(value), 7))]
        case .double(let value): return ["$numberDouble": .string(number(value, 16))]
        case .string(let value): return .string(value)
        case .date(let value):
            let milliseconds = value.seconds * 1000 + Int64(value.nanoseconds) / 1_000_000
            return ["$date": ["$numberLong": .string(String(milliseconds))]]
        case .objectId(let value): return ["$oid": .string(value.hex)]
        case .uuid(let value): return binary(value.bytes, "04")
        case .data(let value): return binary(value, "00")
        case .decimal(let value): return ["$numberDecimal": .string(value.description)]
        case .link(let key):
            guard let target = property.targetClass.flatMap({ snapshot.schema[$0] }) else { return .null }
            return target.isEmbedded ? try object(target, key) : try name(of: key, target)
        case .reference(let reference):
            guard let target = snapshot.schema[reference.classID] else { return .null }
            let table = oldNames[target.name] ?? target.name
            return ["$link": ["table": .string(table), "key": try name(of: reference.key, target)]]
        case .list(let elements), .set(let elements): return .array(try elements.map { try json($0, property) })
        case .dictionary(let map):
            return .object(JSONObject(try map.entries.map { .init(name: $0.key, value: try json($0.value, property)) }))
        case .embedded: return .null
        }
    }

    /// The primary key, or the object key in the file.
    private func name(of key: ObjectKey, _ target: ClassSchema) throws -> JSONValue {
        if let primary = target.primaryKeyProperty {
            return try json(try snapshot.value(target.id, key, primary.id), primary)
        }
        let keys = try snapshot.select(BoundQuery(classID: target.id), .all)
        guard let index = keys.firstIndex(of: key), let all = fileKeys[oldNames[target.name] ?? target.name] else {
            return .null
        }
        return .int(all[index])
    }

    private func binary(_ bytes: [UInt8], _ type: String) -> JSONValue {
        ["$binary": ["base64": .string(Data(bytes).base64EncodedString()), "subType": .string(type)]]
    }

    private func number(_ value: Double, _ digits: Int) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        return String(format: "%.\(digits)e", value)
    }
}

extension JSONValue {
    /// With decimals in our own spelling, and without some members of objects.
    func settled(without names: Set<String> = []) -> JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map { $0.settled(without: names) })
        case .object(let object):
            if case .string(let text)? = object["$numberDecimal"], let number = Decimal128(text) {
                return ["$numberDecimal": .string(number.description)]
            }
            let members = object.members.filter { !names.contains($0.name) }
            return .object(
                JSONObject(members.map { .init(name: $0.name, value: $0.value.settled(without: names)) }))
        default: return self
        }
    }
}
