import ObjectModel
import StoreContract

/// Puts rows into a class, many per transaction. A row that does not fit is left out and reported; the others of its
/// transaction stay.
struct ObjectImporter {
    struct Outcome: Equatable, Sendable {
        var created = 0
        var modified = 0
        var faults: [LineFault] = []
        /// Links within the class to objects that the file may name further down.
        fileprivate var forwardLinks: [ForwardLink] = []
    }

    fileprivate struct ForwardLink: Equatable, Sendable {
        var line: Int
        var object: ObjectKey
        var property: PropertyID
        var primaryKey: Value
    }

    let store: any Store
    let objectClass: ClassSchema
    let schema: Schema
    let policy: UpdatePolicy

    /// Rows per durable commit: enough that the commit's disk write does not count.
    static let batchSize = 2000

    /// Imports everything that `source` gives.
    ///
    /// - Parameter progress: told after every commit what has been done so far.
    func run(_ source: inout some RowSource, progress: (Outcome) throws -> Void) throws -> Outcome {
        var total = Outcome()
        var atEnd = false
        while !atEnd {
            var batch: [ImportedRow] = []
            while batch.count < Self.batchSize {
                guard let next = try source.next() else {
                    atEnd = true
                    break
                }
                switch next {
                case .success(let row): batch.append(row)
                case .failure(let fault): total.faults.append(fault)
                }
            }
            guard !batch.isEmpty || atEnd else { continue }
            if !batch.isEmpty {
                let done = try commit(batch)
                total.created += done.created
                total.modified += done.modified
                total.faults += done.faults
                total.forwardLinks += done.forwardLinks
            }
            if atEnd { total.faults += try connect(total.forwardLinks) }
            try progress(total)
        }
        total.forwardLinks = []
        total.faults.sort { $0.line < $1.line }
        return total
    }

    /// Assigns the links that could not be assigned when their objects were read.
    private func connect(_ links: [ForwardLink]) throws -> [LineFault] {
        guard !links.isEmpty else { return [] }
        let (objectClass, schema) = (objectClass, schema)
        return try store.write { transaction in
            var faults: [LineFault] = []
            for link in links {
                if let target = try transaction.key(of: objectClass.id, primaryKey: link.primaryKey) {
                    try transaction.set(objectClass.id, link.object, [link.property: .link(target)])
                } else {
                    let fault = Self.missingTarget(link.primaryKey, of: link.property, objectClass, schema)
                    faults.append(
                        LineFault(
                            line: link.line, message: fault.message + " The object was imported without the link."))
                }
            }
            return faults
        }
    }

    private func commit(_ rows: [ImportedRow]) throws -> Outcome {
        let (objectClass, schema, policy) = (objectClass, schema, policy)
        return try store.write { transaction in
            var outcome = Outcome()
            for row in rows {
                do {
                    try Self.put(row, objectClass, schema, policy, transaction, &outcome)
                } catch let error as StoreError where error.isAboutOneObject {
                    outcome.faults.append(LineFault(line: row.line, message: CommandFailure(error).message))
                } catch let fault as RecordFault {
                    outcome.faults.append(LineFault(line: row.line, message: fault.message))
                }
            }
            return outcome
        }
    }

    private static func put(
        _ row: ImportedRow, _ objectClass: ClassSchema, _ schema: Schema, _ policy: UpdatePolicy,
        _ transaction: any WriteTransaction, _ outcome: inout Outcome
    ) throws {
        var values: [PropertyID: Value] = [:]
        var forward: [PropertyID: Value] = [:]
        for (id, content) in row.contents {
            switch content {
            case .value(let value):
                values[id] = value
            case .link(let primaryKey):
                guard let targetID = objectClass[id]?.targetClass else { continue }
                if let target = try transaction.key(of: targetID, primaryKey: primaryKey) {
                    values[id] = .link(target)
                } else if targetID == objectClass.id {
                    forward[id] = primaryKey
                } else {
                    throw missingTarget(primaryKey, of: id, objectClass, schema)
                }
            }
        }
        let object = try put(values, objectClass, policy, transaction, &outcome)
        for (id, primaryKey) in forward {
            outcome.forwardLinks.append(
                ForwardLink(line: row.line, object: object, property: id, primaryKey: primaryKey))
        }
    }

    private static func put(
        _ given: [PropertyID: Value], _ objectClass: ClassSchema, _ policy: UpdatePolicy,
        _ transaction: any WriteTransaction, _ outcome: inout Outcome
    ) throws -> ObjectKey {
        var values = given
        guard policy != .error, let primary = objectClass.primaryKeyProperty, let primaryKey = values[primary.id],
            let key = try transaction.key(of: objectClass.id, primaryKey: primaryKey)
        else {
            let key = try transaction.create(objectClass.id, values)
            outcome.created += 1
            return key
        }
        values[primary.id] = nil
        if try transaction.set(objectClass.id, key, values, onlyDifferent: policy == .modified) {
            outcome.modified += 1
        }
        return key
    }

    private static func missingTarget(
        _ primaryKey: Value, of id: PropertyID, _ objectClass: ClassSchema, _ schema: Schema
    ) -> RecordFault {
        let property = objectClass[id]
        let target = property?.targetClass.flatMap { schema[$0]?.name } ?? "object"
        return RecordFault(
            "\(property?.name ?? "A link"): there is no \(target) '\(FieldText.text(of: primaryKey) ?? "null")'.")
    }
}

extension StoreError {
    /// Whether the fault is one object's, so that the others of a file can go on.
    fileprivate var isAboutOneObject: Bool { code.rawValue.hasPrefix("object.") }
}
