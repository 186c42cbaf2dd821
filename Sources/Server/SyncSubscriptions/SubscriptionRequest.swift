import Basics
package import Dispatch
package import JSONCoding
package import ObjectCoding
import ObjectModel
package import WireProtocol

/// The body of a request for a subscription.
package struct SubscriptionRequest: Sendable {
    package let query: SubscriptionQuery
    package let wait: SubscriptionWait
    /// The maximum time to wait; nil for no limit.
    package let timeout: DispatchTimeInterval?

    private static let maximumTimeout = 3600.0

    /// Throws 400.
    package init(_ body: JSONValue) throws(Problem) {
        guard case .object(let object) = body else {
            throw Problem(.subscriptionInvalid, "The body is an object with a 'class' or 'path', not \(body.inWords).")
        }
        typealias Field = SubscriptionForm.Field
        let names =
            [Field.class, SubscriptionQuery.pathName] + SubscriptionQuery.names + [Field.waitForSync, Field.timeout]
        for member in object.members where !names.contains(member.name) {
            let note =
                member.name == Field.name ? " Its name is in the path: PUT /v1/subscriptions/{set}/{name}." : ""
            throw Problem(
                .subscriptionInvalid,
                "A subscription has no '\(member.name)'.\(note) Possible are \(names.joined(separator: ", ")).",
                property: member.name, hint: names.nearest(to: member.name))
        }
        query = try SubscriptionQuery(object)
        wait = try Self.wait(object[Field.waitForSync])
        timeout = try Self.timeout(object[Field.timeout])
    }

    private static func wait(_ json: JSONValue?) throws(Problem) -> SubscriptionWait {
        switch json {
        case nil, .null?: return .onCreation
        case .string(let word)?:
            if let wait = SubscriptionWait(rawValue: word) { return wait }
            let words = SubscriptionWait.allCases.map(\.rawValue)
            throw Problem(
                .subscriptionInvalid, "'waitForSync' must be \(words.joined(separator: " or ")), not '\(word)'.",
                property: SubscriptionForm.Field.waitForSync, hint: words.nearest(to: word))
        case let other?:
            throw Problem(
                .subscriptionInvalid, "'waitForSync' must be a string, not \(other.inWords).",
                property: SubscriptionForm.Field.waitForSync)
        }
    }

    private static func timeout(_ json: JSONValue?) throws(Problem) -> DispatchTimeInterval? {
        let seconds: Double
        switch json {
        case nil, .null?: return nil
        case .int(let number)?: seconds = Double(number)
        case .double(let number)?, .precise(_, nearest: let number)?: seconds = number
        case .some: seconds = -1
        }
        guard seconds >= 0, seconds <= maximumTimeout else {
            throw Problem(
                .subscriptionInvalid, "'timeout' is a number of seconds from 0 to \(Int(maximumTimeout)).",
                property: SubscriptionForm.Field.timeout)
        }
        return .milliseconds(Int(seconds * 1000))
    }
}
