import Columnar
import ObjectModel

/// Assignments to objects of one class, one after the other, of values on which nothing else depends. They become one step
/// of the journal, and are entered in the record of changes at once: an assignment by itself costs no look-up of its class.
struct AssignmentRun {
    struct Entry {
        let key: ObjectKey
        /// The position of the column in the class.
        let position: Int
        let old: Value

        /// The approximate size in memory, in bytes.
        var sizeEstimate: Int { MemoryLayout<Self>.stride + old.heapEstimate }
    }

    /// The length at which a run is entered, so that growing the array copies little.
    static let longest = 1024

    let objectClass: MutableClass
    var entries: [Entry]
}
