package import ObjectModel

/// Where the reference evaluator finds objects: anything that can name a class's objects and read one value.
package protocol RowSource {
    var schema: Schema { get }

    /// The objects of a class, ascending; empty for a class that does not exist.
    func keys(of classID: ClassID) throws -> [ObjectKey]

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool

    /// One stored value of an object that exists.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value

    /// The objects of `origin` whose link `property` leads to `key`, ascending; one that links to it several times,
    /// in a list, is there as many times.
    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey]
}

extension RowSource {
    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        try keys(of: classID).contains(key)
    }

    /// Looks at every object of the origin class: slow, and right by definition.
    package func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try keys(of: origin).flatMap { holder in
            try value(origin, holder, property).linkedKeys.filter { $0 == key }.map { _ in holder }
        }
    }
}
