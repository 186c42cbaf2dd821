import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// The values in one object's list, set or map, in the order asked for. What sorting and telling apart do to a list of
/// values takes no key path but `self`.
struct ElementRead: Sendable {
    let property: HeldProperty
    private let isAscending: Bool?
    private let isDistinct: Bool

    /// The parameters that it reads.
    static let parameters = ["sort", "distinct"]

    /// Throws 400 for key paths that values do not have.
    init(_ property: HeldProperty, _ parameters: QueryParameters) throws(Problem) {
        self.property = property
        let isData = property.schema.type.base == .data
        switch parameters["sort"] {
        case nil: isAscending = nil
        case "self", "+self": isAscending = true
        case "-self": isAscending = false
        case let other?: throw Self.refusal("sort", "sorted", other, property)
        }
        guard isAscending == nil || !isData else {
            throw Problem(
                400, QueryError.Code.invalid.rawValue, "Values of type 'data' have no order to sort them by.",
                parameter: "sort", property: property.schema.name)
        }
        switch parameters["distinct"] {
        case nil: isDistinct = false
        case "self": isDistinct = true
        case let other?: throw Self.refusal("distinct", "told apart", other, property)
        }
    }

    private static func refusal(
        _ parameter: String, _ verb: String, _ path: String, _ property: HeldProperty
    ) -> Problem {
        Problem(
            400, QueryError.Code.invalid.rawValue,
            "'\(property.holderClass.name).\(property.schema.name)' holds values, which can only be \(verb) on 'self', not on '\(path)'.",
            parameter: parameter, property: property.schema.name, hint: "self")
    }

    /// Whether the elements come as they lie, so that a part of them can be read alone.
    var isPlain: Bool { isAscending == nil && !isDistinct }

    /// All of them. Throws what the store does.
    func values() throws -> [Value] {
        let all = 0..<(try property.elementCount)
        var values = try property.snapshot.elements(
            property.holder.classID, property.holder.key, property.schema.id, all)
        if let isAscending { values = values.ordered(ascending: isAscending).map(\.element) }
        return isDistinct ? values.distinct : values
    }

    /// A value as a parameter has it: JSON where that fits the type, else the text itself. Throws 400 for what is no
    /// value of the elements' type.
    static func value(_ text: String, of property: HeldProperty, parameter: String) throws(Problem) -> Value {
        let declared = property.schema.type
        let type = PropertyType(declared.base, isOptional: declared.isOptional)
        if let json = try? JSONValue.parse(text), let value = try? ValueCoding.decode(json, as: type) { return value }
        if let value = try? ValueCoding.decode(.string(text), as: type) { return value }
        throw Problem(
            400, "parameter.invalid", "'\(parameter)' takes \(type.inWords), not '\(text)'.", parameter: parameter,
            property: property.schema.name)
    }
}

extension [Value] {
    /// By the total order; equal values keep their order.
    fileprivate func ordered(ascending: Bool) -> [(offset: Int, element: Value)] {
        enumerated().sorted { a, b in
            let order = Value.order(a.element, b.element)
            return order == 0 ? a.offset < b.offset : ascending ? order < 0 : order > 0
        }
    }

    /// The first of each that are equal in the total order.
    var distinct: [Value] {
        let ordered = ordered(ascending: true)
        var isFirst = [Bool](repeating: true, count: count)
        for (a, b) in zip(ordered, ordered.dropFirst()) where Value.order(a.element, b.element) == 0 {
            isFirst[b.offset] = false
        }
        return zip(self, isFirst).filter(\.1).map(\.0)
    }
}
