package import ObjectCoding
package import ObjectModel

/// A class for the objects of a file, with the reason for each of its types. Nothing is stored yet.
package struct ClassProposal {
    /// The class, then the embedded classes that it needs.
    package var classes: [ClassSchema]
    /// One for each property of the classes, in their order.
    package var properties: [PropertyFinding]
    package var key: KeyFinding
    package var format: TransferFormat
    /// The rows that the types follow from.
    package var rows: Int
    /// False for the beginning of a file.
    package var isWhole: Bool
    /// The number of lines that could not be read. An import rejects them, too.
    package var refused: Int
    /// The first of these lines.
    package var faults: [LineError]
}

/// Why a property has its type.
package struct PropertyFinding: Hashable, Sendable {
    package var className: String
    package var name: String
    /// The name of the column or member in the file; the import assigns it to the property.
    package var column: String
    package var type: PropertyType
    /// Why the type is this one, as a clause: `3 of 120 values begin with 0`.
    package var reason: String
    /// More clauses: why it is optional, what the elements of collections are.
    package var remarks: [String] = []
    /// The rows, or the embedded objects, that could have a value.
    package var rows: Int
    /// Those that have none, or null.
    package var missing: Int
    /// The values that decided, at most three, each with its line.
    package var examples: [ValueExample]
    /// The values that do not fit a type that was given; an import rejects their lines.
    package var misfits = 0
    package var firstMisfit: ValueExample?
}

/// Why a class has its primary key, or none.
package struct KeyFinding: Hashable, Sendable {
    /// Nil for a class without one.
    package var property: String?
    package var reason: String
    /// The properties that have a different value in every row, and a type that a primary key can have.
    package var candidates: [String]
}

/// The primary key of a class that is made from a file.
package enum KeyChoice: Hashable, Sendable {
    /// A property that is named like a key and has a different value in every row, if there is one.
    case inferred
    case named(String)
    case none
}

extension ClassProposal {
    /// Returns a schema with the classes of a present one and these.
    package func schema(after present: Schema) -> Schema {
        Schema(version: max(present.version, 1), classes: present.classes + classes)
    }

    /// The reasons as lines of text: `zip: string, because 3 of 120 values begin with 0, such as '01234' on line 7.`
    package var explanation: [String] {
        var lines = ["\(count(rows, "row")) read" + (isWhole ? "." : " from the beginning of the file.")]
        for finding in properties {
            let name = finding.className == classes.first?.name ? finding.name : "\(finding.className).\(finding.name)"
            lines.append(
                "\(name)\(finding.shownColumn): \(finding.type), because \(finding.reason)\(finding.shownExamples)\(finding.shownRemarks)."
            )
            if finding.misfits > 0, let first = finding.firstMisfit {
                lines.append(
                    "  \(count(finding.misfits, "value")) of \(name) will not fit, the first on line \(first.line): '\(first.text)'."
                )
            }
        }
        lines.append("Primary key: \(key.property ?? "none"), because \(key.reason).")
        if refused > 0 { lines.append("\(count(refused, "line")) could not be read and had no influence.") }
        return lines
    }
}

extension PropertyFinding {
    /// All clauses.
    package var clauses: String { ([reason] + remarks).joined(separator: "; ") }

    /// ` (column 'Price in EUR')` if the property has another name.
    fileprivate var shownColumn: String { column == name ? "" : " (column '\(column.abbreviated)')" }

    fileprivate var shownRemarks: String { remarks.map { "; " + $0 }.joined() }

    fileprivate var shownExamples: String {
        guard !examples.isEmpty else { return "" }
        let shown = examples.map { "'\($0.text)' on line \($0.line)" }
        return ", such as " + shown.joined(separator: " and ")
    }
}

/// `1 row`, `2 rows`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
