/// The keywords of the query language. Most are keywords only where the grammar allows one: elsewhere they are property
/// names, as in `sort > 0`.
enum Keyword: Hashable, Sendable {
    case and, or, not
    case any, all, none
    case `true`, `false`, null, infinity, nan
    case truePredicate, falsePredicate
    case beginsWith, endsWith, contains, like, text, between, geoWithin, `in`
    case sort, distinct, limit, ascending, descending
    case object, binary, subquery, geoBox, geoCircle, geoPolygon
    case first, last, size

    /// The keyword for a word in that dialect. Some are keywords only in all lower and all upper case, but in formats
    /// in any case.
    static func named(_ word: String, _ dialect: QueryDialect) -> Keyword? {
        // Long names are common, and lowercasing is not free.
        guard word.utf8.count <= longest else { return nil }
        let lower = word.lowercased()
        if let keyword = anyCase[lower] { return keyword }
        if dialect == .format {
            return oneCase[lower] ?? formatOnly[lower]
        }
        guard let keyword = oneCase[lower] else { return nil }
        return word == lower || word == word.uppercased() ? keyword : nil
    }

    /// Whether the word can never be a property name by itself.
    var isReserved: Bool {
        switch self {
        case .and, .or, .not, .true, .false, .null, .infinity, .nan, .truePredicate,
            .falsePredicate:
            true
        default: false
        }
    }

    /// Whether it joins two conditions.
    var isJunction: Bool { self == .and || self == .or }

    private static let anyCase: [String: Keyword] = [
        "and": .and, "or": .or, "beginswith": .beginsWith, "endswith": .endsWith, "contains": .contains,
        "like": .like, "text": .text, "between": .between, "geowithin": .geoWithin, "truepredicate": .truePredicate,
        "falsepredicate": .falsePredicate, "sort": .sort, "distinct": .distinct, "limit": .limit, "asc": .ascending,
        "ascending": .ascending, "desc": .descending, "descending": .descending, "bin": .binary, "binary": .binary,
        "obj": .object, "subquery": .subquery, "geobox": .geoBox, "geocircle": .geoCircle,
        "geopolygon": .geoPolygon, "null": .null, "nil": .null, "inf": .infinity, "infinity": .infinity,
        "nan": .nan,
    ]

    private static let oneCase: [String: Keyword] = [
        "in": .in, "not": .not, "any": .any, "some": .any, "all": .all, "none": .none, "true": .true,
        "false": .false, "first": .first, "last": .last, "size": .size,
    ]

    private static let formatOnly: [String: Keyword] = ["yes": .true, "no": .false]

    private static let longest = 14
}
