import HTTPServer
import JSONCoding
import ObjectModel
import QueryLanguage
import StoreContract

extension Gateway {
    /// A page of the values in a list, set or map: `{"version", "count", "items"}`, where a map's items are an
    /// object.
    func getElements(_ request: Request, _ property: HeldProperty) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: ElementRead.parameters + ["limit", "offset", "count", "types", Self.snapshotParameter])
        // The count comes with every answer; asking for it is no mistake.
        _ = try parameters.flag("count")
        let window = try window(parameters)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let snapshot = property.snapshot
        if let unchanged = try notModified(request, snapshot.mark) { return .now(unchanged) }
        let (holder, id) = (property.holder, property.schema.id)
        let read = try ElementRead(property, parameters, configuration, queryBudget())
        guard read.isPlain else { return try getChosen(read, window, style) }
        let count = try property.elementCount
        let start = min(window.offset, count)
        let range = start..<start + min(window.limit ?? count, count - start)
        // A map is read as a whole.
        return reply(reading: property.schema.type.collection == .map ? count : range.count) {
            let page: Value
            if property.schema.type.collection == .map {
                // Elements come without their keys.
                guard case .dictionary(let map) = try snapshot.value(holder.classID, holder.key, id) else {
                    throw Problem.internalError
                }
                page = .dictionary(ValueMap(map.entries[range].map { ($0.key, $0.value) }))
            } else {
                page = .list(try snapshot.elements(holder.classID, holder.key, id, range))
            }
            let json = JSONWriter(capacity: 256 + range.count * 16)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name("count")
            json.int(count)
            json.name("items")
            let plan = RowPlan(
                property.holderClass, of: snapshot.schema, properties: [property.schema], style: style)
            try plan.write(page, of: id, snapshot, into: json)
            json.endObject()
            return .json(json.bytes, of: snapshot)
        }
    }

    /// The same of values that are chosen, sorted or told apart. Those of a map are without their keys when they are sorted
    /// or told apart.
    private func getChosen(_ read: ElementRead, _ window: Window, _ style: TypeStyle) throws -> Reply {
        let snapshot = read.property.snapshot
        return reply(reading: try read.property.elementCount) {
            let content = try read.content()
            let chosen = try content.select(read.query)
            let page = chosen.dropFirst(min(window.offset, chosen.count)).prefix(window.limit ?? .max)
            let json = JSONWriter(capacity: 256 + page.count * 16)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name("count")
            json.int(chosen.count)
            json.name("items")
            try read.write(Array(page), of: content, by: read.plan(style), into: json)
            json.endObject()
            return .json(json.bytes, of: snapshot)
        }
    }
}
