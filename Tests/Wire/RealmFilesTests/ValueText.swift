import ObjectModel
@testable import RealmFiles

/// Values as texts, for comparisons.
enum ValueText {
    static func of(_ value: RealmValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "float \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "'\(value)'"
        case .binary(let value): "\(value)"
        case .timestamp(let seconds, let nanoseconds): "\(seconds):\(nanoseconds)"
        case .decimal(let value): "decimal \(value)"
        case .objectID(let value): value.hex
        case .uuid(let value): value.text
        case .link(let table, let key): "\(table)/\(key)"
        case .list(let elements): "[" + elements.map(of).joined(separator: " ") + "]"
        case .map(let entries): "{" + entries.map { of($0.key) + "=" + of($0.value) }.joined(separator: " ") + "}"
        }
    }

    /// The values of the first column of a file's first table.
    static func column(of bytes: [UInt8]) throws -> [String] {
        let file = try RealmFile(bytes: bytes)
        var texts: [String] = []
        try file.forEachObject(of: file.tables[0]) { texts.append(of($0.values[0])) }
        return texts
    }

    /// Reads all there is, and returns the fault that ends it.
    static func fault(of bytes: [UInt8]) -> RealmFileError? {
        do {
            let file = try RealmFile(bytes: bytes)
            for table in file.tables {
                _ = try file.objectCount(of: table)
                try file.forEachObject(of: table) { _ in }
            }
            return nil
        } catch {
            return error as? RealmFileError
        }
    }

    /// The reason of a fault of damage; a text that no reason has for others.
    static func damage(of bytes: [UInt8]) -> String {
        switch fault(of: bytes) {
        case .damaged(_, let reason): reason
        case let other: "– \(String(describing: other))"
        }
    }
}
