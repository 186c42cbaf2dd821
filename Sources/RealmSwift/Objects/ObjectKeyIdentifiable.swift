import ObjectModel

/// An object that is told from others by what it shows: two instances of one stored object have the same `id`.
///
/// Lists of views and diffs of collections use it. The id is valid as long as the process runs; unmanaged objects are told
/// from each other by instance.
public protocol ObjectKeyIdentifiable: ObjectBase, Identifiable {}

extension ObjectKeyIdentifiable {
    /// Equal for instances of the same stored object of one class, of any realm.
    public var id: UInt64 {
        guard let _reference else { return UInt64(UInt(bitPattern: ObjectIdentifier(self))) }
        return UInt64(bitPattern: _reference.key.rawValue)
    }
}
