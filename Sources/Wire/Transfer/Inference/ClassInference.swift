import Basics
import JSONCoding
import ObjectCoding
package import ObjectModel

/// Infers a class from a file of objects. Reads all of the file once, and keeps counts of the forms of the values, not
/// the values: the memory does not grow with the file.
package struct ClassInference {
    private let className: String
    private let present: Schema
    private let format: TransferFormat
    private let options: Options

    package struct Options: Sendable {
        /// The types that are given, by the names of the properties.
        package var types: [String: PropertyType] = [:]
        package var key = KeyChoice.inferred
        /// Whether the source is only the beginning of a file, whose last line may be incomplete and is not used.
        package var isPartial = false
        /// Whether a CSV file was written with escaped formulas; see `CSVFormulas`.
        package var escapesFormulas = false
        /// The number of lines that may be unreadable; the next one ends the inference. Nil for no limit.
        package var faultLimit: Int? = 1000

        package init() {}
    }

    /// The number of properties that a class from a file may have.
    package static let maximumProperties = 1000
    /// The number of hashes, of some 20 bytes each, by which all possible keys are compared together.
    static let maximumHashes = 2_000_000

    /// - Parameters:
    ///   - className: the name of the class to be.
    ///   - present: the schema that the class would be added to.
    /// - Throws: `TransferError` if no class can have that name there.
    package init(
        class className: String, in present: Schema, format: TransferFormat, options: Options = Options()
    ) throws {
        guard present[className] == nil else {
            throw TransferError(
                "There is a class '\(className)' already. Import the file into it, or choose another name.")
        }
        let probe = ClassSchema(className, properties: [PropertySchema("a", PropertyType(.int))])
        if let fault = Schema(version: 1, classes: [probe]).faults().first { throw TransferError(fault) }
        self.className = className
        self.present = present
        self.format = format
        self.options = options
    }

    /// Throws if a given type is neither a type of values nor a class; `run` does so, too.
    package func checkGivenTypes() throws(TransferError) {
        for type in options.types.values {
            guard case .link(let target) = type.base, target != className, present[target] == nil else { continue }
            let known = BaseType.names + present.classes.map(\.name)
            throw TransferError(
                withHint("'\(target)' is neither a type nor a class of the database.", known.nearest(to: target)))
        }
    }

    /// Reads the source. Throws `TransferError` if no class follows from it, and `ObjectImporter.TooManyFaults`.
    ///
    /// - Parameter progress: called now and then with the number of rows so far. If it throws, reading ends.
    package func run(_ source: ByteSource, progress: (_ rows: Int) throws -> Void = { _ in }) throws -> ClassProposal {
        try checkGivenTypes()
        var rows = RowTallies(options, className)
        switch format {
        case .csv: try readCSV(source, &rows, progress)
        case .ndjson: try readNDJSON(source, &rows, progress)
        }
        guard rows.count > 0 else { throw nothing(rows) }
        return try proposal(rows)
    }

    private func nothing(_ rows: RowTallies) -> TransferError {
        if let fault = rows.faults.first {
            return TransferError(
                "No line of the file can be read as \(format == .csv ? "CSV" : "NDJSON"). Line \(fault.line): \(fault.message)"
            )
        }
        return TransferError(
            format == .csv
                ? "The file has no line behind the one that names the properties, so no types can be inferred."
                : "The file is empty, so no types can be inferred.")
    }

    // MARK: Reading

    private func readCSV(_ source: ByteSource, _ rows: inout RowTallies, _ progress: (Int) throws -> Void) throws {
        var reader = CSVReader(source)
        let columns = try reader.header(escapesFormulas: options.escapesFormulas) { try rows.addColumn($0) }
        while true {
            do {
                guard let record = try reader.next() else { return }
                if options.isPartial, reader.isAtEnd { return }
                try rows.add(record, columns, line: reader.line)
                if rows.count.isMultiple(of: 2000) { try progress(rows.count) }
            } catch let fault as RecordError {
                // The quote that is open at the cut.
                if options.isPartial, reader.isAtEnd { return }
                try rows.refuse(LineError(fault, line: reader.line))
            }
        }
    }

    private func readNDJSON(_ source: ByteSource, _ rows: inout RowTallies, _ progress: (Int) throws -> Void) throws {
        var reader = NDJSONReader(source)
        while let line = try reader.next() {
            if options.isPartial, reader.isAtEnd { return }
            do {
                try rows.add(try line.object(), line: line.number)
                if rows.count.isMultiple(of: 2000) { try progress(rows.count) }
            } catch let fault as RecordError {
                try rows.refuse(LineError(fault, line: reader.line))
            }
        }
    }

    // MARK: The proposal

    private func proposal(_ rows: RowTallies) throws -> ClassProposal {
        let names = rows.names + rows.properties
        for name in options.types.keys.sorted() where !names.contains(name) { throw unknown(name, names) }
        var shaper = ClassShaper(taken: Set(present.classes.map(\.name)))
        var objectClass = shaper.shape(className, rows.columns, rows: rows.count, isText: format == .csv)
        let findings = shaper.findings
        let key = try rows.key(options.key, of: objectClass, findings)
        objectClass.primaryKey = key.property
        let proposal = ClassProposal(
            classes: [objectClass] + shaper.embedded, properties: findings, key: key, format: format,
            rows: rows.count, isWhole: !options.isPartial, refused: rows.refused, faults: rows.faults)
        let faults = proposal.schema(after: present).faults()
        guard faults.isEmpty else { throw TransferError(faults.joined(separator: " ")) }
        return proposal
    }

    private func unknown(_ name: String, _ names: [String]) -> TransferError {
        TransferError(withHint("The file has no property '\(name)' to give a type.", names.nearest(to: name)))
    }
}
