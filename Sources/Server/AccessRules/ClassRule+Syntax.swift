package import QueryLanguage

extension ClassRule {
    /// Reads a predicate without knowing the schema. Throws what is wrong with it whatever the classes are.
    package static func check(_ predicate: String) throws(QueryError) {
        let parsed = try QueryParser.parse(RuleText(predicate).text, dialect: .rql)
        guard parsed.steps.isEmpty else {
            throw QueryError(.invalid, "A rule is a predicate: leave SORT, DISTINCT and LIMIT out.", position: 0)
        }
    }
}
