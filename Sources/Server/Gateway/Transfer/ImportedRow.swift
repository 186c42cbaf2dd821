package import ObjectModel

/// One object to be imported, before its links are looked up.
package struct ImportedRow {
    /// Where it stands in the file, from 1.
    var line: Int
    var input: ObjectInput
}

/// Something that rows are read from.
package protocol RowSource: SendableMetatype {
    /// Bytes read so far.
    var position: Int { get }

    /// Bytes that there are; nil where nobody knows.
    var size: Int? { get }

    /// Bytes read so far, as they are without compression.
    var expanded: Int { get }

    /// The line that is read now, or was read last, from 1.
    var line: Int { get }

    /// The next row, or what is wrong with it; nil at the end. Throws `TransferFault` when there is no going on.
    mutating func next() throws -> Result<ImportedRow, LineFault>?
}

/// A line of a file that was not imported, and why.
package struct LineFault: Error, Hashable {
    package var line: Int
    /// Stable, for programs.
    package var code: String
    package var message: String

    init(_ fault: RecordFault, line: Int) {
        self.line = line
        code = fault.code
        message = fault.message
    }
}

extension RecordFault {
    package init(_ problem: Problem) {
        self.init(withHint(problem.detail, problem.hint), code: problem.code)
    }
}

extension ClassSchema {
    /// The property of that name that a file may fill. Throws `RecordFault`.
    package func importable(_ name: String) throws -> PropertySchema {
        guard let property = self[name] else {
            var message = "Class '\(self.name)' has no property '\(name)'."
            if let near = properties.map(\.name).nearest(to: name) { message += " Did you mean '\(near)'?" }
            throw RecordFault(message)
        }
        return property
    }
}
