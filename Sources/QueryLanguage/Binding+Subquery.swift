import ObjectModel

extension Binding {
    func subquery(_ parsed: ParsedSubquery) throws(QueryError) -> BoundSubquery {
        let variable = parsed.variable
        let variableRange = parsed.variableRange.value
        guard variable.hasPrefix("$"), variable.unicodeScalars.count > 1 else {
            throw source.error(
                .invalid,
                "The subquery variable '\(variable)' is invalid. The variable must start with '$' and cannot be empty; for example '$x'.",
                variableRange)
        }
        let path = try resolve(parsed.path)
        let range = wholeRange(parsed.path)
        guard case .path(let bound) = path.meaning, case .object(let target) = path.type,
            bound.links.last?.isToMany == true
        else {
            if path.isValueCollection {
                throw source.error(
                    .invalid, "A subquery can not operate on a list of primitive values (property '\(path.text)')",
                    range)
            }
            throw source.error(
                .invalid, "A subquery must operate on a list property, but '\(path.text)' is type '\(path.type.name)'",
                range)
        }
        guard !variables.contains(where: { $0.name == variable && $0.classID == target.id }) else {
            throw source.error(
                .invalid,
                "Unable to create a subquery expression with variable '\(variable)' since an identical variable already exists in this context",
                variableRange)
        }
        var inner = self
        inner.root = target
        inner.variables.append(Variable(name: variable, classID: target.id))
        return BoundSubquery(
            links: bound.links, classID: target.id, predicate: try inner.predicate(parsed.predicate))
    }
}
