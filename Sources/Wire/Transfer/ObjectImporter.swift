import Basics
import Dispatch
import ObjectCoding
package import ObjectModel
package import StoreContract
import Synchronization

/// The part of a store that an import sees and may write.
package protocol ImportView: Sendable {
    /// Whether `schema` is what the import sees of the store's schema `whole`.
    func shows(_ schema: Schema, of whole: Schema) -> Bool

    /// Performs work in a transaction, restricted to what the import may write.
    func perform<R>(in transaction: any WriteTransaction, _ work: (any WriteTransaction) throws -> R) throws -> R
}

/// The whole store, without restrictions.
package struct WholeView: ImportView {
    package init() {}

    package func shows(_ schema: Schema, of whole: Schema) -> Bool { schema == whole }

    package func perform<R>(
        in transaction: any WriteTransaction, _ work: (any WriteTransaction) throws -> R
    ) throws -> R { try work(transaction) }
}

/// Imports rows into a class, many per transaction.
///
/// In batches, an invalid row is skipped and reported, and the other rows of its transaction are imported. As a whole,
/// one invalid row prevents the import of all.
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
    private let view: any ImportView
    private let wholeLimit: Int
    private let maximumWaiting: Int
    private let batchSize: Int
    private let faultLimit: Int?
    private let threads: Int

    /// The number of rows per durable commit: enough to make the cost of the disk sync negligible.
    package static let batchSize = 2000
    /// The number of bytes of a file after which a commit comes earlier. Two batches are in memory at a time: one is
    /// committed while the next one is read.
    private static let batchBytes = 4 << 20
    /// The maximum number of errors that are reported individually.
    package static let maximumFaults = 1000
    /// The maximum size of a file that is imported in one transaction. The pages of such a transaction, about as many
    /// bytes as the file has, stay in memory until they are written.
    package static let wholeLimit = 256 << 20
    /// The maximum number of links that wait for objects later in the file, 200 to 300 bytes each.
    package static let maximumWaiting = 200_000

    /// - Parameters:
    ///   - wholeLimit: the maximum size in bytes of a file that is imported as a whole.
    ///   - maximumWaiting: the maximum number of links that wait for objects later in the file.
    ///   - batchSize: the number of rows per commit, and between two progress reports.
    ///   - faultLimit: the number of lines that may be rejected; the next one ends the import. Nil for no limit.
    ///   - threads: how many threads make rows of the lines in batches: one where others need the processors, too.
    package init(
        store: any Store, objectClass: ClassSchema, schema: Schema, policy: UpdatePolicy,
        view: any ImportView = WholeView(), wholeLimit: Int = Self.wholeLimit,
        maximumWaiting: Int = Self.maximumWaiting,
        batchSize: Int = Self.batchSize, faultLimit: Int? = nil, threads: Int = 1
    ) {
        self.store = store
        self.objectClass = objectClass
        self.schema = schema
        self.policy = policy
        self.view = view
        self.wholeLimit = wholeLimit
        self.maximumWaiting = maximumWaiting
        self.batchSize = batchSize
        self.faultLimit = faultLimit
        self.threads = threads
    }

    /// Imports all rows of `source`, in batches: while the store commits one, the next one is read. Blocks; must not be
    /// called on a loop's thread. Throws `Failure` if it ends early: earlier commits remain, and so do the rows read
    /// before an error of the source.
    ///
    /// - Parameter progress: called after every commit with the results so far. If it throws, the import ends.
    package func run<Source: RowSource>(
        _ source: inout Source, progress: (Outcome) throws -> Void
    ) throws -> Outcome {
        var total = Outcome()
        var batch = read(&source)
        do {
            while true {
                var next = try importRows(&batch, into: &total, readingAhead: &source)
                if next == nil, batch.ending == nil { next = read(&source) }
                let atEnd = batch.ending != nil
                if isTimeToConnect(total, atEnd: atEnd) {
                    let links = total.forwardLinks
                    let done = try write { try self.connect(links, $0, atEnd: atEnd, isAtomic: false) }
                    total.forwardLinks = []
                    total.add(done)
                    total.noteConnected()
                }
                total.bytes = batch.position
                if case .fault(let error)? = batch.ending { throw Failure(error, total, line: batch.line) }
                try checkFaults(total)
                try progress(total)
                guard let next else { break }
                batch = next
            }
        } catch let failure as Failure {
            throw failure.finished
        } catch let failure as BatchFailure {
            throw Failure(failure.cause, total, line: failure.line).finished
        } catch {
            throw Failure(error, total, line: batch.line).finished
        }
        total.finish()
        return total
    }

    /// Commits the rows of a batch, which has none then, and returns the next batch, which was read meanwhile; nil if it
    /// has not been read.
    private func importRows<Source: RowSource>(
        _ batch: inout Batch, into total: inout Outcome, readingAhead source: inout Source
    ) throws -> Batch? {
        let rows = admit(&batch, into: &total)
        let commit = begin(rows)
        // A line that waits for memory must not wait for that of a line before it in the same file.
        let next = batch.ending == nil && rows.last?.memory == nil ? read(&source) : nil
        try finish(commit, rows, into: &total)
        return next
    }

    /// The rows of one commit as they were read.
    private struct Batch {
        var items: [Result<ImportedRow, LineError>] = []
        /// The reason why it is the last one.
        var ending: Ending?
        /// The position in the source after it.
        var position = 0
        var line = 0
    }

    /// The reason why a batch is the last one.
    private enum Ending {
        case end
        case fault(any Error)
    }

    /// Reads the rows of the next commit.
    private func read<Source: RowSource>(_ source: inout Source) -> Batch {
        var batch = Batch()
        var records: [Source.Parser.Record] = []
        let start = source.expanded
        do {
            // Rejected lines count, too: an import of nothing else would report no progress.
            while records.count < batchSize, source.expanded - start < Self.batchBytes {
                guard let next = try source.nextRecord() else {
                    batch.ending = .end
                    break
                }
                records.append(next)
                // Its memory is for this commit.
                if next.memory != nil { break }
            }
        } catch {
            batch.ending = .fault(error)
        }
        batch.items = rows(of: records, source.parser)
        (batch.position, batch.line) = (source.position, source.line)
        return batch
    }

    /// The fewest records for which another thread is worthwhile: it takes some ten microseconds to start, and a record
    /// some microseconds to parse.
    private static let threadRecords = 64

    private func rows<Parser: RowParser>(
        of records: [Parser.Record], _ parser: Parser
    ) -> [Result<ImportedRow, LineError>] {
        let parts = min(threads, records.count / Self.threadRecords)
        guard parts > 1 else { return parser.rows(records[...]) }
        let rows = Mutex<[[Result<ImportedRow, LineError>]]>(Array(repeating: [], count: parts))
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let own = parser.rows(records[records.count * part / parts..<records.count * (part + 1) / parts])
            rows.withLock { $0[part] = own }
        }
        return rows.withLock { $0.flatMap { $0 } }
    }

    /// Counts the lines of a batch, and returns its rows. With the line that is one too many to be rejected the batch
    /// becomes the last one, and the lines after it are not imported.
    private func admit(_ batch: inout Batch, into total: inout Outcome) -> [ImportedRow] {
        var rows: [ImportedRow] = []
        rows.reserveCapacity(batch.items.count)
        defer { batch.items = [] }
        for item in batch.items {
            total.lines += 1
            switch item {
            case .success(let row): rows.append(row)
            case .failure(let fault):
                total.add(fault)
                do {
                    try checkFaults(total)
                } catch {
                    (batch.ending, batch.line) = (.fault(error), fault.line)
                    return rows
                }
            }
        }
        return rows
    }

    private func checkFaults(_ total: Outcome) throws {
        if let faultLimit, total.refused > faultLimit { throw TooManyFaults(limit: faultLimit) }
    }

    /// Imports all rows of `source` in one transaction with a commit of its own. Blocks, and other writes wait
    /// meanwhile. Memory: that of a transaction with as many objects. Throws `Refusal` if a row is invalid, and
    /// `Failure` if it ends early for another reason; then nothing is imported.
    package func runAsWhole<Source: RowSource>(
        _ source: sending Source, progress: @escaping @Sendable (Outcome) throws -> Void
    ) throws -> Outcome {
        if let size = source.size, size > wholeLimit { throw Failure(TooLarge(limit: wholeLimit)) }
        let source = Mutex(source)
        // Updated on the writer's thread.
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
                            total.add(try connect(total.takeForwardLinks(), transaction, atEnd: false, isAtomic: true))
                            total.noteConnected()
                        }
                        try progress(total)
                    }
                }
                total.add(try connect(total.takeForwardLinks(), transaction, atEnd: true, isAtomic: true))
                total.bytes = source.withLock { $0.position }
                total.version = transaction.version
                total.finish()
                guard total.refused == 0, total.incomplete == 0 else {
                    // As a whole, an object without its link is not imported either.
                    total.refused += total.incomplete
                    total.revert()
                    throw Refusal(outcome: total)
                }
                return total
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            var outcome = reached.withLock { $0 }
            outcome.revert()
            throw Failure(error, outcome, line: source.withLock { $0.line > 0 ? $0.line : nil })
        }
    }

    private func write<R: Sendable>(
        isAlone: Bool = false, _ work: @escaping @Sendable (any WriteTransaction) throws -> R
    ) throws -> R {
        try store.write(isAlone: isAlone) { [self] in try checked($0, work) }
    }

    private func checked<R>(
        _ transaction: any WriteTransaction, _ work: (any WriteTransaction) throws -> R
    ) throws -> R {
        // The rows were parsed for a schema that may have been replaced since.
        guard view.shows(schema, of: transaction.schema) else { throw StoreError.schemaReplaced }
        return try view.perform(in: transaction, work)
    }

    /// The error that prevents a batch from being committed, and the first of its lines that was not imported.
    private struct BatchFailure: Error {
        let cause: any Error
        let line: Int
    }

    /// A commit of rows that has begun, or the reason why it could not; nil without rows.
    private typealias Commit = Result<StartedWrite<Outcome>, any Error>?

    /// Hands rows to the store.
    private func begin(_ rows: [ImportedRow]) -> Commit {
        guard !rows.isEmpty else { return nil }
        return Result {
            try store.start { [self] transaction in
                try checked(transaction) { transaction in
                    let writer = ObjectWriter(transaction, policy)
                    var outcome = Outcome()
                    outcome.version = transaction.version
                    let schema = transaction.schema
                    for row in rows { try put(row, writer, schema, &outcome) }
                    return outcome
                }
            }
        }
    }

    /// Waits for a commit of rows and counts them. Throws `BatchFailure`; rows counted by then are imported.
    private func finish(_ commit: Commit, _ rows: [ImportedRow], into total: inout Outcome) throws {
        guard let commit, let first = rows.first else { return }
        do {
            total.add(try commit.get().wait())
        } catch let error as StoreError where [.accessDenied, .hiddenElements].contains(error.code) {
            // Permissions are checked at the end of the write, which then rejects everything: splitting it into smaller
            // and smaller parts keeps the permitted rows.
            guard rows.count > 1 else { return total.add(LineError(RecordError(error), line: first.line)) }
            for part in [Array(rows[..<(rows.count / 2)]), Array(rows[(rows.count / 2)...])] {
                try checkFaults(total)
                try finish(begin(part), part, into: &total)
            }
        } catch {
            throw BatchFailure(cause: error, line: first.line)
        }
    }

    /// Whether to resolve the waiting links now: often enough that few wait, and rarely enough that each is tried only
    /// a few times.
    private func isTimeToConnect(_ total: Outcome, atEnd: Bool) -> Bool {
        let waiting = total.forwardLinks.count
        return atEnd ? waiting > 0 : waiting > max(maximumWaiting / 4, min(total.stillWaiting * 2, maximumWaiting))
    }

    /// Assigns the links that could not be resolved when their objects were read. Unresolved ones continue to wait, up
    /// to the limit; at the end, and beyond the limit, they are errors.
    private func connect(
        _ links: [ForwardLink], _ transaction: any WriteTransaction, atEnd: Bool, isAtomic: Bool
    ) throws -> Outcome {
        let writer = ObjectWriter(transaction, policy)
        var outcome = Outcome()
        outcome.version = transaction.version
        for link in links {
            do {
                let (value, missing) = try writer.resolve(link.draft)
                if let first = missing.first {
                    if !atEnd, outcome.forwardLinks.count < maximumWaiting * 3 / 4 {
                        outcome.forwardLinks.append(link)
                        continue
                    }
                    var fault = RecordError(missing: first, in: transaction.schema)
                    if !atEnd {
                        fault.message +=
                            " Too many links wait for objects on later lines: import the file once more with update=modified."
                    }
                    throw fault
                }
                try transaction.set(objectClass.id, link.object, [link.draft.property: value])
            } catch {
                guard var fault = RecordError(aboutOneObject: error) else { throw error }
                if !isAtomic { fault.message += " The object was imported without the link." }
                outcome.add(incomplete: LineError(fault, line: link.line))
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
            guard let fault = RecordError(aboutOneObject: error) else { throw error }
            outcome.add(LineError(fault, line: row.line))
        }
    }

    /// Checks everything that could fail in the middle first, so that a rejected row has no effect.
    private func assign(
        _ row: ImportedRow, _ writer: ObjectWriter, _ schema: Schema, _ outcome: inout Outcome
    ) throws {
        if row.input.drafts.isEmpty {
            _ = try put(row.input, writer, &outcome)
            return
        }
        var now = row.input
        var later: [ObjectInput.Draft] = []
        now.drafts = []
        for draft in row.input.drafts {
            if let path = draft.content.firstNewObject {
                throw RecordError(
                    "\(path): a file names linked objects by their keys. Import those objects first, with their class.")
            }
            let (value, missing) = try writer.resolve(draft)
            if let fault = missing.first(where: { $0.target != row.input.classID }) {
                throw RecordError(missing: fault, in: schema)
            }
            if missing.isEmpty { now.values[draft.property] = value } else { later.append(draft) }
        }
        let key = try put(now, writer, &outcome)
        for draft in later { outcome.forwardLinks.append(ForwardLink(line: row.line, object: key, draft: draft)) }
    }

    private func put(
        _ input: ObjectInput, _ writer: ObjectWriter, _ outcome: inout Outcome
    ) throws -> ObjectKey {
        if policy == .error {
            let key = try writer.create(input)
            outcome.created += 1
            return key
        }
        let put = try writer.put(input)
        if put.isNew {
            outcome.created += 1
        } else if put.isChanged {
            outcome.modified += 1
        } else {
            outcome.unchanged += 1
        }
        return put.key
    }
}

