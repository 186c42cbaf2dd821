import QuerySyntax
import ObjectModel
import QueryLanguage

extension QueryCorpus {
    /// Arguments, full text, geography, and the dialect of formats.
    static let others: [Row] = arguments + fullText + geography + formats

    private static func list(_ texts: String...) -> QueryArgument { .list(texts.map { .string($0) }) }

    private static func text(_ text: String) -> QueryArgument { .value(.string(text)) }

    private static func number(_ number: Int64) -> QueryArgument { .value(.int(number)) }

    private static let rex = QueryArgument.object(className: "Dog", primaryKey: .string("rex"))

    private static let arguments: [Row] = rowsWithArguments(
        "arguments", "Person",
        [
            ("age > $0 AND dog == $1", [number(20), rex], [0]),
            ("$K0 == $1", [text("dog.name"), text("Rex")], [0, 4]),
            ("tags[$0] == 'red'", [number(0)], [0, 1, 4]), ("prices[$0] > 2", [text("ash")], [0]),
            ("name IN $0", [list("Anna", "Bo")], [0, 1]), ("age BETWEEN $0", [.list([.int(18), .int(29)])], [2, 3]),
            ("ANY tags == $0", [text("green")], [4]), ("ALL $0 IN tags", [list("red", "blue")], [0, 3]),
            ("age IN $0", [.list([])], []), ("name == $0", [.value(.null)], [2]),
            ("worth == $0", [.value(.decimal(Decimal128(Int64(10))))], [1]),
            ("born == $0", [.value(.date(.epoch))], [1]),
            ("id == $0", [.value(.objectId(oid))], [0]), ("key == $0", [.value(.uuid(uuid))], [0]),
            ("photo == $0", [.value(.data([0xFF, 0]))], [4]), ("alive == $0", [.value(.bool(false))], [1, 3]),
            ("height == $0", [.value(.double(2))], [2]), ("weight == $0", [.value(.float(1.5))], [3]),
            ("age == $0", [.value(.double(42))], [0]), ("$0 < age", [number(29)], [0, 4]),
            ("name == $1 OR name == $0", [text("Bo"), text("Anna")], [0, 1]),
            ("name != $0", [text("Bo")], [0, 2, 3, 4]),
            ("dog IN $0", [.list([])], []), ("dogs == $0", [rex], [0, 3]), ("nums == $0", [.list([.int(5)])], [1]),
            ("age + $0 == 43", [number(1)], [0]), ("name LIKE $0", [text("*n*")], [0, 3]),
            ("SUBQUERY(dogs, $d, $d.age > $0).@count > $1", [number(3), number(1)], [3]),
        ])

    private static let fullText: [Row] = rows(
        "special", "Note",
        [
            ("bio TEXT 'swim'", [0, 5]), ("bio TEXT 'SWIM jump'", [0, 5]), ("bio TEXT 'swim*'", [0, 2, 5]),
            ("bio TEXT 'swim* -jump'", [2]), ("bio TEXT 'ecole'", [1]), ("bio TEXT 'École climb*'", [1]),
            ("bio TEXT 'swim -jump climb*'", []), ("NOT bio TEXT 'swim'", [1, 2, 3, 4]), ("bio TEXT 'and'", [0]),
            ("bio TEXT 'swim' OR bio TEXT 'ecole'", [0, 1, 5]), ("bio TEXT 'jump -and'", [5]),
        ])

    private static let geography: [Row] =
        rows(
            "special", "Spot",
            [
                ("place GEOWITHIN geoCircle([-123.3, 48.4], 0.001)", [2]),
                ("place GEOWITHIN geoCircle([0.5, 0.5], 0.02)", [0]),
                // Across the date line, and around the pole.
                ("place GEOWITHIN geoCircle([-179.5, 0.5], 0.02)", [6]),
                ("place GEOWITHIN geoCircle([120.0, 89.0], 0.02)", [7]),
                ("place GEOWITHIN geoBox([-1.0, -1.0], [1.0, 1.0])", [0]),
                ("place GEOWITHIN geoBox([-1.0, -1.0], [11.0, 11.0])", [0, 1]),
                ("place GEOWITHIN geoBox([179.0, -1.0], [-179.0, 1.0])", [6]),
                // The shortest line between two positions 80 degrees apart on the 50th parallel reaches the 57th.
                ("place GEOWITHIN geoBox([-40.0, 50.0], [40.0, 60.0])", [9]),
                (
                    "place GEOWITHIN geoPolygon({[-1.0, -1.0], [11.0, -1.0], [11.0, 11.0], [-1.0, 11.0], [-1.0, -1.0]})",
                    [0, 1]
                ),
                (
                    "place GEOWITHIN geoPolygon({[-1.0, -1.0], [11.0, -1.0], [11.0, 11.0], [-1.0, 11.0], [-1.0, -1.0]}, "
                        + "{[9.0, 9.0], [10.5, 9.0], [10.5, 10.5], [9.0, 10.5], [9.0, 9.0]})", [0]
                ),
                ("ANY places GEOWITHIN geoCircle([10.1, 10.1], 0.01)", [0]),
                ("ALL places GEOWITHIN geoCircle([0.0, 0.0], 1.0)", Array(0...9)),
                ("NONE places GEOWITHIN geoCircle([0.1, 0.1], 0.01)", Array(1...9)),
                ("NOT place GEOWITHIN geoCircle([0.5, 0.5], 0.02)", Array(1...9)),
            ])
        + rowsWithArguments(
            "special", "Spot",
            [
                (
                    "place GEOWITHIN $0",
                    [.shape(.circle(center: GeoPosition(longitude: 10.5, latitude: 10.5), radius: 0.02))], [1]
                )
            ])

    private static let formats: [Row] =
        rowsWithArguments(
            "formats", "Person", dialect: .format,
            [
                ("name == %@", [text("Bo")], [1]), ("age > %@ AND dog == %@", [number(20), rex], [0]),
                ("%K == %@", [text("dog.name"), text("Rex")], [0, 4]), ("ANY dogs.age > %@", [number(4)], [0, 1, 3]),
                ("%@ IN tags", [text("red")], [0, 1, 3, 4]), ("name IN %@", [list("Anna", "Bo")], [0, 1]),
                // The opposite of RQL.
                ("name CONTAINS ''", [], []), ("name BEGINSWITH %@", [.value(.null)], []),
                ("ANY nums BETWEEN {4, 6}", [], [1]), ("ANY nums BETWEEN {0, 5}", [], [0, 1, 3, 4]),
                ("ANY prices.@allKeys == 'ash'", [], [0, 1, 4]), ("ANY prices.@allValues > 2", [], [0, 3]),
                ("name ==[cd] 'ZOE'", [], [4]), ("tags.@count > 1", [], [0, 3, 4]),
                ("SUBQUERY(dogs, $d, $d.age > 4).@count > 0", [], [0, 1, 3]), ("alive == 1", [], [0, 2, 4]),
                ("prices[%@] > 2", [text("ash")], [0]), ("NONE dogs.name == 'Rex'", [], [1, 2, 4]),
                ("name != 'Bo'", [], [0, 2, 3, 4]), ("age IN {}", [], []), ("dog == nil", [], [2]),
            ])
        + rowsWithArguments(
            "formats", "Thing", dialect: .format,
            [
                // Texts and data are equal here.
                ("any == %@", [text("x")], [6, 7]), ("any != %@", [text("x")], Array(0...5) + Array(8...15)),
                ("any BEGINSWITH 'x'", [], [6, 7]),
            ])
}
