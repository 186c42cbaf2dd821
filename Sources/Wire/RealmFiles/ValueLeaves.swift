import ObjectModel

extension NodeReader {
    /// Appends the values of a leaf.
    func append(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        switch form.type {
        case .int: try appendIntegers(node, form, to: &values)
        case .bool: try appendBooleans(node, form, to: &values)
        case .string: try appendStrings(node, form, to: &values)
        case .binary: try appendData(node, form, to: &values)
        case .mixed: try appendMixed(node, form, to: &values)
        case .timestamp: try appendTimestamps(node, form, to: &values)
        case .float, .double: try appendFractions(node, form, to: &values)
        case .decimal: try appendDecimals(node, form, to: &values)
        case .objectID, .uuid: try appendIdentifiers(node, form, to: &values)
        case .link: try appendLinks(node, form, to: &values)
        }
    }

    /// A null of the file, where one may be.
    private func null(_ node: Node, _ form: LeafForm) throws(RealmFileError) -> RealmValue {
        guard form.isNullable else { throw damaged("a value is null that must not be", at: node.ref) }
        return .null
    }

    /// In a nullable leaf, the first number is the one that means null in this leaf.
    private func appendIntegers(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        let numbers = try integers(node)
        guard form.isNullable else {
            for number in numbers { values.append(.int(number)) }
            return
        }
        guard let null = numbers.first else { throw damaged("it has no number for null", at: node.ref) }
        for number in numbers.dropFirst() { values.append(number == null ? .null : .int(number)) }
    }

    private func appendBooleans(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        for number in try integers(node) {
            switch number {
            case 0: values.append(.bool(false))
            case 1: values.append(.bool(true))
            case 3: values.append(try null(node, form))
            default: throw damaged("\(number) is not a boolean value", at: node.ref)
            }
        }
    }

    private func appendStrings(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        if !node.hasRefs, node.form == .bits {
            try appendEnumerated(node, form, to: &values)
            return
        }
        for cell in try cells(node, hasFinalZero: true) {
            if let text = try text(cell) {
                values.append(.string(text))
            } else {
                values.append(try null(node, form))
            }
        }
    }

    /// The numbers of strings that the column stores once.
    private func appendEnumerated(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        guard form.enumeration != 0 else { throw damaged("strings are expected", at: node.ref) }
        let strings: [RealmValue]
        if let known = enumerations[form.enumeration] {
            strings = known
        } else {
            // The values belong to the whole column, so their leaf cannot be enumerated itself.
            var read: [RealmValue] = []
            let column = LeafForm(type: .string, isNullable: form.isNullable)
            try append(try self.node(at: form.enumeration), column, to: &read)
            enumerations[form.enumeration] = read
            budget.keep(read.count)
            strings = read
        }
        for number in try integers(node) {
            guard number >= 0, number < strings.count else {
                throw damaged("it has string \(number) of \(strings.count)", at: node.ref)
            }
            values.append(strings[Int(number)])
        }
    }

    private func appendData(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        guard node.hasRefs else { throw damaged("data is expected", at: node.ref) }
        for cell in try cells(node, hasFinalZero: false) {
            if let bytes = try bytes(cell) {
                values.append(.binary(bytes))
            } else {
                values.append(try null(node, form))
            }
        }
    }

    /// Seconds, with one number that means null in every column, and nanoseconds.
    private func appendTimestamps(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        let parts = try slots(node, atLeast: 2)
        let seconds = try integers(at: parts[0])
        let nanoseconds = try integers(at: parts[1])
        guard let null = seconds.first else { throw damaged("it has no number for null", at: node.ref) }
        guard seconds.count - 1 == nanoseconds.count else {
            throw damaged("it has \(seconds.count - 1) seconds and \(nanoseconds.count) nanoseconds", at: node.ref)
        }
        for (second, nanosecond) in zip(seconds.dropFirst(), nanoseconds) {
            values.append(second == null ? try self.null(node, form) : try timestamp(node, second, nanosecond))
        }
    }

    func timestamp(_ node: Node, _ seconds: Int64, _ nanoseconds: Int64) throws(RealmFileError) -> RealmValue {
        guard let rest = Int32(exactly: nanoseconds), Timestamp(seconds: seconds, nanoseconds: rest) != nil else {
            throw damaged("\(seconds) s and \(nanoseconds) ns are not a point in time", at: node.ref)
        }
        return .timestamp(seconds: seconds, nanoseconds: rest)
    }

