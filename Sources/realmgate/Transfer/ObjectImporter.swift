import Gateway
import ObjectModel
import StoreContract

/// Puts rows into a class, many per transaction. A row that does not fit is left out and reported; the others of its
/// transaction stay.
struct ObjectImporter {
    struct Outcome: Sendable {
        var created = 0
        var modified = 0
        var faults: [LineFault] = []
        /// Values with links within the class to objects that the file may name further down.
        fileprivate var forwardLinks: [ForwardLink] = []
    }

    fileprivate struct ForwardLink: Sendable {
        var line: Int
        var object: ObjectKey
        var draft: ObjectInput.Draft
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
        let (objectClass, policy) = (objectClass, policy)
        return try store.write { transaction in
            let writer = ObjectWriter(transaction, policy)
            var faults: [LineFault] = []
            for link in links {
                do {
                    let (value, missing) = try writer.resolve(link.draft)
                    if let first = missing.first { throw RecordFault(missing: first, in: transaction.schema) }
                    try transaction.set(objectClass.id, link.object, [link.draft.property: value])
                } catch {
                    guard let message = Self.message(aboutOneObject: error) else { throw error }
                    faults.append(
                        LineFault(line: link.line, message: message + " The object was imported without the link."))
                }
            }
            return faults
        }
    }

    private func commit(_ rows: [ImportedRow]) throws -> Outcome {
        let policy = policy
        return try store.write { transaction in
            let writer = ObjectWriter(transaction, policy)
            var outcome = Outcome()
            for row in rows {
                do {
                    try Self.put(row, writer, policy, transaction.schema, &outcome)
                } catch {
                    guard let message = Self.message(aboutOneObject: error) else { throw error }
                    outcome.faults.append(LineFault(line: row.line, message: message))
                }
            }
            return outcome
        }
    }

    /// Everything that could be refused halfway is looked at first, so that a refused row leaves nothing behind.
    private static func put(
        _ row: ImportedRow, _ writer: ObjectWriter, _ policy: UpdatePolicy, _ schema: Schema,
        _ outcome: inout Outcome
    ) throws {
        var now = row.input
        var later: [ObjectInput.Draft] = []
        now.drafts = []
        for draft in row.input.drafts {
            if let path = draft.content.firstNewObject {
                throw RecordFault(
                    "\(path): a file names linked objects by their keys. Import those objects first, with their class.")
            }
            let (value, missing) = try writer.resolve(draft)
            if let fault = missing.first(where: { $0.target != row.input.classID }) {
                throw RecordFault(missing: fault, in: schema)
            }
            if missing.isEmpty { now.values[draft.property] = value } else { later.append(draft) }
        }
        let key: ObjectKey
        if policy == .error {
            key = try writer.create(now)
            outcome.created += 1
        } else {
            let put = try writer.put(now)
            key = put.key
            if put.isNew { outcome.created += 1 } else if put.isChanged { outcome.modified += 1 }
        }
        outcome.forwardLinks += later.map { ForwardLink(line: row.line, object: key, draft: $0) }
    }

    /// What to say of a fault that is one object's, so that the others of a file can go on; nil for any other.
    private static func message(aboutOneObject error: any Error) -> String? {
        switch error {
        case let error as StoreError where error.code.rawValue.hasPrefix("object."): CommandFailure(error).message
        case let problem as Problem where problem.code.hasPrefix("object."): RecordFault(problem).message
        case let fault as RecordFault: fault.message
        default: nil
        }
    }
}

extension RecordFault {
    /// `owner: there is no Person '99'.`
    fileprivate init(missing link: ObjectInput.Link, in schema: Schema) {
        let key =
            switch link.way {
            case .primaryKey(let value): FieldText.text(of: value) ?? "null"
            case .objectKey(let key): String(key.rawValue)
            case .object: "of this"
            }
        self.init("\(link.path): there is no \(schema[link.target]?.name ?? "object") '\(key)'.")
    }
}
