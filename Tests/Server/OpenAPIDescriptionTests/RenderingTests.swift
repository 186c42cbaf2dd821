import HTTPMessages
import Foundation
import HTTPServer
import JSONCoding
import ObjectModel
import RepositoryFiles
import Testing

@testable import OpenAPIDescription

@Suite("The description of the API")
struct RenderingTests {
    private let document: JSONValue

    init() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/openapi/openapi.json")
        document = try JSONValue.parse(Array(Data(contentsOf: file)))
    }

    private func schema(_ names: String...) -> Schema {
        Schema(
            version: 1,
            classes: names.map {
                ClassSchema(
                    $0, primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)), PropertySchema("title", PropertyType(.string)),
                    ])
            })
    }

    private func text(_ rendering: APIDescription.Rendering) -> String {
        rendering.content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test("names the caller's classes and no others, and is rendered once for equal schemas")
    func classes() throws {
        let description = APIDescription(document)
        let one = try #require(description.rendering(of: schema("Dog"), .off))
        #expect(text(one).contains("/v1/objects/Dog"))
        #expect(!text(one).contains("/v1/objects/Cat"))
        #expect(description.rendering(of: schema("Dog"), .off)?.content === one.content)
        let two = try #require(description.rendering(of: schema("Dog", "Cat"), .off))
        #expect(text(two).contains("/v1/objects/Cat"))
        #expect(two.fingerprint != one.fingerprint)
    }

    @Test("is no longer than it may be, and of some classes where it would be")
    func limit() throws {
        let description = APIDescription(document)
        let many = Schema(
            version: 1,
            classes: (0..<100).map {
                ClassSchema(
                    "C\($0)", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)),
                        PropertySchema("next", PropertyType(.link("C\(($0 + 1) % 100)"), isOptional: true)),
                        PropertySchema("part", PropertyType(.link("Part"), isOptional: true)),
                    ])
            } + [ClassSchema("Part", isEmbedded: true, properties: [PropertySchema("x", PropertyType(.int))])])
        #expect(description.rendering(of: many, .off, limit: 1 << 20) == nil)
        #expect(try #require(description.rendering(of: many, .off)).content.count > 1 << 20)
        let two = try #require(description.rendering(of: many.selecting(["C3", "C7"]), .off, limit: 1 << 20))
        let json = try JSONValue.parse(Array(text(two).utf8))
        #expect(json["paths"]?["/v1/objects/C3"] != nil && json["paths"]?["/v1/objects/C4"] == nil)
        let schemas = json["components"]?["schemas"]
        #expect(schemas?["C7"]?["properties"]?["next"] != nil && schemas?["Part"] != nil && schemas?["C8"] == nil)
    }

    @Test("says how to authenticate only when callers must")
    func security() throws {
        let description = APIDescription(document)
        let open = try #require(description.rendering(of: schema("Dog"), .off))
        let closed = try #require(
            description.rendering(of: schema("Dog"), DescriptionSecurity(isOn: true, takesAnonymous: false)))
        #expect(try JSONValue.parse(Array(text(open).utf8))["security"] == nil)
        #expect(try JSONValue.parse(Array(text(closed).utf8))["security"] != nil)
        #expect(open.fingerprint != closed.fingerprint)
    }

    @Test("names of components are valid and unique, whatever classes are called")
    func names() {
        var names = ComponentNames(taken: ["Problem"])
        let made = ["Dog", "Dog", "Hündin", "Problem", "Problem", "a b"].map { names.next($0) }
        #expect(Set(made).count == made.count && !made.contains("Problem"))
        for name in made {
            #expect(name.wholeMatch(of: #/[A-Za-z0-9._-]+/#) != nil, "\(name)")
        }
    }
}
