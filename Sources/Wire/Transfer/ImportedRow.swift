import Basics
package import ObjectCoding
package import ObjectModel

/// An object to be imported, before its links are resolved.
package struct ImportedRow: Sendable {
    /// The line in the file, from 1.
    var line: Int
    var input: ObjectInput
    /// The memory of a long line.
    var memory: (any LineShare)?
}

/// A source of rows: it reads records one after the other, and its parser makes rows of them on any thread.
package protocol RowSource: SendableMetatype {
    associatedtype Parser: RowParser

    /// The number of bytes read so far.
    var position: Int { get }

    /// The total number of bytes; nil if it is unknown.
    var size: Int? { get }

    /// The number of decompressed bytes read so far.
    var expanded: Int { get }

    /// The line that is being read, or was read last, from 1.
    var line: Int { get }

    var parser: Parser { get }

    /// Returns the next record; nil at the end. Throws `TransferError` if reading cannot continue.
    mutating func nextRecord() throws -> Parser.Record?
}

/// Makes rows of the records of a source. Several threads may call it at once.
package protocol RowParser: Sendable {
    associatedtype Record: ImportRecord

    /// The row, or the error of its line.
    func row(_ record: Record) -> Result<ImportedRow, LineError>

    /// The same of records that follow each other in the file.
    func rows(_ records: ArraySlice<Record>) -> [Result<ImportedRow, LineError>]
}

extension RowParser {
    package func rows(_ records: ArraySlice<Record>) -> [Result<ImportedRow, LineError>] { records.map(row) }
}

/// The text of a row.
package protocol ImportRecord: Sendable {
    /// The memory of a long line.
    var memory: (any LineShare)? { get }
}

extension RowSource {
    /// Returns the next row, or the error of its line; nil at the end. Throws `TransferError` if reading cannot
    /// continue.
    package mutating func next() throws -> Result<ImportedRow, LineError>? { try nextRecord().map(parser.row) }
}

extension LineError {
    init(_ fault: RecordError, line: Int) { self.init(line: line, code: fault.code, message: fault.message) }
}

extension RecordError {
    package init(_ problem: Problem) {
        self.init(withHint(problem.detail, problem.hint), code: problem.code)
    }
}

extension ClassSchema {
    /// Returns the property with that name if a file can contain it. Throws `RecordError`.
    package func importable(_ name: String) throws -> PropertySchema {
        guard let property = self[name] else {
            var message = "Class '\(self.name)' has no property '\(name)'."
            if let near = properties.map(\.name).nearest(to: name) { message += " Did you mean '\(near)'?" }
            throw RecordError(message)
        }
        return property
    }
}
