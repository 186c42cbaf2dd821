import Basics
import JSONCoding
import WireProtocol

/// The arguments of a call, checked against the parameters of its tool.
struct ToolArguments {
    private let values: [String: JSONValue]

    /// Throws for a name that the tool does not have, and for a value that is missing or of another type. A null counts
    /// as absent: models send it for what they leave out.
    init(_ given: JSONObject, of tool: String, _ parameters: [Toolbox.Parameter]) throws(ToolError) {
        let names = parameters.map(\.name)
        var values: [String: JSONValue] = [:]
        for member in given.members where member.value != .null {
            guard let parameter = parameters.first(where: { $0.name == member.name }) else {
                let hint = names.nearest(to: member.name).map { " Did you mean '\($0)'?" } ?? ""
                let known = names.isEmpty ? "It has none." : "It has: \(names.joined(separator: ", "))."
                throw ToolError("The tool '\(tool)' has no argument '\(member.name)'. \(known)\(hint)")
            }
            guard parameter.accepts(member.value) else {
                throw ToolError(
                    "The argument '\(member.name)' of '\(tool)' must be \(parameter.typeWords), not \(member.value.inWords)."
                )
            }
            values[member.name] = member.value
        }
        for parameter in parameters where parameter.isRequired && values[parameter.name] == nil {
            throw ToolError("The tool '\(tool)' needs the argument '\(parameter.name)'. \(parameter.description)")
        }
        self.values = values
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(ToolError) -> Int? {
        guard case .int(let value)? = values[name] else { return nil }
        guard let value = Int(exactly: value), range.contains(value) else {
            throw ToolError("The argument '\(name)' must be from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// The JSON of an object.
    func object(_ name: String) throws(ToolError) -> [UInt8] {
        let json = JSONWriter(capacity: 256)
        json.value(values[name] ?? [:])
        return json.bytes
    }

    /// The path of a resource, followed by arguments as segments.
    func path(_ resource: String, _ names: String...) throws(ToolError) -> String {
        var path = "/v1/\(resource)"
        for name in names {
            let text = text(name) ?? ""
            // Clients and proxies remove these segments unless something is in front.
            path += "/" + (["", ".", ".."].contains(text) ? "%FF" : "") + Endpoint.encoded(text)
        }
        return path
    }

    /// The query with those of the named arguments that were given, and others.
    func query(_ names: [String], _ others: [(String, String)]) -> String {
        let given = names.compactMap { name in text(name).map { (name, $0) } } + others
        let pairs = given.map { "\($0.0)=\(Endpoint.encoded($0.1))" }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private func text(_ name: String) -> String? {
        switch values[name] {
        case .string(let text)?: text
        case .int(let number)?: String(number)
        default: nil
        }
    }
}

extension Toolbox.Parameter {
    private var types: [JSONValue] { if case .array(let types) = type { types } else { [type] } }

    fileprivate var typeWords: String {
        types.map { type in
            switch type {
            case "integer": "an integer"
            case "object": "an object"
            default: "a string"
            }
        }.joined(separator: " or ")
    }

    fileprivate func accepts(_ value: JSONValue) -> Bool {
        switch value {
        case .string: types.contains("string")
        case .int: types.contains("integer")
        case .object: types.contains("object")
        default: false
        }
    }
}
