import HTTPMessages
import JSONCoding

/// The tools for a database: each makes one request of the HTTP API.
package struct Toolbox {
    /// Whether the tools that write are among them.
    let allowsWrites: Bool

    package init(allowsWrites: Bool) { self.allowsWrites = allowsWrites }

    /// A tool.
    private struct Tool: Sendable {
        let name: String
        let title: String
        let description: String
        var writes = false
        let parameters: [Parameter]
        let request: @Sendable (ToolArguments) throws(ToolError) -> GatewayRequest
    }

    /// An argument of a tool.
    struct Parameter: Sendable {
        let name: String
        /// A type of JSON Schema, or several.
        let type: JSONValue
        let description: String
        var isRequired = false
    }

    var instructions: String {
        """
        A Realmgate database: typed objects in classes, with links between them. Call 'schema' first: it has the names \
        and types of classes and properties. Filters are predicates such as: delay > 60 AND origin.state == "NY". Text \
        comparisons take [c] for ignoring case (name BEGINSWITH[c] "a"); lists have ANY, ALL, NONE and .@count. \
        \(allowsWrites ? "Writes are permitted." : "This connection is read-only.")
        """
    }

    var descriptions: [JSONValue] {
        Self.tools.filter { allowsWrites || !$0.writes }.map { tool -> JSONValue in
            let properties = tool.parameters.map { parameter in
                JSONObject.Member(
                    name: parameter.name,
                    value: ["type": parameter.type, "description": .string(parameter.description)])
            }
            let required = tool.parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
            return [
                "name": .string(tool.name), "title": .string(tool.title), "description": .string(tool.description),
                "inputSchema": [
                    "type": "object", "properties": .object(JSONObject(properties)), "required": .array(required),
                    "additionalProperties": false,
                ],
                "annotations": [
                    "readOnlyHint": .bool(!tool.writes),
                    "destructiveHint": .bool(["update", "delete"].contains(tool.name)),
                    "openWorldHint": false,
                ],
            ]
        }
    }

    /// Returns the request of a call; nil for a tool that does not exist.
    func request(of name: String, _ arguments: JSONObject) throws(ToolError) -> GatewayRequest? {
        guard let tool = Self.tools.first(where: { $0.name == name }) else { return nil }
        guard allowsWrites || !tool.writes else {
            throw ToolError("'\(name)' writes, and this server is read-only: it was started without --allow-writes.")
        }
        return try tool.request(try ToolArguments(arguments, of: tool.name, tool.parameters))
    }

    // MARK: The tools

    private static let classParameter = Parameter(
        name: "class", type: "string", description: "The name of a class.", isRequired: true)
    private static let keyParameter = Parameter(
        name: "key", type: ["string", "integer"],
        description: "The primary key; for a class without one, the number in $key.", isRequired: true)
    private static let filterParameter = Parameter(
        name: "filter", type: "string",
        description: "A predicate; all objects without one. Example: age >= 18 AND owner.city == \"Turin\"")
    private static let sortParameter = Parameter(
        name: "sort", type: "string",
        description: "Key paths with commas between, - before one for descending: -delay,carrier")

    private static let usualLimit = 20
    private static let highestLimit = 1000

    private static let tools: [Tool] = [
        Tool(
            name: "schema", title: "Schema",
            description: "The classes of the database with their properties, types, primary keys and links.",
            parameters: []
        ) { (_) throws(ToolError) in GatewayRequest(method: .get, target: "/v1/schema") },
        Tool(
            name: "query", title: "Query objects",
            description: "Objects of a class that satisfy a predicate, with their number. 'next' continues as 'after'.",
            parameters: [
                classParameter, filterParameter, sortParameter,
                Parameter(
                    name: "limit", type: "integer",
                    description: "At most this many objects: \(usualLimit) if absent, up to \(highestLimit)."),
                Parameter(
                    name: "fields", type: "string",
                    description: "Only these properties, with commas between; also behind links: name,owner.city"),
                Parameter(name: "after", type: "string", description: "The 'next' of the page before."),
            ]
        ) { (given) throws(ToolError) in
            let limit = try given.integer("limit", in: 0...highestLimit) ?? usualLimit
            return GatewayRequest(
                method: .get,
                target: try given.path("objects", "class")
                    + given.query(
                        ["filter", "sort", "fields", "after"], [("limit", String(limit)), ("count", "true")]))
        },
        Tool(
            name: "get", title: "Read an object", description: "One object by its key.",
            parameters: [classParameter, keyParameter]
        ) { (given) throws(ToolError) in
            GatewayRequest(method: .get, target: try given.path("objects", "class", "key"))
        },
        Tool(
            name: "aggregate", title: "Count and aggregate",
            description:
                "The number of objects that satisfy a predicate, with minima, maxima, sums and averages; with 'by', of each group of equal values.",
            parameters: [
                classParameter, filterParameter,
                Parameter(name: "by", type: "string", description: "Group by these key paths: origin.state"),
                Parameter(name: "min", type: "string", description: "Key paths, with commas between."),
                Parameter(name: "max", type: "string", description: "Key paths, with commas between."),
                Parameter(name: "sum", type: "string", description: "Key paths, with commas between."),
                Parameter(name: "average", type: "string", description: "Key paths, with commas between."),
                Parameter(name: "top", type: "integer", description: "Only the largest groups, up to 500."),
            ]
        ) { (given) throws(ToolError) in
            let top = try given.integer("top", in: 1...500)
            return GatewayRequest(
                method: .get,
                target: try given.path("aggregates/objects", "class")
                    + given.query(
                        ["filter", "by", "min", "max", "sum", "average"], top.map { [("top", String($0))] } ?? []))
        },
        Tool(
            name: "explain", title: "Explain a query",
            description:
                "Runs a query and says how: which indexes it uses, how many objects each part reads and passes on.",
            parameters: [classParameter, filterParameter, sortParameter]
        ) { (given) throws(ToolError) in
            GatewayRequest(
                method: .get,
                target: try given.path("objects", "class") + given.query(["filter", "sort"], [("explain", "true")]))
        },
        Tool(
            name: "create", title: "Create an object",
            description: "Creates an object. Links are primary keys, or objects that are created with it.",
            writes: true,
            parameters: [
                classParameter,
                Parameter(name: "object", type: "object", description: "Its properties.", isRequired: true),
            ]
        ) { (given) throws(ToolError) in
            GatewayRequest(
                method: .post, target: try given.path("objects", "class"), body: try given.object("object"))
        },
        Tool(
            name: "update", title: "Update an object",
            description: "Sets properties of one object, and leaves the others.",
            writes: true,
            parameters: [
                classParameter, keyParameter,
                Parameter(name: "values", type: "object", description: "The properties to set.", isRequired: true),
            ]
        ) { (given) throws(ToolError) in
            GatewayRequest(
                method: .patch, target: try given.path("objects", "class", "key"), body: try given.object("values"))
        },
        Tool(
            name: "delete", title: "Delete an object", description: "Deletes one object. Links to it become null.",
            writes: true, parameters: [classParameter, keyParameter]
        ) { (given) throws(ToolError) in
            GatewayRequest(method: .delete, target: try given.path("objects", "class", "key"))
        },
    ]
}
