import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// A parsed `GET /v1/values/{collection}` of objects.
struct ValuesRead: Sendable {
    /// The kind of result.
    enum Result: Sendable {
        /// An array with the result of the path for each object.
        case each(KeyValuePath)
        case count
        case aggregate(AggregateRequest)
        /// The values at the paths without nulls; the elements of collections.
        case union(property: UnionSource, distinct: Bool)
    }

    /// The source of a union's values.
    enum UnionSource: Sendable {
        /// One value per object.
        case path(SortKey)
        /// The elements of each object's list, set or map.
        case elements(PropertyID)
    }

    let snapshot: any Snapshot
    let query: BoundQuery
    let window: Window
    let result: Result
    /// How the values are written.
    let plan: RowPlan
    let isMixed: Bool
    let style: TypeStyle
    /// The maximum number of values.
    let limit: Int
    /// The maximum size of the response in bytes.
    let answerBytes: Int

    /// Throws the errors of the store, and 400 for too many values.
    func response() throws -> Response {
        let json = JSONWriter(capacity: 1024)
        let look = LinkResolver(snapshot, remembers: true, answerLimit: answerBytes)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        switch result {
        case .each(let path):
            let keys = try selected()
            json.name("values")
            json.beginArray()
            for key in keys {
                try path.write(key, look, snapshot, json)
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
        case .count:
            json.name("value")
            json.int(try snapshot.count(query))
        case .aggregate(let request):
            json.name("value")
            for value in try snapshot.aggregate(query, [request]) { look.value(value, isMixed: isMixed, style, json) }
        case .union(let source, let distinct):
            let values = try union(source)
            json.name("values")
            json.beginArray()
            for value in distinct ? values.distinct : values {
                write(value, look, json)
                look.check(json)
                if let fault = look.fault { throw fault }
            }
            json.endArray()
        }
        json.endObject()
        if let fault = look.fault { throw fault }
        return .json(json, of: snapshot)
    }

    private func selected() throws -> [ObjectKey] {
        var window = window
        // One value more shows whether there are too many.
        window.limit = min(window.limit ?? .max, limit + 1)
        let keys = try snapshot.select(query, window)
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

    private func union(_ source: UnionSource) throws -> [Value] {
        var values: [Value] = []
        var bytes = 0
        for key in try selected() {
            let found: [Value]
            switch source {
            case .path(let path):
                found = try snapshot.sortValues([path], of: key, in: query.classID).compactMap(\.self)
            case .elements(let property):
                let count = try snapshot.elementCount(query.classID, key, property)
                try check(values.count + count)
                found = try snapshot.elements(query.classID, key, property, 0..<count)
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
