import ObjectModel

/// The texts of the gateway's rows that objects here are equal to, as hashes. A row that comes again, because another
/// subscription matches the object, too, is neither parsed nor compared. Not stored: after a start each row is applied
/// once.
struct RowTexts: Sendable {
    private var classes: [String: [Value: Int]] = [:]

    /// Nil for an object that was changed here, or of which no row has come yet.
    subscript(object: SyncObject) -> Int? {
        get { classes[object.className]?[object.key] }
        set {
            if newValue == nil, classes[object.className] == nil { return }
            classes[object.className, default: [:]][object.key] = newValue
        }
    }
}
