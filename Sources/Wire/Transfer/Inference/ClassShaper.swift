import ObjectCoding
import ObjectModel

/// Makes a class, and the embedded classes that it needs, from the tallies of the properties.
struct ClassShaper {
    /// The values of one property.
    struct Column {
        var name: String
        /// Its name in the file.
        var column: String
        var tally: ValueTally
        /// The rows or objects without the property.
        var absent: Int
        /// A type that was given; nil to infer it.
        var override: PropertyType?
        var misfits = 0
        var firstMisfit: ValueExample?
    }

    private(set) var embedded: [ClassSchema] = []
    private(set) var findings: [PropertyFinding] = []
    private var taken: Set<String>

    /// - Parameter taken: the names of other classes.
    init(taken: Set<String>) { self.taken = taken.union(BaseType.names) }

    /// Returns the class. Its embedded classes and the findings are appended, those of the class first.
    mutating func shape(
        _ name: String, _ columns: [Column], rows: Int, isText: Bool, isEmbedded: Bool = false
    ) -> ClassSchema {
        taken.insert(name)
        let index = embedded.count
        let firstFinding = findings.count
        var properties: [PropertySchema] = []
        var made: [PropertyFinding] = []
        for column in columns {
            var finding = PropertyFinding(
                className: name, name: column.name, column: column.column, type: PropertyType(.mixed), reason: "",
                rows: rows,
                missing: column.absent + column.tally.nulls, examples: [], misfits: column.misfits,
                firstMisfit: column.firstMisfit)
            if let override = column.override {
                (finding.type, finding.reason) = (override, "this type was given")
                if !override.isCollection, !override.isMixed { record(&finding, isGiven: override.isOptional) }
            } else {
                infer(column, owner: name, isText, &finding)
            }
            properties.append(PropertySchema(column.name, finding.type))
            made.append(finding)
        }
        findings.insert(contentsOf: made, at: firstFinding)
        let shaped = ClassSchema(name, isEmbedded: isEmbedded, properties: properties)
        if isEmbedded { embedded.insert(shaped, at: index) }
        return shaped
    }

    private mutating func infer(_ column: Column, owner: String, _ isText: Bool, _ finding: inout PropertyFinding) {
        let decision = TypeDecision(column.tally, isText: isText)
        finding.reason = decision.reason
        finding.remarks = decision.remarks
        finding.examples = decision.examples
        switch decision.shape {
        case .scalar(let base):
            finding.type = PropertyType(base)
            record(&finding, isGiven: false)
        case .mixed: finding.type = PropertyType(.mixed)
        case .embedded:
            finding.type = PropertyType(.link(embed(column.tally, in: owner, column.name)), isOptional: true)
        case .list:
            let (type, reason) = element(column.tally.elements ?? ValueTally(), .list, owner, column.name)
            finding.type = type
            finding.remarks.append("of the elements, " + reason)
        case .dictionary:
            let (type, reason) = element(column.tally.allMembers(), .map, owner, column.name)
            finding.type = type
            finding.remarks.append("of the values, " + reason)
        }
        if finding.type.isCollection, finding.missing > 0 {
            finding.remarks.append("\(count(finding.missing, "row")) without a value will have an empty one")
        }
    }

    /// Makes the type optional if values are missing.
    private func record(_ finding: inout PropertyFinding, isGiven: Bool) {
        let isLink = finding.type.isLink
        finding.type.isOptional = isGiven || isLink || finding.missing > 0
        guard finding.missing > 0 else { return }
        finding.remarks.append(
            "optional, because \(finding.missing) of \(count(finding.rows, "row")) \(finding.missing == 1 ? "has" : "have") no value"
        )
    }

    /// The type of a collection of these values.
    private mutating func element(
        _ tally: ValueTally, _ collection: CollectionKind, _ owner: String, _ name: String
    ) -> (PropertyType, String) {
        let decision = TypeDecision(tally, isText: false)
        switch decision.shape {
        case .scalar(let base):
            let isOptional = tally.nulls > 0
            let nulls = isOptional ? ", and \(tally.nulls) \(tally.nulls == 1 ? "is" : "are") null" : ""
            return (PropertyType(base, isOptional: isOptional, collection: collection), decision.reason + nulls)
        case .embedded where collection == .map || tally.nulls == 0:
            return (
                PropertyType(
                    .link(embed(tally, in: owner, name)), isOptional: collection == .map, collection: collection),
                decision.reason
            )
        default: return (PropertyType(.mixed, collection: collection), decision.reason)
        }
    }

    private mutating func embed(_ tally: ValueTally, in owner: String, _ property: String) -> String {
        let columns = zip(tally.names, ColumnName.properties(for: tally.names)).compactMap { column, name in
            tally.members?[column].map { member in
                Column(
                    name: name, column: column, tally: member, absent: tally.values - member.values - member.nulls)
            }
        }
        let name = freeName(owner, property)
        _ = shape(name, columns, rows: tally.values, isText: false, isEmbedded: true)
        return name
    }

    /// `OrderAddress` for the property `address` of the class `Order`; with a number where that is taken.
    private func freeName(_ owner: String, _ property: String) -> String {
        let letters = property.unicodeScalars.filter {
            $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
        }
        let word = String(String.UnicodeScalarView(letters))
        var stem = owner + word.prefix(1).uppercased() + word.dropFirst()
        // With room for a number.
        while stem.utf8.count > ClassSchema.nameLimit - 7 { stem.removeLast() }
        var number = 1
        while true {
            let name = number == 1 ? stem : "\(stem)\(number)"
            if !taken.contains(name) { return name }
            number += 1
        }
    }
}
