import QuerySyntax
import ObjectModel

/// A constant of the query or one of its arguments, before it is converted to the other side's type.
struct Constant {
    enum Kind {
        case value(Value)
        case object(className: String, primaryKey: Value)
        /// The type name of a property of fixed type: `name.@type`.
        case typeName(String)
    }

    var kind: Kind
    /// The source text of a number with a fraction.
    var text: String?
    /// The argument's number; nil for a constant in the text.
    var argument: Int?
    var range: SourceRange

    init(_ kind: Kind, text: String? = nil, argument: Int? = nil, _ range: SourceRange) {
        self.kind = kind
        self.text = text
        self.argument = argument
        self.range = range
    }

    var isNull: Bool {
        if case .value(.null) = kind { return true }
        return false
    }

    var value: Value? {
        if case .value(let value) = kind { return value }
        return nil
    }

    /// The name of its type in errors.
    var typeName: String {
        switch kind {
        case .value(let value): value.typeName
        case .object: "link"
        case .typeName: "string"
        }
    }
}

extension Binding {
    /// The constants of a literal in the text, or of an argument.
    func constants(_ parsed: ParsedConstant, _ range: SourceRange) throws(QueryError) -> ([Constant], isList: Bool) {
        switch parsed {
        case .value(let value): return ([Constant(.value(value), range)], false)
        case .floating(let value, let text): return ([Constant(.value(value), text: text, range)], false)
        case .object(let name, let key):
            return ([Constant(.object(className: name, primaryKey: key), range)], false)
        case .argument(let number):
            switch try argument(number, range) {
            case .value(.list(let values)), .value(.set(let values)), .list(let values):
                return (try constants(values, number, range), true)
            case .value(let value): return (try constants([value], number, range), false)
            case .collection(let value): return ([Constant(.value(value), argument: number, range)], false)
            case .floating(let value, let text):
                return ([Constant(.value(value), text: text, argument: number, range)], false)
            case .object(let name, let key):
                return ([Constant(.object(className: name, primaryKey: key), argument: number, range)], false)
            case .elements(let elements):
                var constants: [Constant] = []
                for element in elements {
                    switch element {
                    case .value(let value): constants += try self.constants([value], number, range)
                    case .collection(let value):
                        constants.append(Constant(.value(value), argument: number, range))
                    case .floating(let value, let text):
                        constants.append(Constant(.value(value), text: text, argument: number, range))
                    case .object(let name, let key):
                        constants.append(
                            Constant(.object(className: name, primaryKey: key), argument: number, range))
                    }
                }
                return (constants, true)
            case .shape:
                throw source.error(.argument, "A shape can only be used with GEOWITHIN.", range)
            }
        }
    }

    private func constants(
        _ values: [Value], _ number: Int, _ range: SourceRange
    ) throws(QueryError) -> [Constant] {
        for value in values {
            switch value {
            case .list, .set, .dictionary, .embedded, .link:
                throw source.error(
                    .argument, "Argument $\(number) cannot hold a value of type '\(value.typeName)' here.", range)
            default: continue
            }
        }
        return values.map { Constant(.value($0), argument: number, range) }
    }
}