extension ObjectImporter.Failure {
    fileprivate var finished: Self {
        var outcome = outcome
        // Their objects are imported, but their links will never be assigned.
        for link in outcome.forwardLinks {
            outcome.add(
                incomplete: LineError(
                    RecordError("The object was imported without a link, because the import ended early."),
                    line: link.line))
        }
        outcome.finish()
        return Self(cause, outcome, line: line.flatMap { $0 > 0 ? $0 : nil })
    }
}

extension RecordError {
    /// Converts an error that concerns only one object, so that the import can continue with the others; nil for other
    /// errors.
    fileprivate init?(aboutOneObject error: any Error) {
        switch error {
        case let error as StoreError where error.code.rawValue.hasPrefix("object."): self.init(error)
        case let problem as Problem where problem.code.hasPrefix("object."): self.init(problem)
        case let fault as RecordError: self = fault
        default: return nil
        }
    }

    fileprivate init(_ error: StoreError) {
        self.init(withHint(error.message, error.hint), code: error.code.rawValue)
    }

    /// `owner: there is no Person '99'.`
    fileprivate init(missing link: ObjectInput.Link, in schema: Schema) {
        let key =
            switch link.reference {
            case .primaryKey(let value): FieldText.text(of: value) ?? "null"
            case .objectKey(let key): String(key.rawValue)
            case .object: "of this"
            }
        self.init(
            "\(link.path): there is no \(schema[link.target]?.name ?? "object") '\(key)'.",
            code: StoreError.Code.invalidValue.rawValue)
    }
}
