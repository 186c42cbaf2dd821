import HTTPMessages
import Basics
package import HTTPServer
package import ObjectCoding

/// What a subscription observes if it is more than a query of a class: what follows `/v1/observe/` in the URL of the
/// stream, with its parameters.
package struct ObservedPath: Sendable {
    /// What streams can show.
    package enum Kind: String, CaseIterable, Sendable {
        case objects
        case sections
        case aggregates
        case values
        case index
    }

    package let kind: Kind
    /// The class; behind it the key of an object, a property and further steps, if there are some.
    package let segments: [String]
    /// The request that would open the stream.
    package let request: Request

    /// The name of the class.
    package var className: String { segments[0] }

    /// The streams of these kinds have one more segment, as the reads have.
    private static let withObjects: Set<Kind> = [.aggregates, .values, .index]

    /// Throws 400 for a text that is not the path of a stream. What it names is not looked for.
    package init(_ text: String) throws(Problem) {
        do {
            request = try Request(.get, "/v1/observe/" + text)
        } catch {
            throw Self.invalid("'path' is not the end of a URL: encode what is not a letter or digit in its parts.")
        }
        var segments = request.segments.dropFirst(2)
        guard let word = segments.popFirst(), let kind = Kind(rawValue: word) else {
            let words = Kind.allCases.map(\.rawValue)
            throw Self.invalid(
                "'path' begins as the streams at /v1/observe/ do: with \(words.joined(separator: ", ")).",
                hint: request.segments.count > 2 ? words.nearest(to: request.segments[2]) : nil)
        }
        if Self.withObjects.contains(kind), segments.popFirst() != "objects" {
            throw Self.invalid("'path' continues with a class: \(kind.rawValue)/objects/{class}.")
        }
        guard !segments.isEmpty, kind == .objects || segments.count != 2 else {
            let beginning = Self.withObjects.contains(kind) ? "\(kind.rawValue)/objects" : kind.rawValue
            throw Self.invalid(
                "'path' names a class, or what an object holds: \(beginning)/{class}, \(beginning)/{class}/{key}/{property}."
            )
        }
        self.kind = kind
        self.segments = Array(segments)
    }

    private static func invalid(_ detail: String, hint: String? = nil) -> Problem {
        Problem(.subscriptionInvalid, detail, property: SubscriptionQuery.pathName, hint: hint)
    }
}
