import ObjectModel

/// A constant of the query or one of its arguments, before it is fitted to the other side.
struct Constant {
    enum Kind {
        case value(Value)
        case object(className: String, primaryKey: Value)
    }

    var kind: Kind
    /// The argument's number; nil for a constant in the text.
    var argument: Int?
    var range: SourceRange

    init(_ kind: Kind, argument: Int?, _ range: SourceRange) {
        self.kind = kind
        self.argument = argument
        self.range = range
    }

    var isNull: Bool {
        if case .value(.null) = kind { return true }
        return false
    }
}

/// What a path leads to, as far as comparing is concerned.
enum OperandType: Hashable {
    case scalar(BaseType)
    /// An object of a class.
    case object(ClassSchema)
    /// The primary key that stands for an object of a class.
    case key(of: ClassSchema, BaseType)

    /// The name in errors, after query-language.md §3.
    var name: String {
        switch self {
        case .object, .key: "link"
        case .scalar(.date): "timestamp"
        case .scalar(let base): base.name
        }
    }

    func isComparable(with other: OperandType) -> Bool {
        switch (self, other) {
        case (.scalar(let a), .scalar(let b)): a == b || (a.isNumeric && b.isNumeric)
        case (.object(let a), .object(let b)): a.id == b.id
        default: false
        }
    }
}

extension ResolvedPath.End {
    var type: OperandType {
        switch self {
        case .value(let property): .scalar(property.type.base)
        case .object(let objectClass): .object(objectClass)
        case .count: .scalar(.int)
        }
    }
}

extension Binding {
    /// The constant as a value of the type, or a number that compares exactly with it (query-language.md §6).
    func adapt(_ constant: Constant, to type: OperandType) throws(QueryError) -> Value {
        switch (constant.kind, type) {
        case (.value(.null), _): return .null
        case (.value(let value), .scalar(let base)):
            guard let adapted = try adapt(value, base, constant) else { throw mismatch(constant, value, type) }
            return adapted
        case (.value(let value), .key(_, let base)):
            // An object's primary key names it, but only as an argument: in the text, obj('Dog', 1) says which
            // class is meant.
            guard constant.argument != nil, let adapted = try adapt(value, base, constant) else {
                throw mismatch(constant, value, type)
            }
            return adapted
        case (.value(let value), .object):
            throw mismatch(constant, value, type)
        case (.object(let name, let key), .key(let target, let base)):
            try check(name, is: target, constant.range)
            guard let adapted = try adapt(key, base, Constant(constant.kind, argument: 0, constant.range)) else {
                throw source.error(
                    .typeMismatch,
                    "The primary key of class '\(name)' is of type '\(base.name)', not '\(key.typeName)'.",
                    constant.range)
            }
            return adapted
        case (.object(let name, let key), .object(let target)):
            try check(name, is: target, constant.range)
            guard case .int(let number) = key else {
                throw source.error(
                    .typeMismatch,
                    "Class '\(name)' has no primary key; its objects are named by their object key, a number.",
                    constant.range)
            }
            return .reference(ObjectReference(target.id, ObjectKey(number)))
        case (.object, .scalar(let base)):
            throw source.error(
                .typeMismatch, "Unsupported comparison between type '\(OperandType.scalar(base).name)' and type 'link'",
                constant.range)
        }
    }

    private func check(_ name: String, is target: ClassSchema, _ range: SourceRange) throws(QueryError) {
        guard schema[name] != nil else {
            throw source.error(
                .unknownClass, "No class '\(name)' in the schema", range,
                hint: schema.classes.map(\.name).nearest(to: name))
        }
        guard name == target.name else {
            throw source.error(
                .typeMismatch,
                "The relationship which links to type '\(target.name)' cannot be compared to an argument of type '\(name)'",
                range)
        }
    }

    private func mismatch(_ constant: Constant, _ value: Value, _ type: OperandType) -> QueryError {
        if let number = constant.argument {
            return source.error(
                .typeMismatch,
                "Cannot compare argument $\(number) with value '\(QueryPrinter.text(value))' to a \(type.name)",
                constant.range)
        }
        return source.error(
            .typeMismatch, "Unsupported comparison between type '\(type.name)' and type '\(value.typeName)'",
            constant.range)
    }

    /// Nil when the value cannot stand for the type. Throws for infinities and NaN against integers.
    private func adapt(_ value: Value, _ base: BaseType, _ constant: Constant) throws(QueryError) -> Value? {
        switch (base, value) {
        case (.bool, .bool), (.string, .string), (.date, .date), (.objectId, .objectId), (.uuid, .uuid):
            return value
        case (.date, .string(let text)) where constant.argument != nil:
            return Timestamp(rfc3339: text).map { .date($0) }
        case (.objectId, .string(let text)) where constant.argument != nil:
            return ObjectId(hex: text).map { .objectId($0) }
        case (.uuid, .string(let text)) where constant.argument != nil:
            return UUIDValue(text: text).map { .uuid($0) }
        case (.int, _), (.float, _), (.double, _):
            guard let number = Number(value) else { return nil }
            return try adapt(number, base, constant.range)
        default:
            return nil
        }
    }

    private enum Number {
        case whole(Int64)
        case floating(Double)

        /// Strings are read as numbers if they can be.
        init?(_ value: Value) {
            switch value {
            case .int(let value): self = .whole(value)
            case .float(let value): self = .floating(Double(value))
            case .double(let value): self = .floating(value)
            case .string(let text):
                if let whole = Int64(text) {
                    self = .whole(whole)
                } else if let floating = Double(text) {
                    self = .floating(floating)
                } else {
                    return nil
                }
            default: return nil
            }
        }
    }

    private func adapt(_ number: Number, _ base: BaseType, _ range: SourceRange) throws(QueryError) -> Value {
        switch (base, number) {
        case (.int, .whole(let value)): return .int(value)
        case (.int, .floating(let value)):
            guard !value.isNaN else { throw source.error(.typeMismatch, "NaN not supported for int", range) }
            guard value.isFinite else { throw source.error(.typeMismatch, "Infinity not supported for int", range) }
            return Int64(exactly: value).map { .int($0) } ?? .double(value)
        case (.float, .whole(let value)):
            // What a Float cannot hold stays exact, so that it equals no Float by rounding.
            return Float(exactly: value).map { .float($0) } ?? .int(value)
        case (.float, .floating(let value)):
            // A number beyond every Float is not infinity: it stays, so that infinity is still above it.
            let narrow = Float(value)
            return narrow.isInfinite && value.isFinite ? .double(value) : .float(narrow)
        case (_, .whole(let value)): return Double(exactly: value).map { .double($0) } ?? .int(value)
        case (_, .floating(let value)): return .double(value)
        }
    }
}
