import Columnar
import ObjectModel

extension PropertySchema {
    /// The column type of the property; nil for computed properties and types that this version does not store.
    var leafKind: LeafKind? { LeafKind(type) }
}
