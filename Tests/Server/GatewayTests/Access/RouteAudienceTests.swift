import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RepositoryFiles
import RequestHandling
import Testing

/// Every row of the route table as every kind of caller: the row says who gets through.
@Suite("who may use a route")
struct RouteAudienceTests {
    private static func request(_ route: Route) -> String {
        let parts = route.pattern.split(separator: "/").map { part in
            part.hasPrefix(":class") ? "Dog" : part.hasPrefix(":") || part.hasPrefix("*") ? "1" : String(part)
        }
        return "/" + parts.joined(separator: "/")
    }

    @Test("the row's audience decides, before anything else of the request is looked at")
    func audiences() throws {
        let guarded = try GuardedGateway()
        let (reader, administrator) = (try guarded.bearer("reader"), try guarded.bearer("admin"))
        let table = guarded.gateway.gateway.routeTable
        #expect(Set(table.map { "\($0.audience)" }).count == 5, "a kind of audience that no route has")
        for route in table {
            func refusal(_ headers: HeaderFields) throws -> String {
                // A parameter that no route has: who may not use the route learns nothing about it.
                let response = try guarded.gateway.send(
                    route.method, Self.request(route) + "?nonsense=1", headers: headers)
                guard case .string(let code)? = response.member("code") else { return "" }
                return [401, 403].contains(response.status) ? code : ""
            }
            let label = "\(route.method) \(route.pattern)"
            let (anonymous, some) = (try refusal([:]), try refusal(reader))
            switch route.audience {
            case .everyone, .anonymous: #expect(anonymous == "" && some == "", "\(label)")
            case .callers: #expect(anonymous == "auth.required" && some == "", "\(label)")
            case .administrators, .metricsReaders:
                #expect(anonymous == "auth.required" && some == "access.denied", "\(label)")
            }
            #expect(try refusal(administrator) == "", "\(label)")
        }
    }

    @Test("the description needs no credential for what is everyone's, and one for the rest")
    func description() throws {
        let path = URL(fileURLWithPath: Checkout.root).appendingPathComponent("openapi/openapi.json")
        let paths = try JSONValue.parse(Array(try Data(contentsOf: path)))["paths"]
        for route in try GuardedGateway().gateway.gateway.routeTable {
            let pattern = route.pattern.split(separator: "/", omittingEmptySubsequences: false).map { part in
                part.hasPrefix(":") || part.hasPrefix("*") ? "{\(part.dropFirst())}" : String(part)
            }.joined(separator: "/").replacingOccurrences(of: "/static/{path}", with: "/static/{file}")
            let operation = try #require(paths?[pattern]?["\(route.method)".lowercased()], "\(pattern)")
            var isOpen = false
            if case .array(let security)? = operation["security"] {
                isOpen = security.isEmpty || security.contains([:])
            }
            let isPublic = route.audience == .everyone || route.audience == .anonymous
            #expect(isOpen == isPublic, "\(route.method) \(pattern)")
        }
    }
}
