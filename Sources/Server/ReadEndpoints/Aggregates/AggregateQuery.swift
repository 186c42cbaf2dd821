import JSONCoding
package import LiveQueries
package import ObjectCoding
package import QueryLanguage
import RequestHandling
package import RequestParameters

/// The parameters of an aggregate over objects, parsed.
package struct AggregateQuery: Sendable {
    package let query: BoundQuery
    package let requests: [AggregateRequest]
    /// The key paths of `by`; empty if the result is not grouped.
    let groups: [NamedPath]
    let selection: GroupSelection
    package let form: AggregateForm

    /// The parameters that may be given once, besides those of `GroupSelection`.
    package static let parameters = ["filter", "args", "distinct", "by", "types", "count"]
    /// The parameters that may be repeated.
    package static let functions = AggregateRequest.Function.allCases.map(\.rawValue)

    /// Throws 400 for parameters that do not fit the class or each other.
    package init(_ parameters: QueryParameters, _ collection: CollectionTarget, _ reader: QueryReader) throws(Problem) {
        // Every answer contains the count, because it costs next to nothing; requesting it is allowed.
        _ = try parameters.flag("count")
        let objectClass = collection.objectClass
        var parts = Self.parts(parameters)
        var requests: [AggregateRequest] = []
        for index in parts.indices {
            let request = try reader.aggregate(parts[index].function, parts[index].name, objectClass)
            // Sums and averages have one type whatever the types of the values are.
            parts[index].isMixed = request.path.givesMixed && request.function.picks
            requests.append(request)
        }
        self.requests = requests
        query = try reader.query(parameters, objectClass, in: collection.scope)
        groups = try reader.groups(parameters, objectClass)
        selection = try GroupSelection(parameters, groups: groups, functions: parts, requests, reader)
        form = AggregateForm(
            parts, by: groups.map(\.key), try parameters.choice("types", default: TypeStyle.plain))
    }

    /// The intervals that the request asks for; nil for groups.
    package var bins: BinsRead? {
        guard case .intervals(let most) = selection, let group = groups.first else { return nil }
        return BinsRead(query: query, name: group.name, path: group.path, most: most, style: form.style)
    }

    /// What a stream observes: all but intervals.
    package var aggregate: LiveAggregate {
        LiveAggregate(
            query, requests, by: groups.map(\.path), having: selection.condition, arrangement: selection.arrangement)
    }

    /// Returns the distinct aggregates requested, in the order of the functions.
    ///
    /// - Parameter standard: the meaning of a parameter without a value.
    static func parts(_ parameters: QueryParameters, standard: String = "") -> [AggregateForm.Part] {
        var parts: [AggregateForm.Part] = []
        for function in AggregateRequest.Function.allCases {
            for name in parameters.all(function.rawValue) {
                let name = name.isEmpty ? standard : name
                guard !parts.contains(where: { $0.name == name && $0.function == function }) else { continue }
                parts.append(AggregateForm.Part(function, name))
            }
        }
        return parts
    }
}

extension AggregateRequest.Function {
    /// Whether the result is one of the values.
    var picks: Bool { self == .minimum || self == .maximum }
}
