package import ObjectModel

/// A bound query of a filter whose literals may have other values: what `LiteralSplit.text` means, with a parameter
/// for each of `LiteralSplit.literals`.
///
/// It is made of one filter and its query, and only where binding cannot depend on the values: each literal is the
/// right side of a comparison with values of one type, which is not changed by it. Filled with the literals of another
/// filter with the same text, it is the query that the binder makes of that filter.
package struct QueryTemplate: Sendable {
    /// How a literal becomes a constant.
    fileprivate enum Parameter {
        /// As it is.
        case same
        /// An int that is compared with doubles.
        case double
    }

    private let query: BoundQuery
    private let parameters: [Parameter]

    /// Returns nil where the query may depend on the literals in other ways, and where two of them are equal, so that
    /// it is not evident which is which.
    ///
    /// - Parameter query: what the binder made of the filter with these literals.
    package init?(_ query: BoundQuery, of literals: [Value]) {
        guard Set(literals).count == literals.count else { return nil }
        var parameters: [Parameter] = []
        guard Self.collect(query.predicate, literals, &parameters), parameters.count == literals.count else {
            return nil
        }
        self.query = query
        self.parameters = parameters
    }

    /// The query with these literals, which have the same kinds as the first ones; nil where one of them would be
    /// adapted in another way.
    package func query(with literals: [Value]) -> BoundQuery? {
        guard literals.count == parameters.count else { return nil }
        var index = 0
        guard let predicate = filled(query.predicate, literals, &index) else { return nil }
        var filled = query
        filled.predicate = predicate
        return filled
    }

    /// Adds a parameter for each of the predicate's constants; returns false for one that cannot become a parameter.
    private static func collect(_ predicate: BoundPredicate, _ literals: [Value], _ parameters: inout [Parameter])
        -> Bool
    {
        switch predicate {
        case .constant: return true
        case .not(let inner): return collect(inner, literals, &parameters)
        case .and(let parts), .or(let parts): return parts.allSatisfy { collect($0, literals, &parameters) }
        case .comparison(let comparison):
            guard case .path(let path) = comparison.left, case .constant(let constant) = comparison.right else {
                return isWithoutConstants(comparison.left) && isWithoutConstants(comparison.right)
            }
            guard parameters.count < literals.count, !comparison.isElementwise,
                let parameter = parameter(of: literals[parameters.count], as: constant, against: path)
            else { return false }
            parameters.append(parameter)
            return true
        case .between, .fullText, .geoWithin: return false
        }
    }

    private static func isWithoutConstants(_ operand: BoundOperand) -> Bool {
        guard case .path(let path) = operand else { return false }
        return path.isPlain
    }

    private static func parameter(of literal: Value, as constant: Value, against path: BoundPath) -> Parameter? {
        guard path.isPlain else { return nil }
        let base: BaseType
        switch path.end {
        case .property(_, let type) where type.collection == .single: base = type.base
        case .count: base = .int
        case .property, .object: return nil
        }
        switch (base, literal) {
        case (.string, .string), (.int, .int), (.double, .double): return literal == constant ? .same : nil
        case (.double, .int): return Parameter.double.constant(literal) == constant ? .double : nil
        default: return nil
        }
    }

    private func filled(_ predicate: BoundPredicate, _ literals: [Value], _ index: inout Int) -> BoundPredicate? {
        switch predicate {
        case .not(let inner): return filled(inner, literals, &index).map { .not($0) }
        case .and(let parts): return filled(parts, literals, &index).map { .and($0) }
        case .or(let parts): return filled(parts, literals, &index).map { .or($0) }
        case .comparison(var comparison):
            guard case .constant = comparison.right else { return predicate }
            guard let constant = parameters[index].constant(literals[index]) else { return nil }
            index += 1
            comparison.right = .constant(constant)
            return .comparison(comparison)
        case .constant, .between, .fullText, .geoWithin: return predicate
        }
    }

    private func filled(_ parts: [BoundPredicate], _ literals: [Value], _ index: inout Int) -> [BoundPredicate]? {
        var filled: [BoundPredicate] = []
        filled.reserveCapacity(parts.count)
        for part in parts {
            guard let part = self.filled(part, literals, &index) else { return nil }
            filled.append(part)
        }
        return filled
    }
}

extension QueryTemplate.Parameter {
    fileprivate func constant(_ literal: Value) -> Value? {
        switch self {
        case .same: return literal
        case .double:
            // The binder leaves an int that no double represents as it is.
            guard case .int(let number) = literal else { return nil }
            return Double(exactly: number).map { .double($0) }
        }
    }
}

extension BoundPath {
    /// Whether it leads to a stored value through plain links: no part of it has a constant.
    fileprivate var isPlain: Bool {
        steps.isEmpty
            && links.allSatisfy { link in
                switch link {
                case .forward, .backward, .elements(_, _, .all): true
                case .elements, .rowSecurity: false
                }
            }
    }
}
