package import ObjectModel
import QueryExecution

/// One change of a version as other stores repeat it: below the rules, so that repeating it checks nothing, cascades
/// nothing and depends on no clock.
package enum RedoStep: Hashable, Sendable {
    /// The columns, indexes and classes become those of the schema.
    case layout(Schema)
    /// An object with a value for each column, in order.
    case created(ClassID, ObjectKey, [Value])
    case deleted(ClassID, ObjectKey)
    case changed(ClassID, ObjectKey, PropertyID, Change)
    /// A record beside the objects; the expiry in seconds.
    case recordStored([UInt8], bytes: [UInt8], expiry: UInt64)
    case forgotten([UInt8])
    /// The version is to be kept for a reader, or need no longer be. Each is alone in its entry.
    case pinned(id: [UInt8], note: [UInt8])
    case unpinned(id: [UInt8])

    /// A change of one property. Positions are those at the time of the step.
    package enum Change: Hashable, Sendable {
        /// `edit` is given when it is not the difference of the two values.
        case assigned(Value, edit: CollectionEdit?)
        case inserted(Value, mapKey: String?, at: Int)
        case replaced(Value, at: Int)
        case removed(at: Int)
        case moved(from: Int, to: Int)
    }
}
