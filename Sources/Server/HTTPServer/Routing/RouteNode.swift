import HTTPMessages

/// A node of the routing tree: a path component and the nodes below it. Never changed, so that a look-up copies nothing.
final class RouteNode: Sendable {
    struct Endpoint: Sendable {
        let names: [String]
        let body: Router.BodyHandling
        let handler: Handler
    }

    private let literals: [String: RouteNode]
    private let parameter: RouteNode?
    private let rest: RouteNode?
    private let endpoints: [(method: HTTPMethod, endpoint: Endpoint)]

    /// Creates an empty tree.
    convenience init() { self.init(literals: [:], parameter: nil, rest: nil, endpoints: []) }

    private init(
        literals: [String: RouteNode], parameter: RouteNode?, rest: RouteNode?,
        endpoints: [(method: HTTPMethod, endpoint: Endpoint)]
    ) {
        self.literals = literals
        self.parameter = parameter
        self.rest = rest
        self.endpoints = endpoints
    }

    /// Returns a tree with an endpoint more, which replaces one with the same components and method.
    func inserting(
        _ components: ArraySlice<Substring>, names: [String], method: HTTPMethod, body: Router.BodyHandling,
        handler: @escaping Handler
    ) -> RouteNode {
        var (literals, parameter, rest, endpoints) = (literals, parameter, rest, endpoints)
        func inserted(into node: RouteNode?, _ components: ArraySlice<Substring>, _ name: Substring?) -> RouteNode {
            (node ?? RouteNode()).inserting(
                components, names: names + (name.map { [String($0)] } ?? []), method: method, body: body,
                handler: handler)
        }
        if let component = components.first {
            let following = components.dropFirst()
            if component.hasPrefix(":") {
                parameter = inserted(into: parameter, following, component.dropFirst())
            } else if component.hasPrefix("*") {
                rest = inserted(into: rest, [], component.dropFirst())
            } else {
                let literal = String(component)
                literals[literal] = inserted(into: literals[literal], following, nil)
            }
        } else {
            endpoints.removeAll { $0.method == method }
            endpoints.append((method, Endpoint(names: names, body: body, handler: handler)))
        }
        return RouteNode(literals: literals, parameter: parameter, rest: rest, endpoints: endpoints)
    }

    /// Returns the node that matches the segments from an index on, and appends the values of its parameters to
    /// `values`, which stays unchanged without a match.
    func find(_ segments: [String], from index: Int = 0, _ values: inout [String]) -> RouteNode? {
        guard index < segments.count else { return endpoints.isEmpty ? nil : self }
        let segment = segments[index]
        if let found = literals[segment]?.find(segments, from: index + 1, &values) { return found }
        if let parameter {
            values.append(segment)
            if let found = parameter.find(segments, from: index + 1, &values) { return found }
            values.removeLast()
        }
        guard let rest else { return nil }
        values.append(contentsOf: segments[index...])
        return rest
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
