/// What the subscriptions of a set are called.
package enum SubscriptionName {
    /// Begins the id of a subscription, which a name does not begin with.
    package static let idPrefix = "$"

    /// What clients call one that has no name: `$2`.
    package static func id(_ number: Int) -> String { idPrefix + String(number) }

    private static let queryPrefix = "n"

    /// What a follower calls its subscription to the query with a number: `n7`.
    package static func query(_ number: Int) -> String { queryPrefix + String(number) }

    /// The number in what a follower calls a subscription; nil for other names.
    package static func queryNumber(in name: String) -> Int? {
        guard name.hasPrefix(queryPrefix), let number = Int(name.dropFirst(queryPrefix.count)),
            query(number) == name
        else { return nil }
        return number
    }
}
