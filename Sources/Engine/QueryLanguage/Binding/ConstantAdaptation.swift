import QuerySyntax
import ObjectModel

extension Binding {
    /// Constants as one side of a comparison with values of the type; `name` is the other side's name in errors.
    func operand(
        _ constants: [Constant], isList: Bool, for type: OperandType, name: String
    ) throws(QueryError) -> BoundOperand {
        var elements: [ObjectConstants.Element] = []
        elements.reserveCapacity(constants.count)
        var values: [Value] = []
        values.reserveCapacity(constants.count)
        for constant in constants {
            let element = try adapt(constant, to: type, name: name)
            elements.append(element)
            if case .value(let value) = element { values.append(value) }
        }
        guard values.count == elements.count else {
            return .objects(ObjectConstants(elements, isList: isList || elements.count != 1))
        }
        return isList || values.count != 1 ? .list(values) : .constant(values[0])
    }

    /// The constant as a value of the type, or a number that compares exactly with it.
    func adapt(
        _ constant: Constant, to type: OperandType, name: String
    ) throws(QueryError) -> ObjectConstants.Element {
        switch (constant.kind, type) {
        case (.value(.null), _): return .value(.null)
        case (.value(.reference(let object)), .object(let target)):
            guard object.classID == target.id else {
                throw wrongClass(schema[object.classID]?.name ?? "", target, constant.range)
            }
            return .value(.reference(object))
        case (.value(let value), .scalar(let base)):
            guard let adapted = try adapt(value, base, constant) else { throw mismatch(constant, value, type, name) }
            return .value(adapted)
        case (.value(let value), .object(let target)):
            // A primary key identifies an object, but only as an argument: in the text, obj('Dog', 1) gives the class.
            guard constant.argument != nil, dialect == .rql, target.primaryKey != nil,
                let object = try object(target, value, constant)
            else { throw mismatch(constant, value, type, name) }
            return object
        case (.object(let className, let key), .object(let target)):
            guard try objectClass(className, constant.range).id == target.id else {
                throw wrongClass(className, target, constant.range)
            }
            return try self.object(named: key, target, constant)
        case (.object(let className, let key), .scalar(.mixed)):
            return try self.object(named: key, try objectClass(className, constant.range), constant)
        case (.object, _), (.typeName, _), (_, .typeName):
            throw source.error(
                .typeMismatch, "Unsupported comparison between type '\(type.name)' and type '\(constant.typeName)'",
                constant.range)
        }
    }

    // MARK: Objects

    private func objectClass(_ name: String, _ range: SourceRange) throws(QueryError) -> ClassSchema {
        guard let objectClass = schema[name] else {
            throw source.error(
                .unknownClass, "No class '\(name.clipped)' in the schema", range,
                hint: schema.classes.map(\.name).hint(for: name))
        }
        return objectClass
    }

    private func object(
        named key: Value, _ target: ClassSchema, _ constant: Constant
    ) throws(QueryError) -> ObjectConstants.Element {
        if let object = try object(target, key, constant) { return object }
        guard let type = target.primaryKeyProperty?.type else {
            throw source.error(
                .typeMismatch,
                "Class '\(target.name)' has no primary key; identify its objects by their object key, a number.",
                constant.range)
        }
        throw source.error(
            .typeMismatch,
            "The primary key of class '\(target.name)' is of type '\(type.base.queryName)', not '\(key.typeName)'.",
            constant.range)
    }

    /// The object with that primary key, or object key where the class has none; nil when the key has another type.
    private func object(
        _ target: ClassSchema, _ key: Value, _ constant: Constant
    ) throws(QueryError) -> ObjectConstants.Element? {
        guard let property = target.primaryKeyProperty else {
            guard case .int(let number) = key else { return nil }
            return .value(.reference(ObjectReference(target.id, ObjectKey(number))))
        }
        if key.isNull {
            // No object has the key -1.
            return property.type.isOptional
                ? .object(target.id, primaryKey: .null) : .value(.reference(ObjectReference(target.id, ObjectKey(-1))))
        }
        // A Bool is a number only where numbers are compared: obj('Dog', TRUE) names no object.
        if case .bool = key { return nil }
        var argument = constant
        argument.argument = constant.argument ?? 0
        guard let adapted = try adapt(key, property.type.base, argument), adapted.isOf(property.type.base) else {
            return nil
        }
        return .object(target.id, primaryKey: adapted)
    }

    private func wrongClass(_ name: String, _ target: ClassSchema, _ range: SourceRange) -> QueryError {
        source.error(
            .typeMismatch,
            "The relationship which links to type '\(target.name)' cannot be compared to an argument of type '\(name.clipped)'",
            range)
    }

    // MARK: Values

