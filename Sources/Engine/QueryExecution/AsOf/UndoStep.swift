package import ObjectModel

/// The inverse of one change: the old value of a property, all values of a deleted object, or one edit of a collection.
package struct UndoStep: Sendable {
    package enum Change: Sendable {
        /// The object had these values, one for each stored property in the order of the schema.
        case deleted([Value])
        /// The property had this value; a set's elements are a list.
        case assigned(PropertyID, old: Value)
        /// These elements of the collection, by their positions afterwards, were not there.
        case inserted(PropertyID, Range<Int>)
        /// The element at the position was this one.
        case replaced(PropertyID, at: Int, old: Value)
        /// This element was at the position, in a map under the key.
        case removed(PropertyID, at: Int, mapKey: String?, old: Value)
    }

    package var classID: ClassID
    package var key: ObjectKey
    package var change: Change

    package init(_ classID: ClassID, _ key: ObjectKey, _ change: Change) {
        self.classID = classID
        self.key = key
        self.change = change
    }
}
