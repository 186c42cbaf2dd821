import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

@Suite("Full-text search and geography")
struct SearchBindingTests {
    @Test("a search is split into words at spaces, with their signs")
    func words() throws {
        #expect(
            try bind("bio TEXT 'swim -Jump  climb*'").predicate
                == .fullText(
                    BoundFullText(
                        path("bio"),
                        FullTextSearch([
                            .init("swim"), .init("Jump", isExcluded: true), .init("climb", isPrefix: true),
                        ]))))
        #expect(
            try bind("friend.bio TEXT $0", "Person", [.value(.string("été"))]).predicate
                == .fullText(BoundFullText(path("friend.bio"), FullTextSearch([.init("été")]))))
        #expect(
            try bind("NONE owner.bio TEXT 'x'", "Dog").predicate
                == .fullText(BoundFullText(path("owner.bio", "Dog"), FullTextSearch([.init("x")]), quantifier: .none)))
    }

    @Test(
        "a search that cannot be is refused",
        arguments: [
            ("name TEXT 'x'", "Column has no fulltext index"), ("age TEXT 'x'", "Column has no fulltext index"),
            ("dog TEXT 'x'", "Column has no fulltext index"),
            ("bio TEXT 'a,b'", "Non alphanumeric characters not allowed inside search word"),
            ("bio TEXT '-'", "Non alphanumeric characters not allowed inside search word"),
            ("bio TEXT '*'", "Non alphanumeric characters not allowed inside search word"),
            ("bio TEXT 'a*b'", "Non alphanumeric characters not allowed inside search word"),
            ("bio TEXT 'swim -Swim'", "You can't include and exclude the same token"),
            ("bio TEXT ' '", "A full-text search needs at least one word."),
            ("bio TEXT 3", "The right side of TEXT must be a string of search words."),
            ("bio TEXT name", "The right side of TEXT must be a string of search words."),
        ])
    func refusedSearches(_ text: String, _ message: String) { #expect(fault(text)?.message == message) }

    private func within(_ name: String, _ shape: GeoShape, _ quantifier: Quantifier = .any) -> BoundPredicate {
        let place = objectClass("Place")
        return .geoWithin(
            BoundGeoWithin(
                links: path(name).links, type: place["type"]?.id ?? PropertyID(0),
                coordinates: place["coordinates"]?.id ?? PropertyID(0), shape, quantifier: quantifier))
    }

    private func position(_ longitude: Double, _ latitude: Double) -> GeoPosition {
        GeoPosition(longitude: longitude, latitude: latitude)
    }

    @Test("circles, boxes and polygons, longitude first, with arguments or as one argument")
    func shapes() throws {
        let circle = GeoShape.circle(center: position(-123.3, 48.4), radius: 0.001)
        #expect(try bind("place GEOWITHIN geoCircle([-123.3, 48.4], 0.001)").predicate == within("place", circle))
        #expect(
            try bind(
                "place GEOWITHIN geoCircle([$0, $1], $2)", "Person",
                [.value(.double(-123.3)), .value(.double(48.4)), .value(.double(0.001))]
            ).predicate == within("place", circle))
        #expect(try bind("place GEOWITHIN $0", "Person", [.shape(circle)]).predicate == within("place", circle))
        #expect(
            try bind("ALL places GEOWITHIN geoBox([1, 2], [3.5, 4.0])").predicate
                == within("places", .box(position(1, 2), position(3.5, 4)), .all))
        let ring = [position(0, 0), position(1, 0), position(1, 1), position(0, 0)]
        #expect(
            try bind("place GEOWITHIN geoPolygon({[0, 0], [1, 0, 5.0], [1, 1], [0, 0]})").predicate
                == within("place", .polygon([ring])))
    }

    @Test(
        "a region that is none is refused",
        arguments: [
            GeoShape.circle(center: GeoPosition(longitude: 181, latitude: 0), radius: 1),
            .circle(center: GeoPosition(longitude: .nan, latitude: 0), radius: 1),
            .circle(center: GeoPosition(longitude: 0, latitude: 91), radius: 1),
            .circle(center: GeoPosition(longitude: 0, latitude: 0), radius: -1),
            .circle(center: GeoPosition(longitude: 0, latitude: 0), radius: .nan),
            .circle(center: GeoPosition(longitude: 0, latitude: 0), radius: .infinity),
            .box(GeoPosition(longitude: 0, latitude: 0), GeoPosition(longitude: 0, latitude: -90.5)),
            .polygon([]),
            .polygon([[GeoPosition](repeating: GeoPosition(longitude: 0, latitude: 0), count: 3)]),
            .polygon([
                [
                    GeoPosition(longitude: 0, latitude: 0), GeoPosition(longitude: 1, latitude: 0),
                    GeoPosition(longitude: 1, latitude: 1), GeoPosition(longitude: 0, latitude: 1),
                ]
            ]),
        ])
    func invalidRegions(_ shape: GeoShape) {
        let fault = fault("place GEOWITHIN $0", "Person", [.shape(shape)])
        #expect(fault?.code == .invalid)
        #expect(fault?.message.hasPrefix("The Geospatial query argument region is invalid: '") == true)
    }

    @Test("both sides of GEOWITHIN must have the right kind")
    func sides() {
        let circle = "GEOWITHIN geoCircle([0, 0], 1)"
        #expect(
            fault("age \(circle)")?.message
                == "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the provided type is 'int'"
        )
        #expect(fault("dog \(circle)")?.code == .invalid)
        #expect(
            fault("place GEOWITHIN $0", "Person", [.value(.string("x"))])?.message
                == "The right hand side of 'geoWithin' must be a geospatial constant value. But the provided type is 'string'"
        )
        #expect(fault("place GEOWITHIN geoCircle([$0, 0], 1)", "Person", [.value(.string("x"))])?.code == .argument)
        #expect(fault("age == $0", "Person", [.shape(.box(position(0, 0), position(1, 1)))])?.code == .argument)
    }
}
