import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// The subject of an aggregate, with its text from the client.
private struct NamedAggregate: Sendable {
    /// The key path as written; `self` for the elements of a collection.
    let name: String
    let function: AggregateRequest.Function
    /// Whether its result can have any type, and is written with its type.
    var isMixed = false
}

/// A parsed aggregate of a query's objects.
private struct AggregateRead: Sendable {
    let snapshot: any Snapshot
    let run: @Sendable () throws -> [AggregateGroup]
    /// Counts the values of the one group in intervals.
    let distribute: @Sendable (NamedPath, (ClosedRange<Double>) -> [Double]) throws -> ValueDistribution
    let names: [NamedAggregate]
    /// The key paths of `by`; empty if the result is not grouped.
    let groups: [NamedPath]
    let selection: GroupSelection
    /// The maximum number of groups.
    let limit: Int
    /// The maximum size of the response in bytes.
    let answerBytes: Int
    let style: TypeStyle

    /// Throws the errors of the store, and 400 for too many groups.
    func response() throws -> Response {
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        let look = LinkResolver(snapshot, answerLimit: answerBytes)
        if groups.isEmpty {
            // One group with all objects.
            for all in try run() {
                json.name("count")
                json.int(all.count)
                json.aggregates(names, all.results) { look.value($0, isMixed: $1, style, json) }
            }
        } else if case .intervals(let most) = selection, let group = groups.first {
            let type = group.path.valueType.base
            let found = try distribute(group) {
                ValueBins(from: $0.lowerBound, to: $0.upperBound, atMost: most, of: type).bounds
            }
            json.bins(found, type, style)
        } else {
            let found = try run()
            let (listed, others) = selection.chosen(found)
            guard listed.count <= limit else {
                throw Problem(
                    .aggregateTooManyGroups,
                    "There would be \(found.count) groups; at most \(limit) are allowed. Narrow the filter, group by less, "
                        + "or request the largest groups with 'top'.",
                    parameter: "by")
            }
            json.name("groups")
            json.beginArray()
            for group in listed {
                json.beginObject()
                json.name("key")
                json.beginObject()
                for (column, value) in zip(groups, group.key) {
                    json.name(column.name)
                    look.value(value, isMixed: column.path.givesMixed, style, json)
                }
                json.endObject()
                json.name("count")
                json.int(group.count)
                json.aggregates(names, group.results) { look.value($0, isMixed: $1, style, json) }
                json.endObject()
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
            others?.write(to: json)
        }
        json.endObject()
        if let fault = look.fault { throw fault }
        return .json(json, of: snapshot)
    }
}

extension JSONWriter {
    /// Writes the requested ones of the members `min`, `max`, `sum` and `average`.
    fileprivate func aggregates(_ names: [NamedAggregate], _ values: [Value], write: (Value, Bool) -> Void) {
        for function in AggregateRequest.Function.allCases {
            let results = zip(names, values).filter { $0.0.function == function }
            guard !results.isEmpty else { continue }
            name(function.rawValue)
            beginObject()
            for (item, value) in results {
                name(item.name)
                write(value, item.isMixed)
            }
            endObject()
        }
    }
}

extension Gateway {
    private static let functions = AggregateRequest.Function.allCases

    func getAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getAggregates(request, try CollectionPlace(class: path, try readSnapshot(for: request)))
    }

