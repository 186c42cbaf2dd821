import Basics
import HTTPMessages
package import HTTPServer
package import ObjectCoding
import ObjectModel
import RequestHandling
import WireProtocol

/// The query parameters of a request, checked against those of the resource.
package struct QueryParameters {
    /// In the order sent. They are few, so a linear search is fast.
    private let items: [QueryItem]

    /// Throws for a name that the resource does not have, and for a repeated one.
    ///
    /// - Parameters:
    ///   - single: the parameters that may be given once.
    ///   - repeatable: those that may be repeated.
    package init(_ request: Request, single: [String], repeatable: [String] = []) throws(Problem) {
        for (index, item) in request.query.enumerated() {
            let isRepeatable = repeatable.contains(item.name)
            let isPosition =
                ParameterName.lastEventIDs.contains(item.name) && single.contains(ParameterName.lastEventID)
            guard isRepeatable || isPosition || single.contains(item.name) else {
                guard item.name != ParameterName.snapshot else {
                    throw Problem(
                        .snapshotNotPossible,
                        request.method.isRead
                            ? "This has no use for a snapshot: it is always about the present. Leave 'snapshot' out."
                            : "A snapshot cannot be written to: writes are about the present. Leave 'snapshot' out.",
                        parameter: item.name)
                }
                let names = single + repeatable
                let possible =
                    names.isEmpty ? "This resource has no parameters." : "Use one of: \(names.joined(separator: ", "))."
                throw Problem(
                    .parameterUnknown, "There is no parameter '\(item.name)' here. \(possible)",
                    parameter: item.name, hint: names.nearest(to: item.name))
            }
            guard isRepeatable || !request.query[..<index].contains(where: { $0.name == item.name }) else {
                throw Problem(
                    .parameterRepeated, "The parameter '\(item.name)' is given more than once. Give it once.",
                    parameter: item.name)
            }
        }
        items = request.query
    }

    /// Creates parameters from another source, each given once.
    package init(_ values: [String: String]) { items = values.map { QueryItem(name: $0.key, value: $0.value) } }

    /// Returns only the parameters with these names.
    package func keeping(_ names: [String]) -> QueryParameters {
        QueryParameters(items.filter { names.contains($0.name) })
    }

    private init(_ items: [QueryItem]) { self.items = items }

    /// The value of a parameter; nil if it is not given.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    /// Returns all values of a repeatable parameter, in the order sent.
    package func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// Parses an integer within the range.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let words =
                range.upperBound == .max
                ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw Problem(
                .parameterInvalid, "'\(name)' must be a whole number \(words), not '\(text)'.", parameter: name)
        }
        return value
    }

    /// Parses `true` or `false`; a name without a value means true, an absent one false.
    package func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "", "true": return true
        case let other?:
            throw Problem(
                .parameterInvalid, "'\(name)' must be true or false, not '\(other)'.", parameter: name)
        }
    }

    /// Parses one of the type's words.
    package func choice<T: RawRepresentable & CaseIterable>(
        _ name: String, default standard: T
    ) throws(Problem) -> T where T.RawValue == String {
        guard let text = self[name] else { return standard }
        guard let value = T(rawValue: text) else {
            let words = T.allCases.map(\.rawValue)
            throw Problem(
                .parameterInvalid, "'\(name)' must be \(words.joined(separator: " or ")), not '\(text)'.",
                parameter: name, hint: words.nearest(to: text))
        }
        return value
    }
}
