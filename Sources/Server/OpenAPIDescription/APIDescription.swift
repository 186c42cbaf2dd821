import Basics
package import HTTPMessages
package import JSONCoding
package import ObjectModel
import Synchronization

/// The authentication in the API description.
package struct DescriptionSecurity: Hashable {
    /// Whether callers must authenticate.
    var isOn: Bool
    /// Whether callers without a credential have any permissions.
    var takesAnonymous: Bool

    package init(isOn: Bool, takesAnonymous: Bool) {
        self.isOn = isOn
        self.takesAnonymous = takesAnonymous
    }

    static let off = DescriptionSecurity(isOn: false, takesAnonymous: true)

    static let member = "security"
    /// The status codes that only a gateway with access control sends.
    static let statuses: Set<String> = ["401", "403"]

    /// The default requirements of operations; nil if nothing is required.
    var requirements: JSONValue? {
        guard isOn else { return nil }
        let schemes: [JSONValue] = [["bearer": []], ["apiKey": []]]
        return .array(takesAnonymous ? schemes + [[:]] : schemes)
    }
}

/// The OpenAPI description, completed for the schema that a caller sees.
package final class APIDescription: Sendable {
    /// A rendered document.
    package struct Rendering: Sendable {
        package let content: SharedBytes
        /// The hash of the bytes.
        package let fingerprint: UInt64
    }

    private struct Entry: Sendable {
        let schema: Schema
        let security: DescriptionSecurity
        /// Nil if it has more bytes than the limit.
        let rendering: Rendering?
        let limit: Int
    }

    private let document: JSONValue
    /// The latest renderings, most recently used first: schemas change, and callers see different parts of them.
    private let entries = Mutex<[Entry]>([])

    private static let maximumEntries = 16
    /// The bytes of the kept renderings together, except for the latest.
    private static let maximumBytes = 32 << 20

    /// - Parameter document: the description that is independent of the schema.
    package init(_ document: JSONValue) { self.document = document }

    /// Cost: for the first call with a schema, some milliseconds for each hundred properties; for others a comparison
    /// of schemas.
    ///
    /// - Parameter limit: the maximum number of bytes. Returns nil if it has more.
    package func rendering(of schema: Schema, _ security: DescriptionSecurity, limit: Int = .max) -> Rendering? {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: {
                $0.security == security && $0.schema == schema && $0.limit == limit
            }) {
                let entry = entries.remove(at: index)
                entries.insert(entry, at: 0)
                return entry.rendering
            }
            var builder = DescriptionBuilder(document, schema: schema, security: security)
            let json = JSONWriter(capacity: 1 << 18)
            let isWhole = (try? builder.write(into: json, limit: limit)) != nil
            let rendering =
                isWhole
                ? json.withBytes { Rendering(content: SharedBytes($0), fingerprint: FNV1a.hash($0)) } : nil
            entries.insert(Entry(schema: schema, security: security, rendering: rendering, limit: limit), at: 0)
            var bytes = entries.reduce(0) { $0 + ($1.rendering?.content.count ?? 0) }
            while entries.count > 1, entries.count > Self.maximumEntries || bytes > Self.maximumBytes {
                bytes -= entries.removeLast().rendering?.content.count ?? 0
            }
            return rendering
        }
    }
}