    /// Aggregates the objects or values of one object's property.
    func getHeldAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let place = try CollectionPlace(property) else { return try getElementAggregates(request, property) }
        return try getAggregates(request, place)
    }

    private func getAggregates(_ request: Request, _ place: CollectionPlace) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: ["filter", "args", "distinct", "by", "types", "count", Self.snapshotParameter]
                + GroupSelection.parameters,
            repeatable: Self.functions.map(\.rawValue))
        // Every response contains the count, because it costs next to nothing; requesting it is allowed.
        _ = try parameters.flag("count")
        let (snapshot, objectClass) = (place.snapshot, place.objectClass)
        let reader = place.reader(configuration, knownQueries(for: request))
        var names = Self.names(parameters)
        var requests: [AggregateRequest] = []
        for index in names.indices {
            let request = try reader.aggregate(names[index].function, names[index].name, objectClass)
            // Sums and averages have one type whatever the types of the values are.
            names[index].isMixed = request.path.givesMixed && request.function.picks
            requests.append(request)
        }
        let (query, groups) = (
            try reader.query(parameters, objectClass, in: place.scope), try reader.groups(parameters, objectClass)
        )
        let selection = try GroupSelection(parameters, groups: groups, hasFunctions: !requests.isEmpty)
        let asked = requests
        let read = AggregateRead(
            snapshot: snapshot, run: { try snapshot.aggregate(query, asked, by: groups.map(\.path)) },
            distribute: { try snapshot.distribution(query, of: $0.path, bounds: $1) },
            names: names, groups: groups, selection: selection,
            limit: configuration.maximumGrouping, answerBytes: configuration.answerBytes,
            style: try parameters.choice("types", default: TypeStyle.plain))
        if let unchanged = try notModified(request, snapshot.mark) { return .now(unchanged) }
        return try reply(reading: place.size, from: place.counted, for: request) { try read.response() }
    }

    /// Aggregates the values in a list, set or map, which are called `self`.
    private func getElementAggregates(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: ["filter", "args", "distinct", "by", "types", "count", Self.snapshotParameter]
                + GroupSelection.parameters,
            repeatable: Self.functions.map(\.rawValue))
        _ = try parameters.flag("count")
        let read = try ElementRead(property, parameters, configuration, queryBudget(for: request))
        let groups = try read.reader.groups(parameters, read.element.objectClass)
        let type = property.schema.type
        var names = Self.names(parameters, standard: "self")
        for index in names.indices {
            let item = names[index]
            names[index].isMixed = type.isMixed && item.function.picks
            guard item.name == "self" || item.name == "SELF" else {
                let kind =
                    switch type.collection {
                    case .map: "Dictionaries"
                    case .set: "Sets"
                    default: "Arrays"
                    }
                throw Problem(
                    QueryError.Code.invalid,
                    "\(kind) of '\(type.base.name)' can only be aggregated on \"self\".",
                    parameter: item.function.rawValue, property: property.schema.name, hint: "self")
            }
            try Self.check(item.function, property)
        }
        let selection = try GroupSelection(parameters, groups: groups, hasFunctions: !names.isEmpty)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let (snapshot, holder, id, asked) = (property.snapshot, property.holder, property.schema.id, names)
        if let unchanged = try notModified(request, snapshot.mark) { return .now(unchanged) }
        let count = try property.elementCount
        guard read.isPlain, groups.isEmpty else {
            let requests = asked.map { AggregateRequest($0.function, read.path, isChecked: true) }
            let chosen = AggregateRead(
                snapshot: snapshot,
                run: { try read.content().aggregate(read.query, requests, by: groups.map(\.path)) },
                distribute: { try read.content().distribution(read.query, of: $0.path, bounds: $1) },
                names: asked, groups: groups, selection: selection, limit: configuration.maximumGrouping,
                answerBytes: configuration.answerBytes, style: style)
            return try reply(reading: count, for: request) { try chosen.response() }
        }
        return try reply(reading: count, for: request) {
            let values = try snapshot.aggregate(holder, id, asked.map(\.function))
            let json = JSONWriter(capacity: 256)
            let look = LinkResolver(snapshot)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name("count")
            json.int(count)
            json.aggregates(asked, values) { look.value($0, isMixed: $1, style, json) }
            json.endObject()
            if let fault = look.fault { throw fault }
            return .json(json, of: snapshot)
        }
    }

    /// Returns the distinct aggregates requested, in the order of the functions.
    ///
    /// - Parameter standard: the meaning of a parameter without a value.
    private static func names(_ parameters: QueryParameters, standard: String = "") -> [NamedAggregate] {
        var names: [NamedAggregate] = []
        for function in functions {
            for name in parameters.all(function.rawValue) {
                let name = name.isEmpty ? standard : name
                guard !names.contains(where: { $0.name == name && $0.function == function }) else { continue }
                names.append(NamedAggregate(name: name, function: function))
            }
        }
        return names
    }

    /// Throws 400 if the elements do not support the aggregate.
    private static func check(_ function: AggregateRequest.Function, _ property: PropertyCollection) throws(Problem) {
        let type = property.schema.type
        guard !type.supports(function) else { return }
        throw Problem(
            QueryError.Code.invalid,
            "Operation '\(function.rawValue)' not supported for \(type.kindInWords) '\(property.holderClass.name).\(property.schema.name)'",
            parameter: function.rawValue, property: property.schema.name)
    }
}

extension AggregateRequest.Function {
    /// Whether the result is one of the values.
    fileprivate var picks: Bool { self == .minimum || self == .maximum }
}
