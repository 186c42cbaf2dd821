package import ObjectModel

extension QueryCorpus {
    package static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Toy",
                properties: [
                    PropertySchema("brand", PropertyType(.string, isOptional: true)),
                    PropertySchema("price", PropertyType(.double)),
                ]),
            ClassSchema(
                "Dog", primaryKey: "tag",
                properties: [
                    PropertySchema("tag", PropertyType(.string)),
                    PropertySchema("name", PropertyType(.string, isOptional: true), isIndexed: true),
                    PropertySchema("age", PropertyType(.int, isOptional: true)),
                    PropertySchema("toys", PropertyType(.link("Toy"), collection: .list)),
                    PropertySchema("owner", PropertyType(.linkingObjects(fromClass: "Person", property: "dogs"))),
                ]),
            ClassSchema("Person", properties: personProperties),
            ClassSchema(
                "Amount",
                properties: [
                    PropertySchema("i", PropertyType(.int, isOptional: true), isIndexed: true),
                    PropertySchema("f", PropertyType(.float, isOptional: true)),
                    PropertySchema("d", PropertyType(.double, isOptional: true)),
                    PropertySchema("m", PropertyType(.decimal128, isOptional: true)),
                ]),
            ClassSchema("Text", properties: [PropertySchema("s", PropertyType(.string, isOptional: true))]),
            ClassSchema(
                "Thing",
                properties: [
                    PropertySchema("any", PropertyType(.mixed), isIndexed: true),
                    PropertySchema("many", PropertyType(.mixed, collection: .list)),
                ]),
            ClassSchema(
                "Note",
                properties: [
                    PropertySchema("bio", PropertyType(.string, isOptional: true), isFullTextIndexed: true)
                ]),
            ClassSchema(
                "Spot",
                properties: [
                    PropertySchema("place", PropertyType(.link("Place"), isOptional: true)),
                    PropertySchema("places", PropertyType(.link("Place"), collection: .list)),
                ]),
            ClassSchema(
                "Place", isEmbedded: true,
                properties: [
                    PropertySchema("type", PropertyType(.string)),
                    PropertySchema("coordinates", PropertyType(.double, collection: .list)),
                ]),
            ClassSchema("Odd", properties: oddProperties.map { PropertySchema($0.0, $0.1) }),
        ])

    private static let personProperties = [
        PropertySchema("name", PropertyType(.string, isOptional: true)),
        PropertySchema("age", PropertyType(.int)),
        PropertySchema("height", PropertyType(.double, isOptional: true)),
        PropertySchema("weight", PropertyType(.float, isOptional: true)),
        PropertySchema("born", PropertyType(.date, isOptional: true)),
        PropertySchema("alive", PropertyType(.bool)),
        PropertySchema("id", PropertyType(.objectId)),
        PropertySchema("key", PropertyType(.uuid)),
        PropertySchema("photo", PropertyType(.data, isOptional: true)),
        PropertySchema("worth", PropertyType(.decimal128, isOptional: true)),
        PropertySchema("dog", PropertyType(.link("Dog"), isOptional: true)),
        PropertySchema("dogs", PropertyType(.link("Dog"), collection: .list)),
        PropertySchema("tags", PropertyType(.string, collection: .list)),
        PropertySchema("nums", PropertyType(.int, collection: .list)),
        PropertySchema("marks", PropertyType(.int, collection: .set)),
        PropertySchema("rates", PropertyType(.double, isOptional: true, collection: .list)),
        PropertySchema("prices", PropertyType(.double, isOptional: true, collection: .map)),
        PropertySchema("pets", PropertyType(.link("Dog"), isOptional: true, collection: .map)),
    ]

    /// Names that are not plain identifiers, or are also keywords of the language.
    private static let oddProperties: [(String, PropertyType)] = [
        ("你好", PropertyType(.int)), ("fav item", PropertyType(.int)), ("a-b", PropertyType(.int)),
        ("true love", PropertyType(.bool)), ("NOT0", PropertyType(.int)), ("sort", PropertyType(.int)),
        ("in", PropertyType(.string)), ("first", PropertyType(.int)), ("size", PropertyType(.int)),
        ("limit", PropertyType(.int)), ("text", PropertyType(.string)), ("between", PropertyType(.int)),
    ]

    // MARK: Objects

    static let objects: [(String, [String: Value])] =
        toys + dogs + persons + amounts + texts + things + notes + spots + odd

    static let oid = ObjectId(hex: "507f1f77bcf86cd799439011") ?? ObjectId(high: 0, low: 0)
    static let uuid = UUIDValue(text: "3b241101-e2bb-4255-8caf-4136c566a962") ?? UUIDValue(high: 0, low: 0)

    private static let toys: [(String, [String: Value])] = [
        ("Toy", ["brand": .string("Kong"), "price": .double(10)]),
        ("Toy", ["brand": .string("Ball"), "price": .double(2.5)]),
        // Nobody's.
        ("Toy", ["brand": .null, "price": .double(0)]),
    ]

    private static let dogs: [(String, [String: Value])] = [
        ("Dog", ["tag": .string("rex"), "name": .string("Rex"), "age": .int(3), "toys": links(0, 1)]),
        ("Dog", ["tag": .string("fido"), "name": .string("Fido"), "age": .int(5), "toys": links(0)]),
        ("Dog", ["tag": .string("old"), "name": .string("Rex"), "age": .int(12)]),
        ("Dog", ["tag": .string("pup"), "name": .null, "age": .null, "toys": links(1)]),
    ]

    private static let persons: [(String, [String: Value])] = [
        (
            "Person",
            [
                "name": .string("Anna"), "age": .int(42), "height": .double(1.7), "weight": .float(60.5),
                "born": date(1990, 5, 17, hour: 12), "alive": .bool(true), "id": .objectId(oid), "key": .uuid(uuid),
                "photo": .data(Array("abc".utf8)), "worth": decimal("0.1"), "dog": link(0), "dogs": links(0, 1),
                "tags": .list([.string("red"), .string("blue")]), "nums": .list([.int(1), .int(2), .int(3)]),
                "marks": .set([.int(1), .int(2)]), "rates": .list([.double(1.5), .null]),
                "prices": map([("ash", .double(2.5)), ("oak", .double(1))]),
                "pets": map([("rex", link(0)), ("tom", .null)]),
            ]
        ),
        (
            "Person",
            [
                "name": .string("Bo"), "age": .int(17), "born": .date(.epoch), "alive": .bool(false),
                "worth": decimal("10"), "dog": link(1), "dogs": links(1), "tags": .list([.string("red")]),
                "nums": .list([.int(5)]), "marks": .set([.int(3)]), "prices": map([("ash", .null)]),
            ]
        ),
        (
            "Person",
            [
                "age": .int(18), "height": .double(2), "weight": .float(0), "alive": .bool(true), "photo": .data([]),
                "rates": .list([.double(.nan), .double(2)]), "pets": map([("rex", link(2))]),
            ]
        ),
        (
            "Person",
            [
                "name": .string("anna"), "age": .int(29), "height": .double(.nan), "weight": .float(1.5),
                "born": .date(Timestamp(seconds: -1, nanoseconds: -1) ?? .epoch), "alive": .bool(false),
                "photo": .data(Array("abcd".utf8)), "worth": decimal("42"), "dog": link(3), "dogs": links(2, 0, 2),
                "tags": .list([.string("blue"), .string("red")]), "nums": .list([.int(3), .int(2), .int(1)]),
                "marks": .set([.int(1), .int(2), .int(3)]), "rates": .list([.null]),
                "prices": map([("oak", .double(3))]), "pets": map([("rex", link(3))]),
            ]
        ),
        (
            "Person",
            [
                "name": .string("Zoë"), "age": .int(30), "height": .double(1.5), "weight": .float(2.5),
                "born": date(1990, 1, 1), "alive": .bool(true), "photo": .data([0xFF, 0]), "worth": decimal("0.10"),
                "dog": link(2), "dogs": links(3),
                "tags": .list([.string("red"), .string("green"), .string("red")]), "nums": .list([.int(-1), .int(1)]),
                "marks": .set([.int(5)]), "rates": .list([.double(0.5), .double(0.5)]),
                "prices": map([("ash", .double(0)), ("birch", .double(-1))]), "pets": map([("tom", link(1))]),
            ]
        ),
    ]

    private static let amounts: [(String, [String: Value])] = [
        ("Amount", ["i": .int(1), "f": .float(1.5), "d": .double(1.5), "m": decimal("1.5")]),
        (
            "Amount",
            [
                "i": .int(9_007_199_254_740_993), "f": .float(16_777_216), "d": .double(9_007_199_254_740_992),
                "m": decimal("9007199254740993"),
            ]
        ),
        ("Amount", [:]),
        (
            "Amount",
            [
                "i": .int(.max), "f": .float(.infinity), "d": .double(9_223_372_036_854_775_808),
                "m": decimal("9223372036854775807"),
            ]
        ),
        (
            "Amount",
            [
                "i": .int(.min), "f": .float(-.infinity), "d": .double(-.infinity),
                "m": .decimal(Decimal128(-Double.infinity)),
            ]
        ),
        ("Amount", ["i": .int(0), "f": .float(.nan), "d": .double(.nan), "m": .decimal(.nan)]),
        ("Amount", ["i": .int(-7), "f": .float(-0.0), "d": .double(-0.0), "m": decimal("-0")]),
        ("Amount", ["i": .int(2), "f": .float(0.1), "d": .double(0.1), "m": decimal("0.1")]),
    ]

    private static let texts: [(String, [String: Value])] = [
        "abc", "ABC", "", nil, "é", "É", "ÉCOLE", "école", "ecole", "Straße", "σίγμας", "ΣΊΓΜΑΣ", "日本", "a*c", "a?c",
        "a\nb", "e\u{301}",
    ].map { (text: String?) in ("Text", ["s": text.map { .string($0) } ?? .null]) }

    private static let things: [(String, [String: Value])] = [
        .null, .bool(true), .int(3), .float(3), .double(3.5), decimal("3"), .string("x"), .data([0x78]), .date(.epoch),
        .objectId(oid), .uuid(uuid), .reference(ObjectReference(ClassID(2), ObjectKey(0))),
        .list([.string("x"), .int(4), map([("n", .int(5))])]),
        map([
            ("a", .list([.string("x"), .int(1)])), ("k", .null),
            ("list", .list([map([("n", .int(2))]), map([("n", .int(4))])])),
        ]), .string("Xy"), .list([]),
    ].enumerated().map { (number: Int, value: Value) in
        switch number {
        case 2: ("Thing", ["any": value, "many": .list([.int(1), .double(1), .string("a"), .null])])
        case 4: ("Thing", ["any": value, "many": .list([.int(2), decimal("3.5"), .bool(true)])])
        default: ("Thing", ["any": value])
        }
    }

    private static let notes: [(String, [String: Value])] = [
        "Swim and jump", "climbing École", "swimming jumps", nil, "", "jump! swim?",
    ].map { (text: String?) in ("Note", ["bio": text.map { .string($0) } ?? .null]) }

    private static let spots: [(String, [String: Value])] = [
        ("Spot", ["place": place(0, 0), "places": .list([place(0, 0), place(10, 10)])]),
        ("Spot", ["place": place(10, 10)]),
        ("Spot", ["place": place(-123.37, 48.43)]),
        ("Spot", [:]),
        ("Spot", ["place": place(0, 0, type: "Line")]),
        ("Spot", ["place": .embedded([PropertyID(1): .string("Point"), PropertyID(2): .list([.double(0)])])]),
        ("Spot", ["place": place(180, 0, type: "point")]),
        ("Spot", ["place": place(0, 90)]),
        ("Spot", ["place": place(0, 51)]),
        ("Spot", ["place": place(0, 62)]),
    ]

    private static let odd: [(String, [String: Value])] = [
        (
            "Odd",
            [
                "你好": .int(5), "fav item": .int(1), "a-b": .int(1), "true love": .bool(false), "NOT0": .int(0),
                "sort": .int(1), "in": .string("in"), "first": .int(2), "size": .int(3), "limit": .int(4),
                "text": .string("t"), "between": .int(5),
            ]
        ),
        ("Odd", ["true love": .bool(true), "NOT0": .int(1)]),
    ]

    // MARK: Values

    private static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }

    private static func link(_ key: Int64) -> Value { .link(ObjectKey(key)) }

    private static func links(_ keys: Int64...) -> Value { .list(keys.map { .link(ObjectKey($0)) }) }

    private static func map(_ entries: [(String, Value)]) -> Value { .dictionary(ValueMap(entries)) }

    private static func date(_ year: Int, _ month: Int, _ day: Int, hour: Int = 0) -> Value {
        .date(Timestamp(year: year, month: month, day: day, hour: hour, minute: 0, second: 0) ?? .epoch)
    }

    private static func place(_ longitude: Double, _ latitude: Double, type: String = "Point") -> Value {
        .embedded([PropertyID(1): .string(type), PropertyID(2): .list([.double(longitude), .double(latitude)])])
    }
}
