extension Value {
    /// The objects of the property's class that a value links to, each as often as it is linked to.
    package var linkedKeys: [ObjectKey] {
        switch self {
        case .link(let key): return [key]
        case .list(let elements), .set(let elements): return elements.flatMap(\.linkedKeys)
        case .dictionary(let map): return map.entries.flatMap(\.value.linkedKeys)
        default: return []
        }
    }

    /// The object that a link value leads to.
    ///
    /// - Parameter target: the class that plain links lead to; nil for mixed values, whose links name their class.
    package func linkedObject(in target: ClassID?) -> ObjectReference? {
        switch self {
        case .link(let key): target.map { ObjectReference($0, key) }
        case .reference(let object): object
        default: nil
        }
    }

    /// The value with null in place of each link to a deleted object, at any depth.
    ///
    /// - Parameter target: the class that plain links lead to; without a class they lead nowhere.
    package func clearingLinks(
        in target: ClassID?, where isDeleted: (ObjectReference) throws -> Bool
    ) rethrows -> Value {
        switch self {
        case .link, .reference:
            guard let object = linkedObject(in: target) else { return .null }
            return try isDeleted(object) ? .null : self
        case .list(let elements): return .list(try elements.map { try $0.clearingLinks(in: target, where: isDeleted) })
        case .dictionary(let map):
            return .dictionary(try map.mapValues { try $0.clearingLinks(in: target, where: isDeleted) })
        default: return self
        }
    }
}
