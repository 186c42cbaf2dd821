package import QueryLanguage

extension ClassRule {
    /// Parses a predicate without a schema. Throws errors that do not depend on the classes.
    package static func check(_ predicate: String) throws(QueryError) {
        let parsed = try QueryParser.parse(RuleText(predicate).text, dialect: .rql)
        guard parsed.steps.isEmpty else {
            throw QueryError(.invalid, "A rule is a predicate: leave SORT, DISTINCT and LIMIT out.", position: 0)
        }
    }
}
