import ViewMaintenance
import ObjectModel
import StoreContract

/// The links of an observed collection's elements, and which of the linked objects count as modified. The elements are
/// links of one class, plain values, or mixed values, which may have links of every class at any depth.
struct ElementLinks {
    private let reach: ElementDeepChangeChecker
    private let isMixed: Bool
    /// The classes that elements link to at the present version, once read; nothing else is known of the elements.
    private var linkedClasses: Set<ClassID>?

    init(_ property: PropertySchema, _ schema: Schema) {
        reach = ElementDeepChangeChecker(property, schema)
        isMixed = property.type.isMixed
    }

    /// The watches of observers. They do not include the collection's owner.
    ///
    /// - Parameter property: the owner's property if the elements are in no other value of it.
    func watches(
        of subscriberGroups: [SubscriberGroup<LiveCollectionEvent, Void>], in owner: ObjectReference,
        _ property: PropertyID?
    ) -> Set<LiveWatch> {
        // A change of another object matters only where an element leads to it.
        if let property, let target = reach.target, let within = reach.reach(from: target) {
            let paths = subscriberGroups.paths(within: within)
            return [.satisfying(of: target, [.element(of: owner, property)], paths)]
        }
        var classes: Set<ClassID> = []
        for subscriberGroup in subscriberGroups {
            classes.formUnion(
                subscriberGroup.filter == nil ? reach.classes.union(subscriberGroup.classes) : subscriberGroup.classes)
        }
        return Set(classes.map { .objects(of: $0) })
    }

    /// Call it when elements have changed.
    mutating func forget() { linkedClasses = nil }

    /// The linked objects that count as modified for some observers.
    ///
    /// - Parameter collect: adds the classes that the elements link to now. The links of mixed values can only be found
    ///   by reading the values; mostly there are none.
    mutating func modified(
        by step: VersionDelta, for subscriberGroup: SubscriberGroup<LiveCollectionEvent, Void>,
        collect: (inout Set<ClassID>) throws -> Void
    ) throws -> ModifiedLinks {
        if let filter = subscriberGroup.filter {
            if let target = reach.target { return ModifiedLinks(of: target, try filter.modifiedRoots(by: step)) }
            return try filter.modifiedLinks(by: step, among: classes(collect))
        }
        var modified = try reach.modified(by: step, among: classes(collect))
        if let shape = subscriberGroup.interest.shape { modified.add(try shape.modifiedRoots(by: step)) }
        return modified
    }

    private mutating func classes(_ collect: (inout Set<ClassID>) throws -> Void) throws -> Set<ClassID> {
        if let linkedClasses { return linkedClasses }
        var classes: Set<ClassID> = []
        if let target = reach.target { classes = [target] } else if isMixed { try collect(&classes) }
        linkedClasses = classes
        return classes
    }

    /// The filter of observers with key paths; nil for none. Throws `unknownProperty` if the elements have no links.
    static func filter(
        _ keyPaths: [LiveKeyPath], of property: PropertySchema?, _ schema: Schema
    ) throws -> KeyPathFilter? {
        guard !keyPaths.isEmpty else { return nil }
        if let property, property.type.isMixed { return try KeyPathFilter(ofMixed: keyPaths, schema) }
        guard let target = property?.targetClass else {
            throw StoreError(
                .unknownProperty, "The collection does not hold links, so it does not support key paths.")
        }
        return try KeyPathFilter(keyPaths, from: target, schema, else: "the collection's elements")
    }
}

extension Schema {
    /// Throws `unknownClass`, and `unknownProperty` also for computed properties.
    func stored(_ property: PropertyID, of classID: ClassID) throws -> PropertySchema {
        guard let objectClass = self[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        guard let stored = objectClass[property], !stored.type.isComputed else {
            throw StoreError(
                .unknownProperty, "Class '\(objectClass.name)' has no stored property number \(property.rawValue).")
        }
        return stored
    }
}