    private func mismatch(_ constant: Constant, _ value: Value, _ type: OperandType, _ name: String) -> QueryError {
        // The sentences have quotes of their own.
        let words = if case .string(let text) = value { text } else { QueryPrinter.text(value) }
        if dialect == .format {
            return source.error(
                .typeMismatch,
                "Cannot compare value '\(words.clipped)' of type '\(value.typeName)' to property '\(name)' of type '\(type.name)'",
                constant.range)
        }
        if let number = constant.argument {
            return source.error(
                .typeMismatch,
                "Cannot compare argument $\(number) with value '\(words.clipped)' to a \(type.name)", constant.range)
        }
        return source.error(
            .typeMismatch, "Unsupported comparison between type '\(type.name)' and type '\(value.typeName)'",
            constant.range)
    }

    /// Returns nil when the value has no equivalent of the type. Throws for infinities and NaN against integers.
    private func adapt(_ value: Value, _ base: BaseType, _ constant: Constant) throws(QueryError) -> Value? {
        switch (base, value) {
        case (.mixed, _), (.bool, .bool), (.string, .string), (.data, .data), (.date, .date), (.objectId, .objectId),
            (.uuid, .uuid):
            return value
        case (.int, .string(let text)), (.float, .string(let text)), (.double, .string(let text)),
            (.decimal128, .string(let text)):
            // Predicate formats are strict.
            guard dialect == .rql, let number = Self.number(text, base) else { return nil }
            return try adapt(number, base, constant)
        case (.bool, _) where dialect == .format: return value.bit.map { .bool($0) }
        // In Foundation both are numbers.
        case (.int, .bool(let bit)) where dialect == .format: return .int(bit ? 1 : 0)
        case (.date, .string(let text)) where constant.isLooseArgument(in: dialect):
            return Timestamp(rfc3339: text).map { .date($0) }
        case (.objectId, .string(let text)) where constant.isLooseArgument(in: dialect):
            return ObjectId(hex: text).map { .objectId($0) }
        case (.uuid, .string(let text)) where constant.isLooseArgument(in: dialect):
            return UUIDValue(text: text).map { .uuid($0) }
        case (.int, .int), (.float, .float), (.double, .double), (.decimal128, .decimal): return value
        case (.int, .float(let number)): return try whole(Double(number), value, constant.range)
        case (.int, .double(let number)): return try whole(number, value, constant.range)
        case (.int, .decimal(let number)):
            guard !number.isNaN, !number.isInfinite else {
                return try whole(number.isNaN ? .nan : .infinity, value, constant.range)
            }
            return number.exactInt64.map { .int($0) } ?? value
        case (.float, _), (.double, _): return floating(value, isNarrow: base == .float)
        case (.decimal128, _):
            return constant.value == value
                ? constant.decimal.map { .decimal($0) } : value.asDecimal.map { .decimal($0) }
        default:
            return nil
        }
    }

    /// The number that a text contains.
    private static func number(_ text: String, _ base: BaseType) -> Value? {
        if base == .decimal128 { return Decimal128(text).map { .decimal($0) } }
        return Int64(text).map { .int($0) } ?? Double(text).map { .double($0) }
    }

    /// A number with a fraction against integers; returned unchanged when it is not whole.
    private func whole(_ number: Double, _ value: Value, _ range: SourceRange) throws(QueryError) -> Value {
        guard !number.isNaN else { throw source.error(.typeMismatch, "NaN not supported for int", range) }
        guard number.isFinite else { throw source.error(.typeMismatch, "Infinity not supported for int", range) }
        return Int64(exactly: number).map { .int($0) } ?? .double(number)
    }

    /// A number against Floats or Doubles; nil for any other value.
    private func floating(_ value: Value, isNarrow: Bool) -> Value? {
        switch value {
        case .int(let number):
            // A number that they cannot represent stays exact, so that rounding does not make it equal to one of them.
            return isNarrow
                ? Float(exactly: number).map { .float($0) } ?? value
                : Double(exactly: number).map { .double($0) } ?? value
        case .float(let number): return isNarrow ? value : .double(Double(number))
        case .double(let number):
            guard isNarrow else { return value }
            // A number beyond every Float is not infinity: it stays, so that infinity is still above it.
            let narrow = Float(number)
            return narrow.isInfinite && number.isFinite ? value : .float(narrow)
        case .decimal(let number):
            guard let exact = number.exactDouble else { return value }
            return isNarrow
                ? Float(exactly: exact).map { .float($0) } ?? (exact.isNaN ? .float(.nan) : .double(exact))
                : .double(exact)
        default: return nil
        }
    }
}

extension Constant {
    /// JSON has no dates and identifiers: arguments may give them as text.
    fileprivate func isLooseArgument(in dialect: QueryDialect) -> Bool { argument != nil && dialect == .rql }
}

extension Value {
    /// 0 and 1 as Booleans.
    fileprivate var bit: Bool? {
        switch self {
        case .int(0), .double(0), .float(0): false
        case .int(1), .double(1), .float(1): true
        default: nil
        }
    }

    /// Whether it is a value of a property of the type, rather than a number that can only be compared with it.
    fileprivate func isOf(_ base: BaseType) -> Bool {
        switch (self, base) {
        case (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid): true
        default: false
        }
    }
}
