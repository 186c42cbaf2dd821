import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
package import ObjectCoding
import ObjectModel
package import QueryLanguage
import RequestHandling
package import RequestParameters
import StoreContract
import WireProtocol

/// The sections that are requested.
private enum SectionChoice: Sendable {
    case all
    case index(Int)
    /// The section with this key as text: JSON, or the content of a string.
    case key(String)
}

/// A parsed request for a query's result in sections.
private struct SectionRead: Sendable {
    /// The sections, and a function that writes their contents.
    ///
    /// The function gets the remaining number of bytes.
    typealias Result = (sections: SectionedKeys, write: ([ObjectKey], JSONWriter, Int) throws -> Void)

    let snapshot: any Snapshot
    let run: @Sendable () throws -> Result
    let key: SectionKey
    let choice: SectionChoice
    /// Whether only keys are requested.
    let keysOnly: Bool
    /// The offset within each section.
    let offset: Int
    let limit: Int?
    let style: TypeStyle
    let configuration: GatewayConfiguration

    /// Throws the errors of the store, 400 for too large a response, and 404 for a section that does not exist.
    func response() throws -> Response {
        let result = try run()
        let chosen = try choose(result.sections.sections)
        guard chosen.count <= configuration.maximumGrouping else {
            throw Problem(
                .sectionsTooMany,
                "There would be \(chosen.count) sections; at most \(configuration.maximumGrouping) are returned. Narrow the filter, or request one section.",
                parameter: "by")
        }
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        let look = LinkResolver(snapshot, responseLimit: configuration.answerBytes)
        if keysOnly {
            json.name("keys")
            json.beginArray()
            for section in chosen {
                write(section.key, look, json)
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
        } else {
            try write(chosen, of: result, look, json)
        }
        json.endObject()
        if let fault = look.fault { throw fault }
        return .json(json, of: snapshot)
    }

    private func write(
        _ sections: [SectionedKeys.Section], of result: Result, _ look: LinkResolver, _ json: JSONWriter
    ) throws {
        let parts = sections.map { section in
            let start = section.range.lowerBound + min(offset, section.range.count)
            return start..<min(limit ?? .max, section.range.upperBound - start) + start
        }
        let total = parts.reduce(0) { $0 + $1.count }
        guard total <= configuration.maximumPage else {
            throw Problem(
                .sectionsTooLarge,
                "There would be \(total) items; at most \(configuration.maximumPage) are returned. Use 'limit' for each section, 'keys=true', or request one section.",
                parameter: "limit")
        }
        json.name("count")
        json.int(result.sections.keys.count)
        json.name("sections")
        json.beginArray()
        for (section, part) in zip(sections, parts) {
            json.beginObject()
            json.name("key")
            write(section.key, look, json)
            json.name("count")
            json.int(section.range.count)
            json.name("items")
            try result.write(Array(result.sections.keys[part]), json, max(configuration.answerBytes - json.count, 1))
            json.endObject()
            look.check(json)
            if let fault = look.fault { throw fault }
        }
        json.endArray()
    }

    private func write(_ value: Value, _ look: LinkResolver, _ json: JSONWriter) {
        look.value(value, isMixed: key.givesMixed, style, json)
    }

    private func choose(_ sections: [SectionedKeys.Section]) throws(Problem) -> [SectionedKeys.Section] {
        switch choice {
        case .all: return sections
        case .index(let index):
            guard sections.indices.contains(index) else {
                throw Problem(
                    .sectionNotFound, "There is no section \(index): there are \(sections.count).",
                    parameter: "index")
            }
            return [sections[index]]
        case .key(let text):
            let look = LinkResolver(snapshot)
            let wanted = (try? JSONValue.parse(text)).flatMap { try? ValueCoding.mixed($0).complete }
            // JSON takes precedence, so that null means null and not a string.
            if let wanted, let section = sections.first(where: { Value.order($0.key, wanted) == 0 }) {
                return [section]
            }
            let writer = JSONWriter(capacity: 64)
            let found = sections.first { section in
                if case .string(let key) = section.key { return Value.orderBytes(key, text) == 0 }
                writer.removeAll()
                look.value(section.key, isMixed: key.givesMixed, .plain, writer)
                let written = String(decoding: writer.bytes, as: UTF8.self)
                return written == text || written == "\"\(text)\""
            }
            guard let found else {
                throw Problem(
                    .sectionNotFound, "There is no section with the key '\(text)'.", parameter: "section")
            }
            return [found]
        }
    }
}

extension ReadEndpoints {
    package func getSections(_ request: Request, _ path: PathParameters) throws -> Reply {
        try getSections(request, try CollectionTarget(class: path, try readSnapshot(for: request)))
    }

    /// Returns the sections of the objects or values of one object's property.
    package func getPropertySections(_ request: Request, _ path: PathParameters) throws -> Reply {
        let property = try PropertyCollection(path, try readSnapshot(for: request))
        guard let collection = try CollectionTarget(property) else { return try getElementSections(request, property) }
        return try getSections(request, collection)
    }

