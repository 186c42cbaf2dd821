package import JSONCoding
package import QueryLanguage
package import StoreContract

/// How an answer of aggregates is written.
package struct AggregateForm: Hashable, Sendable {
    /// An aggregate, with its text from the client.
    package struct Part: Hashable, Sendable {
        package let function: AggregateRequest.Function
        /// The key path as written; `self` for the elements of a collection.
        package let name: String
        /// Whether its result can have any type, and is written with its type.
        package var isMixed: Bool

        package init(_ function: AggregateRequest.Function, _ name: String, isMixed: Bool = false) {
            self.function = function
            self.name = name
            self.isMixed = isMixed
        }
    }

    /// A key path that the objects are grouped by.
    package struct Key: Hashable, Sendable {
        package let name: String
        package let isMixed: Bool

        package init(_ name: String, isMixed: Bool) {
            self.name = name
            self.isMixed = isMixed
        }
    }

    /// In the order of the groups' results.
    package let parts: [Part]
    /// In the order of the groups' keys; empty if the result is not grouped.
    package let keys: [Key]
    package let style: TypeStyle

    package init(_ parts: [Part], by keys: [Key] = [], _ style: TypeStyle) {
        self.parts = parts
        self.keys = keys
        self.style = style
    }

    /// Writes the count and the results of a group as members of an object.
    package func members(of group: AggregateGroup, _ look: LinkResolver, _ json: JSONWriter) {
        json.name("count")
        json.int(group.count)
        for function in AggregateRequest.Function.allCases {
            let results = zip(parts, group.results).filter { $0.0.function == function }
            guard !results.isEmpty else { continue }
            json.name(function.rawValue)
            json.beginObject()
            for (part, value) in results {
                json.name(part.name)
                look.value(value, isMixed: part.isMixed, style, json)
            }
            json.endObject()
        }
    }

    /// Writes groups as an array of objects with their keys. Throws the errors of the resolver.
    package func array(_ groups: some Sequence<AggregateGroup>, _ look: LinkResolver, _ json: JSONWriter) throws {
        json.beginArray()
        for group in groups {
            json.beginObject()
            json.name("key")
            json.beginObject()
            for (key, value) in zip(keys, group.key) {
                json.name(key.name)
                look.value(value, isMixed: key.isMixed, style, json)
            }
            json.endObject()
            members(of: group, look, json)
            json.endObject()
            look.check(json)
            if let fault = look.fault { throw fault }
        }
        json.endArray()
    }

    /// The problem of an answer with too many groups.
    package static func tooMany(_ count: Int, limit: Int) -> Problem {
        Problem(
            .aggregateTooManyGroups,
            "There would be \(count) groups; at most \(limit) are allowed. Narrow the filter, group by less, "
                + "or ask for fewer with 'limit'.",
            parameter: "by")
    }
}

extension JSONWriter {
    /// Writes the member `others`.
    package func member(_ others: OtherGroups) {
        name("others")
        beginObject()
        name("groups")
        int(others.groups)
        name("count")
        int(others.count)
        endObject()
    }
}
