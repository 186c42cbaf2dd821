import Basics
import JSONCoding
import ObjectCoding
import ObjectModel

/// The tallies of all properties of a file's rows. A row counts as a whole, or not at all.
struct RowTallies {
    private let options: ClassInference.Options
    private let className: String
    private let budget = TallyBudget()
    /// The names of the columns or members, in the order of the file.
    private(set) var names: [String] = []
    private var indices: [String: Int] = [:]
    private var states: [State] = []
    /// The rows that count.
    private(set) var count = 0
    private(set) var refused = 0
    private(set) var faults: [LineError] = []

    private struct State {
        var tally: ValueTally
        /// The rows that have the property, if only with null.
        var present = 0
        var search = KeySearch()
        var override: PropertyType?
        var misfits = 0
        var firstMisfit: ValueExample?
    }

    init(_ options: ClassInference.Options, _ className: String) {
        self.options = options
        self.className = className
    }

    /// The names of the properties, in the same order.
    var properties: [String] { ColumnName.properties(for: names) }

    var columns: [ClassShaper.Column] {
        zip(zip(names, properties), states).map { names, state in
            ClassShaper.Column(
                name: names.1, column: names.0, tally: state.tally, absent: count - state.present,
                override: state.override, misfits: state.misfits, firstMisfit: state.firstMisfit)
        }
    }

    // MARK: Rows

    /// Adds the next column of a CSV file, and returns its index. Throws `RecordError` for a name that no property can
    /// have.
    mutating func addColumn(_ name: String) throws -> Int {
        try check(name)
        try addName(name)
        return names.count - 1
    }

    /// Adds a record. Throws `RecordError` if it has another number of fields than the header, or a value in a column
    /// without a name.
    ///
    /// - Parameter columns: the indices of the columns; nil for those without a name.
    mutating func add(_ record: [CSVField], _ columns: [Int?], line: Int) throws {
        if let fault = RecordError(record, columns: columns.count) { throw fault }
        for (index, field) in record.enumerated() where columns[index] == nil {
            if let fault = RecordError(field, withoutName: index) { throw fault }
        }
        count += 1
        for (column, field) in zip(columns, record) {
            guard let index = column else { continue }
            guard !field.isMissing else {
                states[index].search.close()
                continue
            }
            states[index].present += 1
            let isEscaped = options.escapesFormulas && field.text.unicodeScalars.first == "'"
            let text = isEscaped ? CSVFormulas.plain(field.text) : field.text
            if isEscaped {
                states[index].tally.add(.text, text, line: line)
            } else {
                try states[index].tally.add(field: text, line: line, budget)
            }
            if let type = states[index].override { compare(text, with: type, at: index, line) }
            addKey(ValueForm(field: text) == .uuid ? text.lowercased() : text, at: index, line)
        }
    }

    /// Adds an object. Throws `RecordError` for names that no property can have.
    mutating func add(_ object: JSONObject, line: Int) throws {
        for member in object.members {
            try check(member.name)
            if let name = member.value.unstorableName {
                throw RecordError(
                    "'\(member.name)' has an object with the name '\(name.abbreviated)': names within values do not begin with '$' and have no point, except in typed objects such as {\"$date\": \"2026-01-31T12:00:00Z\"}."
                )
            }
        }
        for member in object.members where indices[member.name] == nil { try addName(member.name) }
        count += 1
        for member in object.members {
            guard let index = indices[member.name] else { continue }
            states[index].present += 1
            try states[index].tally.add(member.value, line: line, budget)
            if let type = states[index].override { compare(member.value, with: type, at: index, line) }
            switch member.value {
            case .int(let value): addKey(String(value), at: index, line)
            case .string(let text): addKey(ValueForm(string: text) == .uuid ? text.lowercased() : text, at: index, line)
            case .object(let object):
                switch TypedObject(object)?.plain {
                case .string(let text)?: addKey(text.lowercased(), at: index, line)
                case .int(let value)?: addKey(String(value), at: index, line)
                default: states[index].search.close()
                }
            default: states[index].search.close()
            }
        }
    }

    /// Adds a line that cannot be read. Throws `TooManyFaults` beyond the limit.
    mutating func refuse(_ fault: LineError) throws {
        refused += 1
        if faults.count < 100 { faults.append(fault) }
        if let limit = options.faultLimit, refused > limit { throw ObjectImporter.TooManyFaults(limit: limit) }
    }

    private func check(_ name: String) throws(RecordError) {
        guard name.utf8.count <= PropertySchema.nameLimit else {
            throw RecordError(
                "The name '\(name.abbreviated)' is longer than \(PropertySchema.nameLimit) bytes, the most that a property's may have."
            )
        }
        guard !name.isEmpty else { throw RecordError("A member has no name.") }
        guard !name.hasPrefix("$") else {
            throw RecordError("The name '\(name)' begins with '$', as no property's may.")
        }
    }

    private mutating func addName(_ name: String) throws {
        guard names.count < ClassInference.maximumProperties else {
            throw TransferError(
                "The file has more than \(ClassInference.maximumProperties) different names of properties. Write names that are data as values."
            )
        }
        var state = State(tally: try budget.make())
        state.override = options.types[name] ?? options.types[ColumnName.properties(for: [name])[0]]
        // Rows before this one do not have it.
        if count > 0 { state.search.close() }
        indices[name] = names.count
        names.append(name)
        states.append(state)
    }

    // MARK: Given types

