import JSONCoding

/// A client that has a list and follows its stream.
enum ListReader {
    /// Applies an event to the client's list.
    static func apply(_ event: WireEvents.Event, to held: inout [JSONValue]) throws {
        if event.name == "initial" {
            held = event.data["items"]?.asArray ?? []
            return
        }
        func indices(_ name: String) -> [Int] { event.data[name]?.asArray?.compactMap(\.asInt) ?? [] }
        func objects(_ name: String) -> [JSONValue] { event.data["objects"]?[name]?.asArray ?? [] }
        let (deletions, insertions, modifications) = (
            indices("deletions"), indices("insertions"), indices("modifications")
        )
        guard objects("insertions").count == insertions.count, objects("modifications").count == modifications.count,
            (deletions + modifications).allSatisfy(held.indices.contains)
        else { throw WireFailure("An update does not fit: \(event)") }
        for (index, object) in zip(modifications, objects("modifications")) { held[index] = object }
        for index in deletions.reversed() { held.remove(at: index) }
        for (index, object) in zip(insertions, objects("insertions")) {
            guard index <= held.count else { throw WireFailure("An insertion lies beyond the end: \(event)") }
            held.insert(object, at: index)
        }
    }
}
