import ObjectModel

/// An object, or a projection of one, identified by the stored object: two instances of one stored object have the same
/// `id`.
///
/// SwiftUI lists and diffs of collections use it. The id is valid within the process; unmanaged objects are identified
/// by instance.
public protocol ObjectKeyIdentifiable: Identifiable {}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// The same for all instances of one stored object, in every realm.
    public var id: UInt64 { identifier(of: self) }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The same for all projections of one stored object.
    public var id: UInt64 { identifier(of: rootObject) }
}

private func identifier(of object: ObjectBase) -> UInt64 {
    guard let reference = object._objectReference else { return UInt64(UInt(bitPattern: ObjectIdentifier(object))) }
    return UInt64(bitPattern: reference.key.rawValue)
}