    private mutating func compare(_ text: String, with type: PropertyType, at index: Int, _ line: Int) {
        // Whether the target of a link exists is not known here.
        guard !type.isLink, !type.isComputed else { return }
        if type.isCollection || type.isMixed {
            let fits = (try? JSONValue.parse(text)).map { (try? ValueCoding.draft($0, as: type)) != nil } ?? false
            if !fits { countMisfit(text, at: index, line) }
        } else if (try? FieldText.parse(text, as: type)) == nil {
            countMisfit(text, at: index, line)
        }
    }

    private mutating func compare(_ json: JSONValue, with type: PropertyType, at index: Int, _ line: Int) {
        guard !type.isLink, !type.isComputed, json != .null else { return }
        if (try? ValueCoding.draft(json, as: type)) == nil { countMisfit(json.inWords, at: index, line) }
    }

    private mutating func countMisfit(_ text: String, at index: Int, _ line: Int) {
        states[index].misfits += 1
        if states[index].firstMisfit == nil {
            states[index].firstMisfit = ValueExample(line: line, text: text.abbreviated)
        }
    }

    // MARK: The primary key

    private mutating func addKey(_ text: String, at index: Int, _ line: Int) {
        states[index].search.add(text, line: line)
        if line & 0x3FF == 0 { boundHashes() }
    }

    /// Releases the hashes of the least likely keys while there are too many.
    private mutating func boundHashes() {
        while states.reduce(0, { $0 + $1.search.hashCount }) > ClassInference.maximumHashes {
            let ranked = states.indices.filter { states[$0].search.hashCount > 0 }
            guard let least = ranked.max(by: { (rank(names[$0]), $0) < (rank(names[$1]), $1) }) else { return }
            states[least].search.forget()
        }
    }

    /// How likely a property is the key, by its name; 0 is the most likely.
    private func rank(_ name: String) -> Int {
        let folded = name.lowercased()
        if folded == "_id" || folded == "id" { return 0 }
        let own = className.lowercased()
        if [own + "id", own + "_id", "uuid", "guid", "key"].contains(folded) { return 1 }
        return 2
    }

    /// Chooses the primary key. Throws `TransferError` if the named property cannot be it.
    func key(_ choice: KeyChoice, of objectClass: ClassSchema, _ findings: [PropertyFinding]) throws -> KeyFinding {
        let properties = properties
        let candidates = zip(properties, states).filter { name, state in
            state.search.isUnique && missing(state) == 0 && objectClass[name]?.type.canBePrimaryKey == true
        }.map(\.0)
        switch choice {
        case .none: return KeyFinding(property: nil, reason: "none was wanted", candidates: candidates)
        case .named(let given):
            let name = zip(names, properties).first { $0.0 == given || $0.1 == given }?.1 ?? given
            try checkKey(name, objectClass)
            return KeyFinding(property: name, reason: "it was given", candidates: candidates)
        case .inferred: break
        }
        let likely = candidates.min { rank($0) < rank($1) }
        if let likely, rank(likely) < 2 { return found(likely, "it is named like a key", candidates) }
        // Of those that every row has, because the order of the others depends on the order of the rows.
        let first = zip(properties, states).first { missing($1) == 0 }?.0
        if let first, candidates.contains(first), count > 1, isIdentifier(first, objectClass) {
            return found(first, "it is the first property that every row has", candidates)
        }
        return KeyFinding(property: nil, reason: absence(candidates), candidates: candidates)
    }

    /// The number of rows without a value of the property.
    private func missing(_ state: State) -> Int { count - state.present + state.tally.nulls }

    private func found(_ name: String, _ why: String, _ candidates: [String]) -> KeyFinding {
        KeyFinding(
            property: name,
            reason: count == 1
                ? "\(why), and has a value in the only row"
                : "\(why), and has a different value in each of the \(count) rows", candidates: candidates)
    }

    /// Whether a first property is a key although its name does not say so: texts are rather not.
    private func isIdentifier(_ name: String, _ objectClass: ClassSchema) -> Bool {
        guard objectClass[name]?.type.base == .string else { return true }
        let folded = name.lowercased()
        return ["id", "key", "code"].contains { folded.hasSuffix($0) }
    }

    private func absence(_ candidates: [String]) -> String {
        let properties = properties
        if let index = properties.firstIndex(where: { rank($0) < 2 }) {
            let likely = properties[index]
            let search = states[index].search
            if let first = search.firstRepeated {
                return "'\(likely)' repeats a value, the first time on line \(first.line): '\(first.text)'"
            }
            let missing = missing(states[index])
            if missing > 0 { return "'\(likely)' has no value in \(missing) of \(count) rows" }
        }
        guard !candidates.isEmpty else { return "no property is known to have a different value in every row" }
        return
            "no property is named like one; \(candidates.joined(separator: ", ")) \(candidates.count == 1 ? "has" : "have") a different value in every row"
    }

    private func checkKey(_ name: String, _ objectClass: ClassSchema) throws {
        guard let index = properties.firstIndex(of: name), let property = objectClass[name] else {
            throw TransferError(
                withHint("The file has no property '\(name)' for the primary key.", properties.nearest(to: name)))
        }
        guard property.type.canBePrimaryKey else {
            throw TransferError(
                "'\(name)' is of type \(property.type), which no primary key can have: choose one of type int, string, uuid or objectId."
            )
        }
        let state = states[index]
        let missing = missing(state)
        guard missing == 0 else {
            throw TransferError("'\(name)' cannot be the primary key: it has no value in \(missing) of \(count) rows.")
        }
        if let first = state.search.firstRepeated {
            throw TransferError(
                "'\(name)' cannot be the primary key: \(state.search.repeated) of \(count) rows repeat a value, the first on line \(first.line): '\(first.text)'."
            )
        }
    }
}
