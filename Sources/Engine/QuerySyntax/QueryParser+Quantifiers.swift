import ObjectModel

extension QueryParser {
    /// The quantifier at the current token, if it is one.
    func quantifier() -> Quantifier? {
        let quantifier: Quantifier
        switch current.keyword {
        case .some(.any): quantifier = .any
        case .some(.all): quantifier = .all
        case .some(.none): quantifier = .none
        default: return nil
        }
        return isFollowedByOperand ? quantifier : nil
    }

    /// Whether an operand follows the word at the current token, which may be a quantifier. Otherwise the word is a
    /// property name, as in `any == 3` and `any.@type == 'int'`.
    private var isFollowedByOperand: Bool {
        switch following.kind {
        case .comparison, .symbol, .modifier, .end: return false
        case .punctuation(let sign): return sign == "{" || sign == "("
        default: break
        }
        guard operatorMayFollow else { return startsOperand(index + 1) }
        guard parsedOperator(following) != nil else { return following.keyword?.isJunction != true }
        // `any IN x` or `ANY in == x`: the next word is the operator, or a property with the name of one.
        let next = tokens[min(index + 2, tokens.count - 1)]
        switch next.kind {
        case .comparison, .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .punctuation("."), .punctuation("["):
            return true
        default: break
        }
        guard parsedOperator(next) != nil else { return false }
        // `any IN in` or `ANY in IN x`: as the operator, the second word has an operand after it.
        if case .modifier = tokens[min(index + 3, tokens.count - 1)].kind { return true }
        return startsOperand(index + 3)
    }

    /// Whether an operand begins at the token with that number, where an operand or the end of a comparison is
    /// expected.
    private func startsOperand(_ number: Int) -> Bool {
        let token = tokens[min(number, tokens.count - 1)]
        switch token.kind {
        case .comparison, .symbol, .modifier, .end: return false
        case .punctuation(let sign): return sign == "{" || sign == "("
        default: break
        }
        switch token.keyword {
        case .sort, .distinct, .limit: return tokens[min(number + 1, tokens.count - 1)].kind != .punctuation("(")
        default: return token.keyword?.isJunction != true
        }
    }

    func takesQuantifier(_ kind: ParsedOperand.Kind) -> Bool {
        switch kind {
        case .list, .constant(.argument): true
        case .path(let path): !path.isAggregate
        case .constant, .subquery, .arithmetic, .shape: false
        }
    }

    func misplacedQuantifier(_ range: SourceRange) -> QueryError {
        source.error(
            .syntax,
            "ANY, SOME, ALL and NONE must precede a path, a list or an argument, not a single value.", range)
    }
}
