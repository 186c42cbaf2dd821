package import ObjectModel

/// A command that edits a list, set or map. `CollectionEdit` is what a commit records of it.
///
/// Positions are those before the operation, except `move`'s target, which is the position of the element afterwards.
package enum CollectionOperation: Hashable, Sendable {
    // Lists.
    case insert(Value, at: Int)
    case append(Value)
    case replace(Value, at: Int)
    case remove(at: Int)
    case move(from: Int, to: Int)

    // Sets.
    case add(Value)
    case removeElement(Value)

    // Maps.
    case put(Value, key: String)
    case removeKey(String)

    /// Empties a collection of any kind.
    case removeAll
}
