import Gateway
import ObjectModel

/// One object to be imported, before its links are looked up.
struct ImportedRow {
    /// Where it stands in the file, from 1.
    var line: Int
    var input: ObjectInput
}

/// Something that rows are read from.
protocol RowSource {
    /// The next row, or what is wrong with it; nil at the end. Throws `CommandFailure` when there is no going on.
    mutating func next() throws -> Result<ImportedRow, LineFault>?
}

/// A line of a file that was not imported, and why.
struct LineFault: Error, Equatable {
    var line: Int
    var message: String
}

extension RecordFault {
    init(_ problem: Problem) { self.init(CommandFailure.sentence(problem.detail, hint: problem.hint)) }
}

extension ClassSchema {
    /// The property of that name that a file may fill. Throws `RecordFault`.
    func importable(_ name: String) throws -> PropertySchema {
        guard let property = self[name] else {
            var message = "Class '\(self.name)' has no property '\(name)'."
            if let near = properties.map(\.name).nearest(to: name) { message += " Did you mean '\(near)'?" }
            throw RecordFault(message)
        }
        return property
    }
}
