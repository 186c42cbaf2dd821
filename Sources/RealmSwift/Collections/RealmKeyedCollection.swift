/// A map of stored values by keys.
public protocol RealmKeyedCollection: ThreadConfined, CustomStringConvertible, Sequence {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
}
