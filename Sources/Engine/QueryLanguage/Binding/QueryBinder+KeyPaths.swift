package import QuerySyntax
package import ObjectModel

// Key paths on their own, as requests give them. Each gives exactly one value per object, which is neither an object
// nor a collection.
extension QueryBinder {
    /// Binds sort keys in the syntax of requests: `breed,-weight,owner.name`.
    package func bindSort(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [SortKey] {
        var keys: [SortKey] = []
        for part in Self.keyPathTexts(text) {
            let isDescending = part.text.hasPrefix("-")
            let name = isDescending || part.text.hasPrefix("+") ? String(part.text.dropFirst()) : part.text
            if let order = name.split(separator: " ").last, Self.orders.contains(order.lowercased()), order != name,
                !name.contains("\\")
            {
                let path = name.dropLast(order.count).filter { $0 != " " }
                let hint = order.lowercased().hasPrefix("d") ? "-\(path)" : path
                throw QueryError(
                    .syntax, "The direction is a sign before the key path, '-' for descending. Write \(hint.clipped).",
                    position: part.offset, length: part.text.unicodeScalars.count, hint: hint.clipped)
            }
            let path = try bindValuePath(
                name, offset: part.offset + part.text.unicodeScalars.count - name.unicodeScalars.count, objectClass,
                clause: .sortKey)
            keys.append(SortKey(path, ascending: !isDescending))
        }
        return keys
    }

    private static let orders = ["asc", "ascending", "desc", "descending"]

    /// Binds the key paths of a distinct in the syntax of requests: `breed,owner.name`.
    package func bindDistinct(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [BoundPath] {
        try bindValuePaths(text, objectClass, clause: .distinctKey)
    }

    /// Binds the key paths that a result is grouped by, in the syntax of requests: `breed,owner.city`.
    package func bindGroup(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [BoundPath] {
        try bindValuePaths(text, objectClass, clause: .group)
    }

    /// Binds a key path to sort by, without a sign.
    package func bindSortKey(
        _ path: String, ascending: Bool, class objectClass: ClassSchema
    ) throws(QueryError) -> SortKey {
        SortKey(try bindValuePath(path, offset: 0, objectClass, clause: .sortKey), ascending: ascending)
    }

    /// Binds a key path of a distinct.
    package func bindDistinctKey(_ path: String, class objectClass: ClassSchema) throws(QueryError) -> BoundPath {
        try bindValuePath(path, offset: 0, objectClass, clause: .distinctKey)
    }

    /// Binds a key path that gives one value per object.
    package func bindPath(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> BoundPath {
        try bindValuePath(text, offset: 0, objectClass, clause: .aggregate)
    }

    private func bindValuePaths(
        _ text: String, _ objectClass: ClassSchema, clause: PathClause
    ) throws(QueryError) -> [BoundPath] {
        var paths: [BoundPath] = []
        for part in Self.keyPathTexts(text) {
            paths.append(try bindValuePath(part.text, offset: part.offset, objectClass, clause: clause))
        }
        return paths
    }

    private func bindValuePath(
        _ text: String, offset: Int, _ objectClass: ClassSchema, clause: PathClause
    ) throws(QueryError) -> BoundPath {
        guard !text.isEmpty else {
            throw QueryError(.syntax, "\(clause.refusal(of: "")): missing property name.", position: offset)
        }
        do throws(QueryError) {
            let (path, source) = try QueryParser.parsePath(text)
            return try self.binding(objectClass, source).valuePath(path, clause: clause)
        } catch {
            var shifted = error
            shifted.position += offset
            throw shifted
        }
    }

    /// The key paths in the text of a request: the parts between commas, trimmed, with their offsets in scalars. A
    /// comma inside quotes belongs to a map's key. Never empty. Cost: a pass over the text, without parsing the paths.
    package static func keyPathTexts(_ text: String) -> [(text: String, offset: Int)] {
        var parts: [(text: String, offset: Int)] = []
        var part = String.UnicodeScalarView()
        var start = 0
        var quote: Unicode.Scalar?
        var isEscaped = false
        func finish() {
            let leading = part.prefix { $0 == " " }.count
            var trimmed = String(String.UnicodeScalarView(part.dropFirst(leading)))
            while trimmed.hasSuffix(" ") { trimmed.removeLast() }
            parts.append((trimmed, start + leading))
        }
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if scalar == ",", quote == nil {
                finish()
                part = String.UnicodeScalarView()
                start = index + 1
                continue
            }
            part.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
            }
        }
        finish()
        return parts
    }

    // MARK: Sections

    /// Binds a key path with an optional function after it: `breed`, `breed.first`, `born.year`. A property of that
    /// name of a linked class has precedence over the function.
    package func bindSection(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> SectionKey {
        let (path, source) = try QueryParser.parsePath(text)
        let binding = self.binding(objectClass, source)
        guard case .name(let name)? = path.components.last, let value = valueBefore(path, binding) else {
            return SectionKey(try binding.valuePath(path, clause: .section))
        }
        let type = value.valueType
        let suitable = SectionKey.Function.allCases.filter { $0.suits(type.base) }.map(\.rawValue)
        guard let function = SectionKey.Function(rawValue: name), function.suits(type.base) else {
            // Inside a mixed value it is a key, as everywhere else.
            if type.base == .mixed { return SectionKey(try binding.valuePath(path, clause: .section)) }
            let range = path.ranges.value[path.ranges.value.count - 1]
            throw source.error(
                .invalid,
                "'\(name.clipped)' does not support sections by values of type '\(type.base.queryName)'. Supported are: \(suitable.joined(separator: ", ")).",
                range, hint: suitable.hint(for: name), expected: suitable)
        }
        return SectionKey(value, function)
    }

    /// The path without its last component, if that is a complete path.
    private func valueBefore(_ path: ParsedPath, _ binding: Binding) -> BoundPath? {
        guard path.components.count > 1 else { return nil }
        let shorter = ParsedPath(
            components: Array(path.components.dropLast()), ranges: Uncompared(Array(path.ranges.value.dropLast())))
        return try? binding.valuePath(shorter, clause: .section)
    }

    // MARK: Aggregates

    /// Binds the aggregate of a property; see `AggregateRequest`.
    package func bindAggregate(
        _ function: AggregateRequest.Function, _ text: String, class objectClass: ClassSchema
    ) throws(QueryError) -> AggregateRequest {
        let (parsed, source) = try QueryParser.parsePath(text)
        let binding = self.binding(objectClass, source)
        let range = binding.wholeRange(parsed)
        let resolved: ResolvedPath
        do throws(QueryError) {
            resolved = try binding.resolve(parsed)
        } catch {
            var named = error
            if error.code == .unknownProperty { named.message = "Invalid property name: \(error.message)" }
            throw named
        }
        if let property = resolved.property {
            let type = property.schema.type
            // After `@count` and similar operations the property's type is irrelevant.
            let isPlain = resolved.bound.map { $0.steps.isEmpty || resolved.isValueCollection } ?? false
            if isPlain, type.isCollection || !type.supports(function) {
                throw source.error(
                    .invalid,
                    "Operation '\(function.rawValue)' not supported for \(type.kindInWords) '\(property.owner.name).\(property.schema.name)'",
                    range)
            }
        }
        let path = try binding.valuePath(parsed, clause: .aggregate)
        guard path.valueType.supports(function) else {
            throw source.error(
                .invalid,
                "Operation '\(function.rawValue)' not supported for values of type '\(path.valueType.base.queryName)'",
                range)
        }
        return AggregateRequest(function, path, isChecked: checksSums)
    }
}

extension SectionKey.Function {
    /// Whether the function applies to values of the type.
    fileprivate func suits(_ base: BaseType) -> Bool {
        switch self {
        case .first: base == .string
        case .year, .month, .day, .hour, .weekday: base == .date
        case .isNull: true
        }
    }
}

extension PropertyType {
    /// The property's kind for errors: `int? property`, `int list`.
    package var kindInWords: String {
        let kind =
            switch collection {
            case .single: "property"
            case .list: "list"
            case .set: "set"
            case .map: "dictionary"
            }
        return base.name + (isOptional ? "? " : " ") + kind
    }
}
