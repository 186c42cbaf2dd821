import Dispatch
import JSONCoding
import ObjectModel

/// When a request for a subscription is answered.
enum SubscriptionWait: String, CaseIterable, Sendable {
    /// At once.
    case never
    /// After the first result was sent, if the request created or changed the subscription; else at once.
    case onCreation
    /// After everything committed before the request was sent.
    case always
}

/// The body of a request for a subscription.
struct SubscriptionRequest: Sendable {
    let query: SubscriptionQuery
    let wait: SubscriptionWait
    /// The maximum time to wait; nil for no limit.
    let timeout: DispatchTimeInterval?

    private static let longestTimeout = 3600.0

    /// Throws 400.
    init(_ body: JSONValue) throws(Problem) {
        guard case .object(let object) = body else {
            throw Problem(400, "subscription.invalid", "The body is an object with a 'class', not \(body.inWords).")
        }
        let names = ["class"] + SubscriptionQuery.names + ["waitForSync", "timeout"]
        for member in object.members where !names.contains(member.name) {
            let place =
                member.name == "name" ? " Its name stands in the path: PUT /v1/subscriptions/{set}/{name}." : ""
            throw Problem(
                400, "subscription.invalid",
                "A subscription has no '\(member.name)'.\(place) Possible are \(names.joined(separator: ", ")).",
                property: member.name, hint: names.nearest(to: member.name))
        }
        query = try SubscriptionQuery(object)
        wait = try Self.wait(object["waitForSync"])
        timeout = try Self.timeout(object["timeout"])
    }

    private static func wait(_ json: JSONValue?) throws(Problem) -> SubscriptionWait {
        switch json {
        case nil, .null?: return .onCreation
        case .string(let word)?:
            if let wait = SubscriptionWait(rawValue: word) { return wait }
            let words = SubscriptionWait.allCases.map(\.rawValue)
            throw Problem(
                400, "subscription.invalid", "'waitForSync' takes \(words.joined(separator: ", ")), not '\(word)'.",
                property: "waitForSync", hint: words.nearest(to: word))
        case let other?:
            throw Problem(
                400, "subscription.invalid", "'waitForSync' must be a string, not \(other.inWords).",
                property: "waitForSync")
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
        guard seconds >= 0, seconds <= longestTimeout else {
            throw Problem(
                400, "subscription.invalid", "'timeout' is a number of seconds from 0 to \(Int(longestTimeout)).",
                property: "timeout")
        }
        return .milliseconds(Int(seconds * 1000))
    }
}
