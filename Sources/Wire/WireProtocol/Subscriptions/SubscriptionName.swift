/// The names of subscriptions within a set.
package enum SubscriptionName {
    /// The prefix of a subscription's id. Names cannot begin with it.
    package static let idPrefix = "$"

    /// Returns the label of a subscription without a name: `$2`.
    package static func id(_ number: Int) -> String { idPrefix + String(number) }

    private static let queryPrefix = "n"

    /// Returns a follower's name for its subscription to the query with that number: `n7`.
    package static func query(_ number: Int) -> String { queryPrefix + String(number) }

    /// Returns the number in a name that a follower chose; nil for other names.
    package static func queryNumber(in name: String) -> Int? {
        guard name.hasPrefix(queryPrefix), let number = Int(name.dropFirst(queryPrefix.count)),
            query(number) == name
        else { return nil }
        return number
    }
}
