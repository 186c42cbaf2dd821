import ObjectModel
import QuerySyntax
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
    func read(_ predicate: ParsedPredicate) -> ParsedPredicate {
        predicate.mappingComparisons { comparison, isNegated in
            if let answer = read(comparison) { return answer }
            let names = comparison.containsArgument { isMissing.indices.contains($0) && isMissing[$0] }
            return names ? .constant(isNegated) : .comparison(comparison)
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
}
