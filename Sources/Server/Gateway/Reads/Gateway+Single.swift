import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import StoreContract
import WriteRequests

extension PropertyPlace {
    /// Returns the error for a null link.
    var leadsNowhere: Problem {
        Problem(
            StoreError.Code.notFound, "'\(name)' is null: it does not link to an object.",
            property: property.name)
    }
}

extension Gateway {
    /// Returns a single value, or an element, as `{"version", "value"}`; for a link its target object.
    ///
    /// Throws 404 for an element that does not exist, and for a null link.
    func getSingle(_ request: Request, _ place: PropertyPlace, _ snapshot: any Snapshot) throws -> Reply {
        guard let value = try place.value(in: snapshot) else { throw try place.missing(in: snapshot) }
        if let target = place.target(of: value), let objectClass = snapshot.schema[target.classID] {
            return try getObject(
                request, target.key, objectClass, snapshot, isPart: place.property.ownsTarget,
                way: (place.hops + [place.hop(to: target)]).map(\.query))
        }
        if value == .null, place.property.type.isLink { throw place.leadsNowhere }
        let parameters = try QueryParameters(request, single: ["types", Self.snapshotParameter])
        let style = try parameters.choice("types", default: TypeStyle.plain)
        let unchanged = try notModified(request, snapshot) { ReadDependence(place, snapshot.schema) }
        if let unchanged { return .now(unchanged) }
        let look = LinkResolver(snapshot)
        let json = JSONWriter(capacity: 128)
        json.beginObject()
        json.name("version")
        json.int(snapshot.version.rawValue)
        json.name("value")
        look.value(value, isMixed: place.property.type.isMixed, style, json)
        json.endObject()
        if let fault = look.fault { throw fault }
        return .now(.json(json, of: snapshot))
    }
}
