import ObjectModel
import QueryLanguage

/// Evaluates rules for a caller that lacks claims which the rule names: a comparison with a missing claim never grants
/// access. It counts as false, and under a NOT as true, so that the surrounding condition cannot become true because of
/// it.
///
/// If null were compared with the object's value instead, callers without a name could access objects without an owner.
/// Rules can test whether a claim exists: `$claims.team == NULL` and `$claims.team != NULL` have their plain meaning.
struct MissingClaims {
    /// Whether each argument stands for a missing claim, by number.
    let isMissing: [Bool]

    /// Returns the rule without arguments for missing claims.
    func read(_ predicate: ParsedPredicate) -> ParsedPredicate { read(predicate, denied: .constant(false)) }

    private func read(_ predicate: ParsedPredicate, denied: ParsedPredicate) -> ParsedPredicate {
        switch predicate {
        case .constant: predicate
        case .comparison(let comparison): read(comparison) ?? (names(comparison) ? denied : predicate)
        case .not(let inner): .not(read(inner, denied: denied == .constant(true) ? .constant(false) : .constant(true)))
        case .and(let parts): .and(parts.map { read($0, denied: denied) })
        case .or(let parts): .or(parts.map { read($0, denied: denied) })
        }
    }

    /// Evaluates a comparison that tests whether a claim exists; nil for others.
    private func read(_ comparison: ParsedComparison) -> ParsedPredicate? {
        guard case .comparison(let sign) = comparison.operator, sign == .equal || sign == .notEqual else { return nil }
        for (claim, other) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
            guard case .constant(.argument(let number)) = claim.kind, case .constant(.value(.null)) = other.kind,
                claim.quantifier == nil, other.quantifier == nil, isMissing.indices.contains(number)
            else { continue }
            return .constant(isMissing[number] == (sign == .equal))
        }
        return nil
    }

    // MARK: References to claims

    /// The recursion is as deep as the rule is nested, which the parser limits.
    private func names(_ predicate: ParsedPredicate) -> Bool {
        switch predicate {
        case .constant: false
        case .comparison(let comparison): names(comparison)
        case .not(let inner): names(inner)
        case .and(let parts), .or(let parts): parts.contains { names($0) }
        }
    }

    private func names(_ comparison: ParsedComparison) -> Bool { names(comparison.left) || names(comparison.right) }

    private func names(_ operand: ParsedOperand) -> Bool {
        switch operand.kind {
        case .constant(let constant): names(constant)
        case .list(let elements): elements.contains { names($0) }
        case .path(let path): names(path)
        case .subquery(let subquery): names(subquery.path) || names(subquery.predicate)
        case .arithmetic(let left, _, let right): names(left) || names(right)
        case .shape(let shape):
            switch shape.kind {
            case .circle(let center, let radius): names(center) || names(radius)
            case .box(let low, let high): names(low) || names(high)
            case .polygon(let rings): rings.contains { $0.contains { names($0) } }
            }
        }
    }

    private func names(_ position: ParsedShape.Position) -> Bool {
        names(position.longitude) || names(position.latitude)
    }

    private func names(_ path: ParsedPath) -> Bool {
        path.components.contains { component in
            switch component {
            case .argument(let number), .index(.argument(let number)), .index(.wordArgument(let number)): names(number)
            default: false
            }
        }
    }

    private func names(_ constant: ParsedConstant) -> Bool {
        if case .argument(let number) = constant { return names(number) }
        return false
    }

    private func names(_ number: Int) -> Bool { isMissing.indices.contains(number) && isMissing[number] }
}
