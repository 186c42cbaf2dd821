import ObjectModel
import QueryLanguage

extension QueryBinder {
    func bindAggregate(
        _ function: AggregateRequest.Function, _ text: String, class objectClass: ClassSchema
    ) throws(QueryError) -> AggregateRequest {
        let path = try bindPath(text, class: objectClass)
        var type: PropertyType?
        if case .property(_, let end) = path.end { type = end }
        switch type?.base {
        case .int, .float, .double, .decimal128, .mixed: break
        case .date where function == .minimum || function == .maximum: break
        default: throw QueryError(.typeMismatch, "No such aggregate.", position: 0)
        }
        return AggregateRequest(function, path)
    }

    func bindGroup(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [BoundPath] {
        try bindDistinct(text, class: objectClass)
    }

    func bindSection(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> SectionKey {
        if let dot = text.lastIndex(of: "."),
            let function = SectionKey.Function(rawValue: String(text[text.index(after: dot)...]))
        {
            let path = try bindPath(String(text[..<dot]), class: objectClass)
            var base: BaseType?
            if case .property(_, let type) = path.end { base = type.base }
            guard function == .isNull || base == (function == .first ? .string : .date) else {
                throw QueryError(.invalid, "'\(text)' is for another type.", position: 0)
            }
            return SectionKey(path, function)
        }
        return SectionKey(try bindPath(text, class: objectClass))
    }
}
