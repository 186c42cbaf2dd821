/// A node of the routing tree: a path component and the nodes below it.
struct RouteNode: Sendable {
    struct Endpoint: Sendable {
        let names: [String]
        let body: Router.BodyHandling
        let handler: Handler
    }

    private var literals: [String: RouteNode] = [:]
    /// Zero or one element; an array, because a struct cannot contain itself.
    private var parameter: [RouteNode] = []
    private var rest: [RouteNode] = []
    private var endpoints: [(method: HTTPMethod, endpoint: Endpoint)] = []

    mutating func insert(
        _ components: ArraySlice<Substring>, names: [String], method: HTTPMethod, body: Router.BodyHandling,
        handler: @escaping Handler
    ) {
        guard let component = components.first else {
            endpoints.removeAll { $0.method == method }
            endpoints.append((method, Endpoint(names: names, body: body, handler: handler)))
            return
        }
        let following = components.dropFirst()
        if component.hasPrefix(":") {
            if parameter.isEmpty { parameter.append(RouteNode()) }
            parameter[0].insert(
                following, names: names + [String(component.dropFirst())], method: method, body: body,
                handler: handler)
        } else if component.hasPrefix("*") {
            if rest.isEmpty { rest.append(RouteNode()) }
            rest[0].insert(
                [], names: names + [String(component.dropFirst())], method: method, body: body, handler: handler)
        } else {
            literals[String(component), default: RouteNode()].insert(
                following, names: names, method: method, body: body, handler: handler)
        }
    }

    /// Returns the matching node, and appends the values of its parameters to `values`, which stays unchanged without a
    /// match.
    func find(_ segments: ArraySlice<String>, _ values: inout [String]) -> RouteNode? {
        guard let segment = segments.first else { return endpoints.isEmpty ? nil : self }
        let following = segments.dropFirst()
        if let found = literals[segment]?.find(following, &values) { return found }
        if let next = parameter.first {
            values.append(segment)
            if let found = next.find(following, &values) { return found }
            values.removeLast()
        }
        guard let next = rest.first else { return nil }
        values.append(contentsOf: segments)
        return next
    }

    func endpoint(for method: HTTPMethod) -> Endpoint? {
        if let exact = endpoints.first(where: { $0.method == method }) { return exact.endpoint }
        return method == .head ? endpoints.first { $0.method == .get }?.endpoint : nil
    }

    /// The value of an `Allow` header.
    var allowedMethods: String {
        var names = endpoints.map(\.method.description)
        if names.contains("GET"), !names.contains("HEAD") { names.append("HEAD") }
        if !names.contains("OPTIONS") { names.append("OPTIONS") }
        return names.joined(separator: ", ")
    }
}
