import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract

/// Which groups of an aggregate a response has: all of them, the largest ones, or intervals of their keys.
enum GroupSelection: Sendable {
    case all
    /// At most this many groups, the largest first.
    case largest(Int)
    /// At most this many intervals of the values.
    case intervals(Int)

    static let parameters = ["top", "bins"]
    private static let limit = 500

    /// Throws 400 for parameters that do not fit each other or the key paths.
    ///
    /// - Parameters:
    ///   - groups: the key paths of `by`.
    ///   - hasFunctions: whether the request asks for more than counts.
    init(_ parameters: QueryParameters, groups: [NamedPath], hasFunctions: Bool) throws(Problem) {
        let top = try parameters.integer("top", in: 1...Self.limit)
        let bins = try parameters.integer("bins", in: 1...Self.limit)
        guard let name = top != nil ? "top" : bins != nil ? "bins" : nil else {
            self = .all
            return
        }
        guard !groups.isEmpty else {
            throw Problem(
                .parameterInvalid, "'\(name)' chooses among groups. Give 'by', the key path to group by.",
                parameter: name)
        }
        if let top {
            guard bins == nil else {
                throw Problem(.parameterInvalid, "Give either 'top' or 'bins', not both.", parameter: "bins")
            }
            self = .largest(top)
            return
        }
        guard let group = groups.first, groups.count == 1, Self.isMeasurable(group) else {
            throw Problem(
                .parameterInvalid, "'bins' divides numbers or dates: give 'by' one key path to them.",
                parameter: "bins")
        }
        guard !hasFunctions else {
            throw Problem(
                .parameterInvalid, "'bins' counts objects. Leave min, max, sum and average out.", parameter: "bins")
        }
        self = .intervals(bins ?? Self.limit)
    }

    private static func isMeasurable(_ group: NamedPath) -> Bool {
        guard !group.path.givesMixed else { return false }
        return switch group.path.valueType.base {
        case .int, .float, .double, .decimal128, .date: true
        default: false
        }
    }

    /// How many of the largest groups are listed; nil for all.
    var top: Int? {
        if case .largest(let most) = self { most } else { nil }
    }

    /// The groups that the response lists, and the sizes of those that it does not.
    func chosen(_ groups: [AggregateGroup]) -> (listed: [AggregateGroup], others: OtherGroups?) {
        guard let top else { return (groups, nil) }
        let (listed, others) = groups.largest(top)
        return (listed, others)
    }
}

extension JSONWriter {
    /// Writes the members `bins` and `others`. Values without a place on the scale count as others: nulls, NaN and
    /// infinities.
    ///
    func bins(_ found: ValueDistribution, _ type: BaseType, _ style: TypeStyle) {
        name("bins")
        beginArray()
        for (index, count) in found.counts.enumerated() {
            beginObject()
            name("from")
            bound(found.bounds[index], type, style)
            name("to")
            bound(found.bounds[index + 1], type, style)
            name("count")
            int(count)
            endObject()
        }
        endArray()
        member(OtherGroups(groups: found.others.count, count: found.otherCount))
    }

    /// Writes a bound in the form of the values that it bounds.
    private func bound(_ position: Double, _ type: BaseType, _ style: TypeStyle) {
        switch type {
        case .date: date(Timestamp(seconds: Int64(exactly: position.rounded()) ?? .max), style)
        case .decimal128:
            let whole = Int64(exactly: position).flatMap { Decimal128($0.description) }
            decimal(whole ?? Decimal128(shortest: position), style)
        case .int:
            if let whole = Int64(exactly: position) { int(whole) } else { double(position) }
        default: double(position)
        }
    }
}
