import Columnar
import ObjectModel
import QueryLanguage
import QueryOperators

/// The objects in a collection of links, or a linking-objects property, of one object.
enum ScopedObjects {
    /// The keys in the property's order and with its repetitions, without nulls. Empty when the holder does not exist.
    static func keys(
        of holder: ObjectReference, _ property: PropertyID, in source: any ColumnSource
    ) throws -> [ObjectKey] {
        guard let declared = source.schema[holder.classID]?[property],
            try source.hasObject(holder.key, in: holder.classID)
        else { return [] }
        if declared.type.isComputed {
            guard let origin = declared.targetClass, let link = declared.originProperty else { return [] }
            return try source.backlinks(to: holder, from: origin, link)
        }
        guard declared.type.collection != .single else { return [] }
        return try source.elements(of: holder.classID, holder.key, property).values.compactMap { element in
            if case .link(let key) = element { key } else { nil }
        }
    }

    /// Those among `keys` that satisfy the predicate, in the same order and as often.
    static func filter(
        _ keys: [ObjectKey], _ predicate: BoundPredicate, on classID: ClassID, with planner: Planner
    ) throws -> [ObjectKey] {
        if predicate == .constant(true) || keys.isEmpty { return keys }
        let source = planner.source
        if keys.count <= rowLimit {
            let row = RowPredicate(predicate, on: classID, in: source)
            return try keys.filter { try source.hasObject($0, in: classID) && row.holds($0) }
        }
        let matches = try planner.scan(classID, predicate, among: keys).keys()
        return keys.filter { matches.contains($0) }
    }

    /// Up to this number of objects a plan costs more than it saves.
    private static let rowLimit = 16
}
