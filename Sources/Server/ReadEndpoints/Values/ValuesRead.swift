import HTTPMessages
import HTTPServer
import JSONCoding
import LiveQueries
import LiveStreams
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
package import RequestParameters
package import StoreContract

/// Values of a query's objects, at any version of one schema.
package struct ValuesRead: Sendable {
    /// The kind of result.
    enum Result: Hashable, Sendable {
        /// An array with the result of the path for each object.
        case each(KeyValuePath)
        case count
        case aggregate(AggregateRequest)
        /// The values at the paths without nulls; the elements of collections.
        case union(property: UnionSource, distinct: Bool)
    }

    /// The source of a union's values.
    enum UnionSource: Hashable, Sendable {
        /// One value per object.
        case path(SortKey)
        /// The elements of each object's list, set or map.
        case elements(PropertyID)
    }

    let query: BoundQuery
    let window: Window
    let result: Result
    /// The key path without its operation; empty for none.
    let path: String
    /// How the values are written.
    let plan: RowPlan
    /// The identifiers, names and types of what `plan` writes.
    let form: String
    let isMixed: Bool
    let style: TypeStyle
    /// The maximum number of values.
    let limit: Int
    /// The maximum size of the response in bytes.
    let answerBytes: Int

    /// The name of the member that the answer has.
    package var name: String {
        switch result {
        case .each, .union: "values"
        case .count, .aggregate: "value"
        }
    }

    /// What the answer depends on.
    package func dependence(in collection: CollectionTarget) -> ReadDependence {
        if case .count = result { return ReadDependence(orderOf: query, matching: nil, in: collection) }
        var shown = query
        // A limit of what is counted or summed is in the query already.
        if let limit = window.limit, name == "values" {
            let (end, isBeyond) = window.offset.addingReportingOverflow(limit)
            if !isBeyond { shown.steps.append(.limit(end)) }
        }
        return ReadDependence(from: shown, showing: path.isEmpty ? [] : [path], in: collection)
    }

    /// Throws the errors of the store, and 400 for too many values.
    func response(of snapshot: any Snapshot) throws -> Response {
        let json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name(name)
        try write(snapshot, into: json)
        json.endObject()
        return .json(json, of: snapshot)
    }

    private func write(_ reads: any ObjectReads, into json: JSONWriter) throws {
        let look = LinkResolver(reads, remembers: true, responseLimit: answerBytes)
        switch result {
        case .each(let path):
            let keys = try selected(reads)
            json.beginArray()
            for key in keys {
                try path.write(key, look, reads, json)
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
        case .count: json.int(try reads.count(query))
        case .aggregate(let request):
            for value in try reads.aggregate(query, [request]) { look.value(value, isMixed: isMixed, style, json) }
        case .union(let source, let distinct):
            let values = try union(source, reads)
            json.beginArray()
            for value in distinct ? values.distinct : values {
                write(value, look, json)
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
        }
        if let fault = look.fault { throw fault }
    }

    private func selected(_ reads: any ObjectReads) throws -> [ObjectKey] {
        var window = window
        // One value more shows whether there are too many.
        window.limit = min(window.limit ?? .max, limit + 1)
        let keys = try reads.select(query, window)
        try check(keys.count)
        return keys
    }

    private func check(_ count: Int) throws(Problem) {
        guard count > limit else { return }
        throw Problem(
            .valuesTooMany,
            "There are more than \(limit) values, which is the maximum. Narrow the filter, or use 'limit' and 'offset'.",
            parameter: "limit")
    }

    private func union(_ source: UnionSource, _ reads: any ObjectReads) throws -> [Value] {
        var values: [Value] = []
        var bytes = 0
        for key in try selected(reads) {
            let found: [Value]
            switch source {
            case .path(let path):
                found = try reads.sortValues([path], of: key, in: query.classID).compactMap(\.self)
            case .elements(let property):
                let count = try reads.elementCount(query.classID, key, property)
                try check(values.count + count)
                found = try reads.elements(query.classID, key, property, 0..<count)
            }
            bytes += found.reduce(0) { $0 + $1.payload - 16 }
            guard bytes <= answerBytes else { throw Problem.answerTooLarge(answerBytes) }
            values += found
        }
        return values.filter { $0 != .null }
    }

    private func write(_ value: Value, _ look: LinkResolver, _ json: JSONWriter) {
        if let column = plan.columns.first, case .link(_, let target) = column {
            switch value {
            case .link(let key): return look.link(key, target, style, json)
            case .reference(let object): return look.link(object.key, target, style, json)
            default: return json.null()
            }
        }
        look.value(value, isMixed: isMixed, style, json)
    }
}

extension ValuesRead: LiveValueSource {
    private struct Identity: Hashable {
        let query: BoundQuery
        let window: Window
        let result: Result
        let form: String
        let isMixed: Bool
        let style: TypeStyle
        let limits: [Int]
    }

    private var identity: Identity {
        Identity(
            query: query, window: window, result: result, form: form, isMixed: isMixed, style: style,
            limits: [limit, answerBytes])
    }

    package static func == (a: ValuesRead, b: ValuesRead) -> Bool { a.identity == b.identity }
    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    package func read(_ reads: any ObjectReads) throws -> [UInt8] {
        let json = JSONWriter(capacity: 1024)
        try write(reads, into: json)
        return json.bytes
    }
}

/// The values of one list, set or map, or their number, at any version of one schema.
package struct ElementValuesRead: Hashable, Sendable {
    let selection: ElementSelection
    /// Whether the answer is their number.
    let counts: Bool
    let offset: Int
    let length: Int?
    /// The maximum number of values.
    let limit: Int
    let answerBytes: Int
    let writing: ElementWriting

    package var name: String { counts ? "value" : "values" }

    /// Throws the errors of the store, and 400 for too many values.
    func write(_ reads: any ObjectReads, _ budget: QueryBudget? = nil, into json: JSONWriter) throws {
        let values = try selection.values(of: reads, budget)
        let page = values.dropFirst(min(offset, values.count)).prefix(length ?? .max)
        guard page.count <= limit else {
            throw Problem(
                .valuesTooMany, "There are more than \(limit) values, which is the maximum. Use 'limit' and 'offset'.",
                parameter: "limit")
        }
        if counts { return json.int(page.count) }
        try writing.plan.write(page, of: selection.property.id, reads, into: json, responseLimit: answerBytes)
    }
}

extension ElementValuesRead: LiveValueSource {
    package func read(_ reads: any ObjectReads) throws -> [UInt8] {
        let json = JSONWriter(capacity: 128)
        try write(reads, into: json)
        return json.bytes
    }
}

/// How the elements of a property of plain values are written. It follows from the property and the style.
struct ElementWriting: Hashable, Sendable {
    let plan: RowPlan

    static func == (a: ElementWriting, b: ElementWriting) -> Bool { a.plan.style == b.plan.style }
    func hash(into hasher: inout Hasher) { hasher.combine(plan.style) }
}
