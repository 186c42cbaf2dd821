import HTTPProblems
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryExecution
import QuerySyntax
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract

/// A query of the values in one object's list, set or map. In it `SELF` is the value and, for a map, `@keys` its key.
struct ElementRead: Sendable {
    let property: PropertyCollection
    let element: ElementClass
    let reader: QueryReader
    var query: BoundQuery
    /// Whether the elements of a map come without their keys, because they are sorted or distinct.
    var isOrdered: Bool
    private let budget: QueryBudget

    /// The query parameters that it reads.
    static let parameters = QueryReader.parameters

    /// Throws 400 for an invalid query of values.
    init(
        _ property: PropertyCollection, _ parameters: QueryParameters, _ configuration: GatewayConfiguration,
        _ budget: QueryBudget
    ) throws(Problem) {
        self.property = property
        self.budget = budget
        element = ElementClass(property.schema, of: property.holderClass)
        reader = QueryReader(schema: property.snapshot.schema, limits: QueryLimits(configuration), element: element)
        query = try reader.query(parameters, element.objectClass)
        isOrdered = false
        for step in query.steps {
            switch step {
            case .sort(let keys): try check(keys)
            case .distinct: break
            case .limit: continue
            }
            isOrdered = true
        }
    }

    /// Parses the keys of `sort`; nil if it is not given.
    func sort(_ parameters: QueryParameters) throws(Problem) -> [SortKey]? {
        let keys = try reader.sort(parameters, element.objectClass)
        if let keys { try check(keys) }
        return keys
    }

    private func check(_ keys: [SortKey]) throws(Problem) {
        guard property.schema.type.base == .data, keys.contains(where: { $0.path == path }) else { return }
        throw Problem(
            QueryError.Code.invalid, "Values of type 'data' have no order to sort them by.",
            parameter: "sort", property: property.schema.name)
    }

    /// The key path of the values themselves.
    var path: BoundPath { BoundPath(end: .property(element.value.id, element.value.type)) }

    /// Whether the query returns all elements in stored order, so that a range of them can be read alone.
    var isPlain: Bool { selection.isPlain }

    /// The query without the version that it reads.
    var selection: ElementSelection {
        ElementSelection(holder: property.holder, property: property.schema, element: element, query: query)
    }

    /// Returns all elements for queries. Throws the errors of the store.
    func content() throws -> ElementContent { try selection.content(of: property.snapshot, budget) }

    /// Writes elements as an array, or as an object for a map.
    ///
    /// - Parameter responseLimit: the maximum number of bytes; 400 beyond.
    func write(
        _ chosen: [ObjectKey], of content: ElementContent, by plan: RowPlan, into json: JSONWriter, responseLimit: Int
    ) throws {
        let positions = chosen.map { Int($0.rawValue) }
        if element.isMap, !isOrdered {
            try plan.write(
                positions.map { (content.keys[$0], content.values[$0]) }, of: property.schema.id, property.snapshot,
                into: json, responseLimit: responseLimit)
        } else {
            try plan.write(
                positions.lazy.map { content.values[$0] }, of: property.schema.id, property.snapshot,
                into: json, responseLimit: responseLimit)
        }
    }

    /// Returns how the elements are written.
    func plan(_ style: TypeStyle) -> RowPlan {
        RowPlan(property.holderClass, of: property.snapshot.schema, properties: [property.schema], style: style)
    }

    /// Parses a value in a parameter: JSON if that fits the type, else the plain text. Throws 400 for text that is not
    /// a value of the elements' type.
    static func value(_ text: String, of property: PropertyCollection, parameter: String) throws(Problem) -> Value {
        let declared = property.schema.type
        let type = PropertyType(declared.base, isOptional: declared.isOptional)
        if let json = try? JSONValue.parse(text), let value = try? ValueCoding.decode(json, as: type) { return value }
        if let value = try? ValueCoding.decode(.string(text), as: type) { return value }
        throw Problem(
            .parameterInvalid, "'\(parameter)' must be \(type.inWords), not '\(text)'.", parameter: parameter,
            property: property.schema.name)
    }
}

extension [Value] {
    /// Sorts by the total order; the sort is stable.
    fileprivate func ordered(ascending: Bool) -> [(offset: Int, element: Value)] {
        enumerated().sorted { a, b in
            let order = Value.order(a.element, b.element)
            return order == 0 ? a.offset < b.offset : ascending ? order < 0 : order > 0
        }
    }

    /// The first of each set of values that are equal in the total order.
    var distinct: [Value] {
        let ordered = ordered(ascending: true)
        var isFirst = [Bool](repeating: true, count: count)
        for (a, b) in zip(ordered, ordered.dropFirst()) where Value.order(a.element, b.element) == 0 {
            isFirst[b.offset] = false
        }
        return zip(self, isFirst).filter(\.1).map(\.0)
    }
}
