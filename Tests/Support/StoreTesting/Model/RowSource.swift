package import ObjectModel

/// The reference evaluator's source of objects: it lists a class's objects and reads single values.
package protocol RowSource {
    var schema: Schema { get }

    /// The objects of a class, ascending; empty for a class that does not exist.
    func keys(of classID: ClassID) throws -> [ObjectKey]

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool

    /// One stored value of an object that exists.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The objects of `origin` whose link `property` leads to `key`, ascending; one that links to it several times, in
    /// a list, occurs as many times.
    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]
}

extension RowSource {
    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try keys(of: classID).contains(key)
    }

    /// Reads every object of the origin class: slow, and right by definition.
    package func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try keys(of: origin).flatMap { holder in
            try value(origin, holder, property).linkedKeys.filter { $0 == key }.map { _ in holder }
        }
    }
}
