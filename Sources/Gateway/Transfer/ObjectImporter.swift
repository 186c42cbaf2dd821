package import AccessRules
package import ObjectModel
package import StoreContract
import Synchronization

/// Puts rows into a class, many per transaction.
///
/// By batches, a row that does not fit is left out and reported, and the others of its transaction stay. As a whole,
/// one such row keeps everything out.
package struct ObjectImporter: Sendable {
    package struct Outcome: Sendable {
        package var created = 0
        package var modified = 0
        /// The first of those that were refused, by line.
        package var faults: [LineFault] = []
        /// All of those that were refused.
        package var refused = 0
        /// Bytes read so far.
        package var bytes = 0
        /// Of the last commit; nil before the first.
        package var version: Version?
        /// Values with links within the class to objects that the file may name further down.
        fileprivate var forwardLinks: [ForwardLink] = []
        /// How many of these were left when their objects were looked for last.
        fileprivate var stillWaiting = 0
    }

    /// Nothing of a file was imported, because not all of it could be.
    package struct Refusal: Error {
        package let outcome: Outcome
    }

    /// Nothing of a file was imported, because it is too large for one transaction.
    package struct TooLarge: Error {
        /// In bytes.
        package let limit: Int
    }

    fileprivate struct ForwardLink: Sendable {
        var line: Int
        var object: ObjectKey
        var draft: ObjectInput.Draft
    }

    private let store: any Store
    private let objectClass: ClassSchema
    private let schema: Schema
    private let policy: UpdatePolicy
    private let view: AccessView
    private let wholeLimit: Int
    private let mostWaiting: Int
    private let batchSize: Int

    /// Rows per durable commit: enough that the commit's disk write does not count.
    package static let batchSize = 2000
    /// Most faults that are told one by one.
    package static let mostFaults = 1000
    /// Largest file that becomes one transaction. Such a transaction's pages are in memory, about as many bytes as the
    /// file has, until they are written, however little else is kept of it.
    package static let wholeLimit = 256 << 20
    /// Links that wait at a time for objects further down, 200 to 300 bytes each.
    package static let mostWaiting = 200_000

    /// - Parameters:
    ///   - wholeLimit: bytes of the largest file that is imported as a whole.
    ///   - mostWaiting: links that wait at a time for objects further down.
    ///   - batchSize: rows per commit, and between two looks at how far an import is.
    package init(
        store: any Store, objectClass: ClassSchema, schema: Schema, policy: UpdatePolicy,
        view: AccessView = .unrestricted, wholeLimit: Int = Self.wholeLimit, mostWaiting: Int = Self.mostWaiting,
        batchSize: Int = Self.batchSize
    ) {
        self.store = store
        self.objectClass = objectClass
        self.schema = schema
        self.policy = policy
        self.view = view
        self.wholeLimit = wholeLimit
        self.mostWaiting = mostWaiting
        self.batchSize = batchSize
    }

    /// Imports everything that `source` gives, by batches. Blocks; not for a loop's thread. Throws what the source and
    /// the store do; what was committed before stays.
    ///
    /// - Parameter progress: told after every commit what has been done so far. What it throws ends the import.
    package func run<Source: RowSource>(
        _ source: inout Source, progress: (Outcome) throws -> Void
    ) throws -> Outcome {
        var total = Outcome()
        var atEnd = false
        while !atEnd {
            var batch: [ImportedRow] = []
            while batch.count < batchSize {
                guard let next = try source.next() else {
                    atEnd = true
                    break
                }
                switch next {
                case .success(let row): batch.append(row)
                case .failure(let fault): total.add(fault)
                }
            }
            guard !batch.isEmpty || atEnd else { continue }
            if !batch.isEmpty { total.add(try commit(batch)) }
            if isTimeToConnect(total, atEnd: atEnd) {
                let links = total.takeForwardLinks()
                total.add(try write { [atEnd] in try self.connect(links, $0, atEnd: atEnd) })
                total.noteConnected()
            }
            total.bytes = source.position
            try progress(total)
        }
        total.finish()
        return total
    }

    /// Imports everything that `source` gives in one transaction, which is alone in its commit. Blocks, and other writes
    /// wait meanwhile. Memory: what a transaction with as many objects takes. Throws `Refusal` when a row does not fit,
    /// and `TooLarge`.
    package func runAsWhole<Source: RowSource>(
        _ source: sending Source, progress: @escaping @Sendable (Outcome) throws -> Void
    ) throws -> Outcome {
        if let size = source.size, size > wholeLimit { throw TooLarge(limit: wholeLimit) }
        let source = Mutex(source)
        return try write(isAlone: true) { transaction in
            let writer = ObjectWriter(transaction, policy)
            var total = Outcome()
            var rows = 0
            while let next = try source.withLock({ try $0.next() }) {
                switch next {
                case .success(let row): try put(row, writer, transaction.schema, &total)
                case .failure(let fault): total.add(fault)
                }
                rows += 1
                guard source.withLock({ $0.expanded }) <= wholeLimit else { throw TooLarge(limit: wholeLimit) }
                if rows.isMultiple(of: batchSize) {
                    total.bytes = source.withLock { $0.position }
                    if isTimeToConnect(total, atEnd: false) {
                        total.add(try connect(total.takeForwardLinks(), transaction, atEnd: false))
                        total.noteConnected()
                    }
                    try progress(total)
                }
            }
            total.add(try connect(total.takeForwardLinks(), transaction, atEnd: true))
            total.bytes = source.withLock { $0.position }
            total.version = transaction.version
            total.finish()
            guard total.refused == 0 else { throw Refusal(outcome: total) }
            return total
        }
    }

    private func write<R: Sendable>(
        isAlone: Bool = false, _ work: @escaping @Sendable (any WriteTransaction) throws -> R
    ) throws -> R {
        try store.write(isAlone: isAlone) { [view, schema] transaction in
            // The rows were read by a schema that may have been replaced since.
            guard view.shows(schema, of: transaction.schema) else { throw StoreError.schemaReplaced }
            return try view.perform(in: transaction, work)
        }
    }

    private func commit(_ rows: [ImportedRow]) throws -> Outcome {
        do {
            return try write { transaction in
                let writer = ObjectWriter(transaction, policy)
                var outcome = Outcome()
                outcome.version = transaction.version
                for row in rows { try put(row, writer, transaction.schema, &outcome) }
                return outcome
            }
        } catch let problem as Problem where problem.status == 403 {
            // What a caller may write is looked at when all is written, and then all is refused: in ever smaller parts,
            // those that are allowed stay.
            guard rows.count > 1 else {
                var outcome = Outcome()
                outcome.add(LineFault(RecordFault(problem), line: rows.first?.line ?? 0))
                return outcome
            }
            var outcome = try commit(Array(rows[..<(rows.count / 2)]))
            outcome.add(try commit(Array(rows[(rows.count / 2)...])))
            return outcome
        }
    }

    /// Whether to look where the links that wait lead by now: so often that few wait, and so seldom that each is looked
    /// at a few times.
    private func isTimeToConnect(_ total: Outcome, atEnd: Bool) -> Bool {
        let waiting = total.forwardLinks.count
        return atEnd ? waiting > 0 : waiting > max(mostWaiting / 4, min(total.stillWaiting * 2, mostWaiting))
    }

    /// Assigns the links that could not be assigned when their objects were read. Those that still lead nowhere go on
    /// waiting, as many as may; at the end, and for the others, that is a fault.
    private func connect(
        _ links: [ForwardLink], _ transaction: any WriteTransaction, atEnd: Bool
    ) throws -> Outcome {
        let writer = ObjectWriter(transaction, policy)
        var outcome = Outcome()
        outcome.version = transaction.version
        for link in links {
            do {
                let (value, missing) = try writer.resolve(link.draft)
                if let first = missing.first {
                    if !atEnd, outcome.forwardLinks.count < mostWaiting * 3 / 4 {
                        outcome.forwardLinks.append(link)
                        continue
                    }
                    var fault = RecordFault(missing: first, in: transaction.schema)
                    if !atEnd {
                        fault.message +=
                            " Too many links wait for objects further down: import the file once more with update=modified."
                    }
                    throw fault
                }
                try transaction.set(objectClass.id, link.object, [link.draft.property: value])
            } catch {
                guard var fault = RecordFault(aboutOneObject: error) else { throw error }
                fault.message += " The object was imported without the link."
                outcome.add(LineFault(fault, line: link.line))
            }
        }
        return outcome
    }

    private func put(
        _ row: ImportedRow, _ writer: ObjectWriter, _ schema: Schema, _ outcome: inout Outcome
    ) throws {
        do {
            try assign(row, writer, schema, &outcome)
        } catch {
            guard let fault = RecordFault(aboutOneObject: error) else { throw error }
            outcome.add(LineFault(fault, line: row.line))
        }
    }

    /// Everything that could be refused halfway is looked at first, so that a refused row leaves nothing behind.
    private func assign(
        _ row: ImportedRow, _ writer: ObjectWriter, _ schema: Schema, _ outcome: inout Outcome
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
}

extension ObjectImporter.Outcome {
    mutating func add(_ fault: LineFault) {
        refused += 1
        if faults.count < ObjectImporter.mostFaults { faults.append(fault) }
    }

    fileprivate mutating func add(_ done: Self) {
        created += done.created
        modified += done.modified
        refused += done.refused
        faults += done.faults.prefix(max(ObjectImporter.mostFaults - faults.count, 0))
        forwardLinks += done.forwardLinks
        version = done.version ?? version
    }

    /// Of a sum: they are given to `connect`, which gives those back that go on waiting.
    fileprivate mutating func takeForwardLinks() -> [ObjectImporter.ForwardLink] {
        defer { forwardLinks = [] }
        return forwardLinks
    }

    fileprivate mutating func noteConnected() { stillWaiting = forwardLinks.count }

    fileprivate mutating func finish() {
        forwardLinks = []
        faults.sort { $0.line < $1.line }
    }
}

extension RecordFault {
    /// What to say of a fault that is one object's, so that the others of a file can go on; nil for any other.
    fileprivate init?(aboutOneObject error: any Error) {
        switch error {
        case let error as StoreError where error.code.rawValue.hasPrefix("object."):
            self.init(withHint(error.message, error.hint), code: error.code.rawValue)
        case let problem as Problem where problem.code.hasPrefix("object."): self.init(problem)
        case let fault as RecordFault: self = fault
        default: return nil
        }
    }

    /// `owner: there is no Person '99'.`
    fileprivate init(missing link: ObjectInput.Link, in schema: Schema) {
        let key =
            switch link.way {
            case .primaryKey(let value): FieldText.text(of: value) ?? "null"
            case .objectKey(let key): String(key.rawValue)
            case .object: "of this"
            }
        self.init(
            "\(link.path): there is no \(schema[link.target]?.name ?? "object") '\(key)'.",
            code: StoreError.Code.invalidValue.rawValue)
    }
}
