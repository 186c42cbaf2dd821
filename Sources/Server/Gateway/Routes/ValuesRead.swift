import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// `GET /v1/values/{collection}` of objects, read and bound.
struct ValuesRead: Sendable {
    /// What becomes of the objects.
    enum Result: Sendable {
        /// An array with what the path gives for each.
        case each(KeyValuePath)
        case count
        case aggregate(AggregateRequest)
        /// The values at the paths without nulls; of collections the elements.
        case union(property: UnionSource, distinct: Bool)
    }

    /// Where the values of a union come from.
    enum UnionSource: Sendable {
        /// One value for each object.
        case path(SortKey)
        /// The elements of a list, set or map of each.
        case elements(PropertyID)
    }

    let snapshot: any Snapshot
    let query: BoundQuery
    let window: Window
    let result: Result
    /// What values are written by.
    let plan: RowPlan
    let isMixed: Bool
    let style: TypeStyle
    /// Most values.
    let limit: Int
    /// Most bytes.
    let answerBytes: Int

    /// Throws what the store does, and 400 for too many values.
    func response() throws -> Response {
        let json = JSONWriter(capacity: 1024)
        let look = LinkResolver(.snapshot(snapshot), remembers: true, answerLimit: answerBytes)
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
        // One more tells whether there are too many.
        window.limit = min(window.limit ?? .max, limit + 1)
        let keys = try snapshot.select(query, window)
        try check(keys.count)
        return keys
    }

    private func check(_ count: Int) throws(Problem) {
        guard count > limit else { return }
        throw Problem(
            400, "values.too_many",
            "There are more than \(limit) values, which is the most that is given. Narrow the filter, or use 'limit' and 'offset'.",
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
        if let column = plan.columns.first, case .link(_, let target) = column.kind {
            switch value {
            case .link(let key): return look.link(key, target, style, json)
            case .reference(let object): return look.link(object.key, target, style, json)
            default: return json.null()
            }
        }
        look.value(value, isMixed: isMixed, style, json)
    }
}
