import ObjectModel

/// An object, or a projection of one, that is told from others by what it shows: two instances of one stored object have the same `id`.
///
/// Lists of views and diffs of collections use it. The id is valid as long as the process runs; unmanaged objects are told
/// from each other by instance.
public protocol ObjectKeyIdentifiable: Identifiable {}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// Equal for instances of the same stored object of one class, of any realm.
    public var id: UInt64 { identifier(of: self) }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// Equal for projections of the same stored object.
    public var id: UInt64 { identifier(of: rootObject) }
}

private func identifier(of object: ObjectBase) -> UInt64 {
    guard let reference = object._objectReference else { return UInt64(UInt(bitPattern: ObjectIdentifier(object))) }
    return UInt64(bitPattern: reference.key.rawValue)
}
