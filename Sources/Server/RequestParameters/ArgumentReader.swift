import Basics
import HTTPProblems
import JSONCoding
import ObjectCoding
import ObjectModel
import QuerySyntax
import QueryLanguage

/// Parses `args`, the values of `$0`, `$1`, … in a filter.
struct ArgumentReader {
    let schema: Schema
    /// The maximum number of values, including those in lists and the points of shapes.
    let limit: Int

    /// Throws 400 unless it is an array of values, lists of values, objects as `{"$link": …}` and shapes.
    func arguments(_ text: String) throws(Problem) -> [QueryArgument] {
        let json: JSONValue
        do {
            json = try JSONValue.parse(text)
        } catch {
            throw Problem(error, parameter: "args")
        }
        guard case .array(let elements) = json else {
            throw Problem(
                .parameterInvalid, "'args' must be a JSON array, not \(json.inWords).", parameter: "args")
        }
        guard elements.reduce(0, { $0 + Self.weight($1) }) <= limit else {
            throw Problem(.parameterInvalid, "'args' has more than \(limit) values.", parameter: "args")
        }
        var arguments: [QueryArgument] = []
        for (index, element) in elements.enumerated() { arguments.append(try argument(element, at: index)) }
        return arguments
    }

    private static func weight(_ json: JSONValue) -> Int {
        switch json {
        case .array(let elements): 1 + elements.reduce(0) { $0 + weight($1) }
        case .object(let object): max(1, object.members.reduce(0) { $0 + weight($1.value) })
        default: 1
        }
    }

    private func argument(_ json: JSONValue, at index: Int) throws(Problem) -> QueryArgument {
        if case .array(let list) = json {
            var elements: [QueryArgument.Element] = []
            elements.reserveCapacity(list.count)
            for element in list {
                if let object = try object(element, at: index) {
                    elements.append(.object(className: object.className, primaryKey: object.primaryKey))
                } else if case .precise(let exact, let nearest) = element {
                    elements.append(.floating(.double(nearest), text: exact.description))
                } else {
                    elements.append(.value(try value(element, at: index)))
                }
            }
            return .elements(elements)
        }
        if let object = try object(json, at: index) {
            return .object(className: object.className, primaryKey: object.primaryKey)
        }
        do {
            if let shape = try ShapeForm.shape(json) { return .shape(shape) }
        } catch {
            throw Self.typeMismatch(error, at: index)
        }
        if case .precise(let exact, let nearest) = json { return .floating(.double(nearest), text: exact.description) }
        return .value(try value(json, at: index))
    }

    private func value(_ json: JSONValue, at index: Int) throws(Problem) -> Value {
        do {
            switch try ValueCoding.mixed(json).complete {
            case .list?, .dictionary?, nil: break
            case let value?: return value
            }
        } catch {
            throw Self.typeMismatch(error, at: index)
        }
        throw Problem(
            QueryError.Code.argument,
            "Argument \(index) is not a value: write plain JSON, a typed object such as {\"$date\": …} or {\"$link\": …}, or a shape such as {\"$geoCircle\": …}.",
            parameter: "args")
    }

    /// Resolves an object given as `{"$link": {"class", "key"}}`; nil for other values.
    private func object(
        _ json: JSONValue, at index: Int
    ) throws(Problem) -> (className: String, primaryKey: Value)? {
        guard json["$link"] != nil else { return nil }
        guard let link = LinkForm(json) else {
            throw Problem(
                QueryError.Code.argument,
                "Argument \(index): write a link as {\"$link\": {\"class\": \"Dog\", \"key\": 7}}.", parameter: "args")
        }
        guard let target = schema[link.className] else {
            throw Problem(
                QueryError.Code.unknownClass, "Argument \(index): there is no class '\(link.className)'.",
                parameter: "args", hint: schema.classes.map(\.name).nearest(to: link.className))
        }
        do {
            let type = target.primaryKeyProperty?.type ?? PropertyType(.int)
            return (link.className, try ValueCoding.decode(link.key, as: type))
        } catch {
            throw Problem(
                QueryError.Code.argument, "Argument \(index): " + error.sentence("$link.key"), parameter: "args")
        }
    }

    private static func typeMismatch(_ fault: ValueError, at index: Int) -> Problem {
        Problem(
            QueryError.Code.argument, "Argument \(index)\(fault.path) is \(fault.got), not \(fault.expected).",
            parameter: "args")
    }
}
