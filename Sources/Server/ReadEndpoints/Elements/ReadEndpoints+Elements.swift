import HTTPProblems
import HTTPServer
import HTTPMessages
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import RequestParameters
import StoreContract
import WireProtocol

extension ReadEndpoints {
    /// Returns a page of the values in a list, set or map: `{"version", "count", "items"}`, where a map's items are an
    /// object.
    func getElements(_ request: Request, _ property: PropertyCollection) throws -> Reply {
        let parameters = try QueryParameters(
            request, single: ElementRead.parameters + ["limit", "offset", "count", "types", ParameterName.snapshot])
        // Every response contains the count; requesting it is allowed.
        _ = try parameters.flag("count")
        let window = try window(parameters)
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let snapshot = property.snapshot
        let unchanged = try notModified(request, snapshot) { ReadDependence(elementsOf: property) }
        if let unchanged { return .now(unchanged) }
        let (holder, id, answerBytes) = (property.holder, property.schema.id, context.settings.now.answerBytes)
        let read = try ElementRead(property, parameters, context.settings.now, context.queryBudget(for: request))
        guard read.isPlain else { return try getChosen(request, read, window, style) }
        let count = try property.elementCount
        let start = min(window.offset, count)
        let range = start..<start + min(window.limit ?? count, count - start)
        // A map is read completely.
        return try context.reply(reading: property.schema.type.collection == .map ? count : range.count, for: request) {
            let json = JSONWriter(capacity: 256)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name("count")
            json.int(count)
            json.name("items")
            let plan = RowPlan(
                property.holderClass, of: snapshot.schema, properties: [property.schema], style: style)
            if property.schema.type.collection == .map {
                // Elements come without their keys.
                guard case .dictionary(let map) = try snapshot.value(holder.classID, holder.key, id) else {
                    throw Problem.internalError
                }
                let page = map.entries[range].map { ($0.key, $0.value) }
                try plan.write(page, of: id, snapshot, into: json, responseLimit: answerBytes)
            } else {
                var writer = try ElementWriter(plan, id, snapshot, json, responseLimit: answerBytes)
                json.beginArray()
                try property.forEachElement(in: range) { try writer.write($0) }
                json.endArray()
            }
            json.endObject()
            return .json(json, of: snapshot)
        }
    }

    /// Returns a page of filtered, sorted or distinct values. Those of a map come without their keys if they are sorted
    /// or distinct.
    private func getChosen(
        _ request: Request, _ read: ElementRead, _ window: Window, _ style: TypeStyle
    ) throws -> Reply {
        let (snapshot, answerBytes) = (read.property.snapshot, context.settings.now.answerBytes)
        return try context.reply(reading: try read.property.elementCount, for: request) {
            let content = try read.content()
            let chosen = try content.select(read.query)
            let page = chosen.dropFirst(min(window.offset, chosen.count)).prefix(window.limit ?? .max)
            let json = JSONWriter(capacity: 256)
            json.beginObject()
            json.name("version")
            json.int(snapshot.version.rawValue)
            json.name("count")
            json.int(chosen.count)
            json.name("items")
            try read.write(Array(page), of: content, by: read.plan(style), into: json, responseLimit: answerBytes)
            json.endObject()
            return .json(json, of: snapshot)
        }
    }
}

extension PropertyCollection {
    /// Reads elements in small batches, smaller ones for larger elements, so that not all of them are in memory.
    fileprivate func forEachElement(in range: Range<Int>, _ body: (Value) throws -> Void) throws {
        var index = range.lowerBound
        var step = 16
        while index < range.upperBound {
            let part = try snapshot.elements(
                holder.classID, holder.key, schema.id, index..<min(index + step, range.upperBound))
            // Hidden elements are not counted.
            guard !part.isEmpty else { return }
            var bytes = 0
            for element in part {
                bytes += element.payload
                try body(element)
            }
            index += step
            step = max(min((256 << 10) / max(bytes / part.count, 1), 1024), 1)
        }
    }
}

extension Value {
    /// The approximate size of the value in bytes.
    var payload: Int {
        switch self {
        case .string(let text): 16 + text.utf8.count
        case .data(let bytes): 16 + bytes.count
        case .list(let elements), .set(let elements): elements.reduce(16) { $0 + $1.payload }
        case .dictionary(let map): map.entries.reduce(16) { $0 + $1.key.utf8.count + $1.value.payload }
        default: 16
        }
    }
}