    /// One NaN of each width means null, in nullable leaves.
    private func appendFractions(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        let width = form.type == .float ? 4 : 8
        guard node.form == .bytes, node.width == width || node.size == 0 else {
            throw damaged("numbers of \(width) bytes are expected", at: node.ref)
        }
        if width == 4 {
            for index in 0..<node.size {
                let bits = image.halfWord(at: node.start + index * width) ?? 0
                let isNull = form.isNullable && bits == 0x7FC0_00AA
                values.append(isNull ? .null : .float(Float(bitPattern: bits)))
            }
        } else {
            for index in 0..<node.size {
                let bits = image.word(at: node.start + index * width) ?? 0
                let isNull = form.isNullable && bits == 0x7FF8_0000_0000_00AA
                values.append(isNull ? .null : .double(Double(bitPattern: bits)))
            }
        }
    }

    /// Format 24 uses the smallest of several encodings for a leaf; earlier formats always use the largest.
    private func appendDecimals(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        guard node.form == .bytes, [0, 4, 8, 16].contains(node.width) else {
            throw damaged("decimals are expected", at: node.ref)
        }
        for index in 0..<node.size {
            let offset = node.start + index * node.width
            let decimal: Decimal128?
            switch node.width {
            case 0: decimal = node.hasContext ? .zero : nil
            case 4: decimal = DecimalEncodings.decimal32(image.halfWord(at: offset) ?? 0)
            case 8: decimal = DecimalEncodings.decimal64(image.word(at: offset) ?? 0)
            default:
                decimal = DecimalEncodings.decimal128(
                    low: image.word(at: offset) ?? 0, high: image.word(at: offset + 8) ?? 0)
            }
            if let decimal { values.append(.decimal(decimal)) } else { values.append(try null(node, form)) }
        }
    }

    /// Blocks of eight values behind a byte that says which of them are null.
    private func appendIdentifiers(
        _ node: Node, _ form: LeafForm, to values: inout [RealmValue]
    ) throws(RealmFileError) {
        guard node.form == .bytes, node.width == 1 || node.size == 0 else {
            throw damaged("bytes are expected", at: node.ref)
        }
        let width = form.type == .objectID ? 12 : 16
        let block = 8 * width + 1
        let count = (node.size - (node.size + block - 1) / block) / width
        for index in 0..<count {
            let start = node.start + index / 8 * block
            let offset = start + 1 + index % 8 * width
            guard offset + width <= node.start + node.length, let nulls = image.byte(at: start),
                let first = image.word(at: offset), let rest = image.word(at: offset + width - 8)
            else { throw damaged("its last value is cut off", at: node.ref) }
            if nulls >> (index % 8) & 1 == 1 {
                values.append(try null(node, form))
            } else if width == 12 {
                values.append(
                    .objectID(ObjectId(high: UInt32(first.byteSwapped >> 32), low: rest.byteSwapped)))
            } else {
                values.append(.uuid(UUIDValue(high: first.byteSwapped, low: rest.byteSwapped)))
            }
        }
    }

    /// In a column, a link is the object's key plus 1, and 0 is null; in a collection it is the key.
    private func appendLinks(_ node: Node, _ form: LeafForm, to values: inout [RealmValue]) throws(RealmFileError) {
        guard let target = form.target else { throw damaged("links lead to no table", at: node.ref) }
        for number in try integers(node) {
            let link = try link(to: form.isColumn ? number &- 1 : number, of: target, at: node.ref)
            if form.isColumn {
                values.append(link)
            } else if case .link = link {
                // Realm omits links to objects that do not exist.
                values.append(link)
            }
        }
    }

    /// A link to an object in the file. It is null for the key −1 and for smaller keys, which stand for objects that
    /// Realm expects to receive later.
    func link(to key: Int64, of table: UInt32, at ref: Int64) throws(RealmFileError) -> RealmValue {
        guard let targets, let keys = try knownKeys(of: table, targets) else {
            throw damaged("a link leads to table \(table), which is not there", at: ref)
        }
        if key < 0 { return .null }
        guard keys.contains(key) else {
            throw damaged("a link leads to object \(key) of table \(table), which is not there", at: ref)
        }
        return .link(table: table, key: key)
    }

    /// The keys of the table that was looked up last, which is nearly always the next one, too.
    private func knownKeys(of table: UInt32, _ targets: LinkTargets) throws(RealmFileError) -> KeyRanges? {
        if let lastTarget, lastTarget.table == table { return lastTarget.keys }
        guard let keys = try targets.keys(of: table) else { return nil }
        lastTarget = (table, keys)
        return keys
    }
}
