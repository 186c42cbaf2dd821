import Columnar
import ObjectModel

extension PropertySchema {
    /// How the property's column is stored; nil for computed properties and types that this version does not store.
    var leafKind: LeafKind? { LeafKind(type) }
}
