package import AccessRules
package import ObjectModel
package import StoreContract
import Synchronization

/// Puts rows into a class, many per transaction.
///
/// By batches, a row that does not fit is left out and reported, and the others of its transaction stay. As a whole,
/// one such row keeps everything out.
package struct ObjectImporter: Sendable {
    struct ForwardLink: Sendable {
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
    private let faultLimit: Int?

    /// Rows per durable commit: enough that the commit's disk write does not count.
    package static let batchSize = 2000
    /// Bytes of a file after which a commit comes earlier.
    private static let batchBytes = 8 << 20
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
    ///   - faultLimit: lines that may be refused; with the next one the import ends. Nil for any number.
    package init(
        store: any Store, objectClass: ClassSchema, schema: Schema, policy: UpdatePolicy,
        view: AccessView = .unrestricted, wholeLimit: Int = Self.wholeLimit, mostWaiting: Int = Self.mostWaiting,
        batchSize: Int = Self.batchSize, faultLimit: Int? = nil
    ) {
        self.store = store
        self.objectClass = objectClass
        self.schema = schema
        self.policy = policy
        self.view = view
        self.wholeLimit = wholeLimit
        self.mostWaiting = mostWaiting
        self.batchSize = batchSize
        self.faultLimit = faultLimit
    }

    /// Imports everything that `source` gives, by batches. Blocks; not for a loop's thread. Throws `Failure` when it ends
    /// early: what was committed before stays, and so does what was read before a fault of the source.
    ///
    /// - Parameter progress: told after every commit what has been done so far. What it throws ends the import.
    package func run<Source: RowSource>(
        _ source: inout Source, progress: (Outcome) throws -> Void
    ) throws -> Outcome {
        var total = Outcome()
        do {
            while true {
                let (batch, ending) = read(&source, &total)
                try commit(batch, into: &total)
                let atEnd = ending != nil
                if isTimeToConnect(total, atEnd: atEnd) {
                    let links = total.forwardLinks
                    let done = try write { try self.connect(links, $0, atEnd: atEnd) }
                    total.forwardLinks = []
                    total.add(done)
                    total.noteConnected()
                }
                total.bytes = source.position
                if case .fault(let error)? = ending { throw Failure(error, total, line: source.line) }
                try checkFaults(total)
                try progress(total)
                if atEnd { break }
            }
        } catch let failure as Failure {
            throw failure.finished
        } catch let failure as BatchFailure {
            throw Failure(failure.cause, total, line: failure.line).finished
        } catch {
            throw Failure(error, total, line: source.line).finished
        }
        total.finish()
        return total
    }

    /// Why a batch is the last one.
    private enum Ending {
        case end
        case fault(any Error)
    }

    /// The rows of the next commit, and why no more follow.
    private func read<Source: RowSource>(
        _ source: inout Source, _ total: inout Outcome
    ) -> (batch: [ImportedRow], Ending?) {
        var batch: [ImportedRow] = []
        let start = source.expanded
        var faults = 0
        do {
            while batch.count < batchSize, source.expanded - start < Self.batchBytes {
                guard let next = try source.next() else { return (batch, .end) }
                total.lines += 1
                switch next {
                case .success(let row): batch.append(row)
                case .failure(let fault):
                    total.add(fault)
                    faults += 1
                    // Nobody hears of an import that does nothing but refuse.
                    if faults >= batchSize { return (batch, nil) }
                    try checkFaults(total)
                }
            }
        } catch {
            return (batch, .fault(error))
        }
        return (batch, nil)
    }

    private func checkFaults(_ total: Outcome) throws {
        if let faultLimit, total.refused > faultLimit { throw TooManyFaults(limit: faultLimit) }
    }

    /// Imports everything that `source` gives in one transaction, which is alone in its commit. Blocks, and other writes
    /// wait meanwhile. Memory: what a transaction with as many objects takes. Throws `Refusal` when a row does not fit,
    /// and `Failure` when it ends early for another reason; then nothing is in.
    package func runAsWhole<Source: RowSource>(
        _ source: sending Source, progress: @escaping @Sendable (Outcome) throws -> Void
    ) throws -> Outcome {
        if let size = source.size, size > wholeLimit { throw Failure(TooLarge(limit: wholeLimit)) }
        let source = Mutex(source)
        // Told from the writer's thread how far it came.
        let reached = Mutex(Outcome())
        do {
            return try write(isAlone: true) { transaction in
                let writer = ObjectWriter(transaction, policy)
                var total = Outcome()
                defer { reached.withLock { [total] in $0 = total } }
                var rows = 0
                while let next = try source.withLock({ try $0.next() }) {
                    total.lines += 1
                    switch next {
                    case .success(let row): try put(row, writer, transaction.schema, &total)
                    case .failure(let fault): total.add(fault)
                    }
                    try checkFaults(total)
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
                guard total.refused == 0, total.incomplete == 0 else {
                    // As a whole, an object without its link is not in either.
                    total.refused += total.incomplete
                    total.takeBack()
                    throw Refusal(outcome: total)
                }
                return total
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            var outcome = reached.withLock { $0 }
            outcome.takeBack()
            throw Failure(error, outcome, line: source.withLock { $0.line > 0 ? $0.line : nil })
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

    /// What keeps a batch from being committed, and the first of its lines that is not in.
    private struct BatchFailure: Error {
        let cause: any Error
        let line: Int
    }

    /// Commits rows and counts them. Throws `BatchFailure`; what is counted by then is in.
    private func commit(_ rows: [ImportedRow], into total: inout Outcome) throws {
        guard let first = rows.first else { return }
        do {
            total.add(
                try write { transaction in
                    let writer = ObjectWriter(transaction, policy)
                    var outcome = Outcome()
                    outcome.version = transaction.version
                    for row in rows { try put(row, writer, transaction.schema, &outcome) }
                    return outcome
                })
        } catch let problem as Problem where problem.status == 403 {
            // What a caller may write is looked at when all is written, and then all is refused: in ever smaller parts,
            // those that are allowed stay.
            guard rows.count > 1 else { return total.add(LineFault(RecordFault(problem), line: first.line)) }
            try commit(Array(rows[..<(rows.count / 2)]), into: &total)
            try checkFaults(total)
            try commit(Array(rows[(rows.count / 2)...]), into: &total)
        } catch {
            throw BatchFailure(cause: error, line: first.line)
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
                outcome.add(incomplete: LineFault(fault, line: link.line))
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
            if put.isNew {
                outcome.created += 1
            } else if put.isChanged {
                outcome.modified += 1
            } else {
                outcome.unchanged += 1
            }
        }
        outcome.forwardLinks += later.map { ForwardLink(line: row.line, object: key, draft: $0) }
    }
}

extension ObjectImporter.Failure {
    fileprivate var finished: Self {
        var outcome = outcome
        // Their objects are in, and nobody assigns the links any more.
        for link in outcome.forwardLinks {
            outcome.add(
                incomplete: LineFault(
                    RecordFault("The object was imported without a link, because the import ended before."),
                    line: link.line))
        }
        outcome.finish()
        return Self(cause, outcome, line: line.flatMap { $0 > 0 ? $0 : nil })
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
