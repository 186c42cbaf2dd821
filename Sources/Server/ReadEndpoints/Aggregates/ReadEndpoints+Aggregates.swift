import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveQueries
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import QuerySyntax
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol

/// A parsed aggregate of a query's objects.
private struct AggregateRead: Sendable {
    let snapshot: any Snapshot
    let run: @Sendable () throws -> [AggregateGroup]
    /// Counts the values of the one group in intervals.
    let distribute: @Sendable (NamedPath, (ClosedRange<Double>) -> [Double]) throws -> ValueDistribution
    let form: AggregateForm
    /// The key paths of `by`; empty if the result is not grouped.
    let groups: [NamedPath]
    let selection: GroupSelection
    /// The maximum number of groups.
    let limit: Int
    /// The maximum size of the response in bytes.
    let answerBytes: Int

    /// Throws the errors of the store, and 400 for too many groups.
    ///
    /// - Parameter selected: gets the number of objects that the query selects.
    func response(selected: inout Int?) throws -> Response {
        let json = JSONWriter(capacity: 512)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        let look = LinkResolver(snapshot, responseLimit: answerBytes)
        if groups.isEmpty {
            // One group with all objects.
            for all in try run() {
                selected = all.count
                form.members(of: all, look, json)
            }
        } else if case .intervals(let most) = selection, let group = groups.first {
            let type = group.path.valueType.base
            let found = try distribute(group) { ValueBins.bounds($0, atMost: most, of: type) }
            selected = found.counts.reduce(found.otherCount, +)
            json.bins(found, type, form.style)
        } else {
            let found = try run()
            selected = found.reduce(0) { $0 + $1.count }
            let result = try selection.result(of: found, within: snapshot.budget)
            guard result.groups.count <= limit else {
                throw AggregateForm.tooMany(result.groups.count + (result.others?.groups ?? 0), limit: limit)
            }
            json.name("groups")
            try form.array(result.groups, look, json)
            if let others = result.others { json.member(others) }
        }
        json.endObject()
        if let fault = look.fault { throw fault }
        return .json(json, of: snapshot)
    }
}

extension ReadEndpoints {
    package func getAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getAggregates(request, try CollectionTarget(class: path, try readSnapshot(for: request)))
    }

    /// Aggregates the objects or values of one object's property.
    package func getPropertyAggregates(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let collection = try CollectionTarget(property) else {
            return try getElementAggregates(request, property)
        }
        return try getAggregates(request, collection)
    }

    private func getAggregates(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(
            request,
            single: AggregateQuery.parameters + GroupSelection.parameters + ["explain", ParameterName.snapshot],
            repeatable: AggregateQuery.functions)
        let snapshot = collection.snapshot
        let asked = try AggregateQuery(
            parameters, collection, collection.reader(context.settings.now, knownQueries(for: request)))
        if let mode = try ExplainMode(parameters) {
            return try context.reply(reading: collection.size, for: request) {
                try mode.response(asked.query, .all, asked.aggregate, of: snapshot)
            }
        }
        let (query, requests) = (asked.query, asked.requests)
        let read = AggregateRead(
            snapshot: snapshot,
            run: { try snapshot.aggregate(query, requests, by: asked.groups.map(\.path)) },
            distribute: { try snapshot.distribution(query, of: $0.path, bounds: $1) },
            form: asked.form, groups: asked.groups, selection: asked.selection,
            limit: context.settings.now.maximumGrouping, answerBytes: context.settings.now.answerBytes)
        let unchanged = try notModified(request, snapshot) { try dependence(of: asked, in: collection) }
        if let unchanged { return .now(unchanged) }
        var selected: Int?
        return try context.reply(
            reading: collection.size, from: collection.counted, for: request,
            asking: AskedQuery(query, of: snapshot, returned: selected)
        ) { try read.response(selected: &selected) }
    }

    private func dependence(of asked: AggregateQuery, in collection: CollectionTarget) throws -> ReadDependence {
        // The intervals of values follow from all of these.
        if let bins = asked.bins { return bins.dependence(in: collection) }
        let subject = AggregateSubject(asked.aggregate, asked.form, limit: context.settings.now.maximumGrouping)
        let key = TopicKey(
            subject: .aggregate(subject), style: asked.form.style, isOwned: collection.isOwned,
            hopQueries: collection.hopQueries)
        return ReadDependence([WatchedPart(key)])
    }

    /// Aggregates the values in a list, set or map, which are called `self`.
    private func getElementAggregates(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: AggregateQuery.parameters + GroupSelection.parameters + [ParameterName.snapshot],
            repeatable: AggregateQuery.functions)
        _ = try parameters.flag("count")
        let read = try ElementRead(property, parameters, context.settings.now, context.queryBudget(for: request))
        let groups = try read.reader.groups(parameters, read.element.objectClass)
        let type = property.schema.type
        var names = AggregateQuery.parts(parameters, standard: "self")
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
        let requests = names.map { AggregateRequest($0.function, read.path, isChecked: true) }
        let selection = try GroupSelection(parameters, groups: groups, functions: names, requests, read.reader)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let (snapshot, holder, id, asked) = (property.snapshot, property.holder, property.schema.id, names)
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        let count = try property.elementCount
        guard read.isPlain, groups.isEmpty else {
            let chosen = AggregateRead(
                snapshot: snapshot,
                run: { try read.content().aggregate(read.query, requests, by: groups.map(\.path)) },
                distribute: { try read.content().distribution(read.query, of: $0.path, bounds: $1) },
                form: AggregateForm(asked, by: groups.map(\.key), style), groups: groups, selection: selection,
                limit: context.settings.now.maximumGrouping, answerBytes: context.settings.now.answerBytes)
            return try context.reply(reading: count, for: request) {
                var selected: Int?
                return try chosen.response(selected: &selected)
            }
        }
        return try context.reply(reading: count, for: request) {
            let values = try snapshot.aggregate(holder, id, asked.map(\.function))
            let json = JSONWriter(capacity: 256)
            let look = LinkResolver(snapshot)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            AggregateForm(asked, style).members(
                of: AggregateGroup(key: [], count: count, results: values), look, json)
            json.endObject()
            if let fault = look.fault { throw fault }
            return .json(json, of: snapshot)
        }
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