    private static let sectionParameters =
        QueryReader.parameters + [
            "by", "ascending", "keys", "index", "section", "limit", "offset", "types", ParameterName.snapshot,
        ]

    private func getSections(_ request: Request, _ collection: CollectionTarget) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.sectionParameters + ["fields", "expand"])
        let (snapshot, objectClass) = (collection.snapshot, collection.objectClass)
        let reader = collection.reader(context.settings.now)
        var key = try reader.section(parameters, objectClass)
        let sort = try Self.sectionOrder(parameters, try reader.sort(parameters, objectClass), &key)
        var query = try reader.filter(parameters, objectClass, in: collection.scope)
        query.steps.append(.sort(sort))
        if let distinct = try reader.distinct(parameters, objectClass) { query.steps.append(.distinct(distinct)) }
        let plan = try RowPlan(
            objectClass, of: snapshot.schema, fields: parameters["fields"], expand: parameters["expand"],
            style: try parameters.choice("types", default: TypeStyle.plain), isPart: collection.isOwned)
        let (asked, by) = (query, key)
        let read = try sections(parameters, snapshot, by) {
            (
                try snapshot.sections(asked, by: by),
                { keys, json, limit in
                    json.beginArray()
                    try plan.write(keys, of: snapshot, into: json, responseLimit: limit)
                    json.endArray()
                }
            )
        }
        let unchanged = try notModified(request, snapshot) {
            let shown = TopicKey(
                subject: .sections(asked, by: by), fields: parameters["fields"], expand: parameters["expand"],
                isOwned: collection.isOwned, hopQueries: collection.hopQueries)
            return ReadDependence([WatchedPart(shown)], isExact: false)
        }
        if let unchanged { return .now(unchanged) }
        return try context.reply(
            reading: collection.size, from: collection.counted, for: request, asking: AskedQuery(asked, of: snapshot)
        ) { try read.response() }
    }

    /// Returns the sections of plain values: `by` is `self`, or `@keys` of a map, or a function of one of them.
    private func getElementSections(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(request, single: Self.sectionParameters)
        var read = try ElementRead(
            property, parameters.keeping(["filter", "args"]), context.settings.now, context.queryBudget(for: request))
        let (reader, objectClass, snapshot) = (read.reader, read.element.objectClass, property.snapshot)
        var key = try reader.section(parameters, objectClass)
        let sort = try read.sort(parameters)
        read.query.steps.append(.sort(try Self.sectionOrder(parameters, sort, &key)))
        let distinct = try reader.distinct(parameters, objectClass)
        if let distinct { read.query.steps.append(.distinct(distinct)) }
        if sort != nil || distinct != nil { read.isOrdered = true }
        let plan = read.plan(try parameters.choice("types", default: TypeStyle.plain))
        let (elements, by) = (read, key)
        let sections = try sections(parameters, snapshot, by) {
            let content = try elements.content()
            return (
                try content.sections(elements.query, by: by),
                { keys, json, limit in
                    try elements.write(keys, of: content, by: plan, into: json, responseLimit: limit)
                }
            )
        }
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        return try context.reply(reading: try property.elementCount, for: request) { try sections.response() }
    }

    /// Parses the order of the objects, and that of the sections: of their keys with `ascending` or without `sort`,
    /// else of their first objects.
    package static func sectionOrder(
        _ parameters: QueryParameters, _ sort: [SortKey]?, _ key: inout SectionKey
    ) throws(Problem) -> [SortKey] {
        let isGiven = parameters["ascending"] != nil
        let ascending = isGiven ? try parameters.flag("ascending") : true
        if isGiven || sort == nil { key.order = ascending ? .ascending : .descending }
        return sort ?? [SortKey(key.path, ascending: ascending)]
    }

    /// Parses which sections are requested.
    private func sections(
        _ parameters: QueryParameters, _ snapshot: any Snapshot, _ key: SectionKey,
        _ run: @escaping @Sendable () throws -> SectionRead.Result
    ) throws(Problem) -> SectionRead {
        SectionRead(
            snapshot: snapshot, run: run, key: key, choice: try Self.choice(parameters),
            keysOnly: try parameters.flag("keys"), offset: try parameters.integer("offset", in: 0...Int.max) ?? 0,
            limit: try parameters.integer("limit", in: 0...context.settings.now.maximumPage),
            style: try parameters.choice("types", default: TypeStyle.plain), configuration: context.settings.now)
    }

    private static func choice(_ parameters: QueryParameters) throws(Problem) -> SectionChoice {
        let index = try parameters.integer("index", in: 0...Int.max)
        switch (index, parameters["section"]) {
        case (nil, nil): return .all
        case (let index?, nil): return .index(index)
        case (nil, let text?): return .key(text)
        case (_?, _?):
            throw Problem(
                .parameterInvalid, "Give 'index' or 'section', not both.", parameter: "section")
        }
    }
}
