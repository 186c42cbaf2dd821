package import ObjectModel
package import QuerySyntax
package import QueryLanguage
package import StoreContract

/// Query texts with the objects that they find in a small data set, worked out by hand, against which any store can be
/// checked.
package enum QueryCorpus {
    package struct Row: Sendable, CustomStringConvertible {
        /// The part of the language that the row is about.
        package let section: String
        package let className: String
        package let text: String
        package let arguments: [QueryArgument]
        package let dialect: QueryDialect
        /// The keys in the result's order.
        package let keys: [ObjectKey]

        package var description: String { "\(section): \(className) where \(text)" }
    }

    package static let rows: [Row] = basics + paths + collections + values + results + others

    /// Fills an empty store with the data set. Objects get keys from 0 on in each class, in the order of `objects`.
    package static func fill(_ store: any Store) throws {
        try store.write { transaction in
            for (className, values) in objects {
                guard let objectClass = schema[className] else { continue }
                var properties: [PropertyID: Value] = [:]
                for (name, value) in values {
                    guard let property = objectClass[name] else { throw ConformanceFailure("no property \(name)") }
                    properties[property.id] = value
                }
                _ = try transaction.create(objectClass.id, properties)
            }
        }
    }

    /// Checks one row: as one query, counted, and object by object.
    package static func check(_ row: Row, in snapshot: any Snapshot) throws {
        guard let objectClass = snapshot.schema[row.className] else {
            throw ConformanceFailure("no class \(row.className)")
        }
        let parsed = try QueryBinder(schema: snapshot.schema).bind(
            row.text, class: objectClass, arguments: row.arguments, dialect: row.dialect)
        let query = try parsed.namingObjects { try snapshot.key(of: $0, primaryKey: $1) }
        try requireEqual(try snapshot.select(query, .all), row.keys, "\(row)")
        try requireEqual(try snapshot.count(query), row.keys.count, "count of \(row)")
        // The result depends on the steps, but whether an object satisfies the predicate does not.
        let plain = query.steps.isEmpty
        for number in 0..<Int64(snapshot.count(of: objectClass.id)) where plain {
            let key = ObjectKey(number)
            try requireEqual(try snapshot.matches(query, key), row.keys.contains(key), "\(number) matches \(row)")
        }
    }

    /// Rows about objects of one class, without arguments.
    static func rows(
        _ section: String, _ className: String, dialect: QueryDialect = .rql, _ table: [(String, [Int64])]
    ) -> [Row] {
        table.map { text, keys in
            Row(
                section: section, className: className, text: text, arguments: [], dialect: dialect,
                keys: keys.map { ObjectKey($0) })
        }
    }

    /// The same, with arguments.
    static func rowsWithArguments(
        _ section: String, _ className: String, dialect: QueryDialect = .rql,
        _ table: [(String, [QueryArgument], [Int64])]
    ) -> [Row] {
        table.map { text, arguments, keys in
            Row(
                section: section, className: className, text: text, arguments: arguments, dialect: dialect,
                keys: keys.map { ObjectKey($0) })
        }
    }
}
