package import JSONCoding
package import ObjectModel

/// An event of the stream of a subscription set, read.
package struct SetEvent: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The names, or ids, of all subscriptions that there are.
        case subscriptions([String])
        case initial(subscription: String, items: [JSONValue])
        case update(subscription: String, CollectionUpdate)
        case removed(subscription: String)
        case failed(subscription: String, ProblemForm)
        /// Everything that was committed before this was asked for has been told.
        case barrier(String)
        case closing
        /// One that followers know nothing of, or that is about no subscription.
        case other
    }

    package var content: Content
    /// 0 for an event that leads to no version.
    package var version: Version
    /// The id of the event: the last one as it was sent, empty within an event that comes in parts.
    package var position: String?

    /// Throws for data that is no JSON.
    package init(_ event: ServerEvent) throws {
        let json = try JSONValue.parse(event.data)
        version = Version(UInt64(clamping: json.int(EventField.version) ?? 0))
        position = event.id
        content = Self.content(EventKind(rawValue: event.name), json)
    }

    private static func content(_ kind: EventKind?, _ json: JSONValue) -> Content {
        switch kind {
        case .subscriptions:
            return .subscriptions(
                json.array(EventField.subscriptions).compactMap { label in
                    if case .string(let text) = label { text } else { nil as String? }
                })
        case .barrier: return json.text(EventField.token).map { .barrier($0) } ?? .other
        case .closing: return .closing
        default: break
        }
        guard let subscription = json.text(EventField.subscription) else { return .other }
        switch kind {
        case .initial: return .initial(subscription: subscription, items: json.array(EventField.items))
        case .update: return .update(subscription: subscription, CollectionUpdate(json))
        case .removed: return .removed(subscription: subscription)
        case .error: return .failed(subscription: subscription, ProblemForm(json))
        default: return .other
        }
    }

    /// The version that all subscriptions have been told up to; nil for an event without a position.
    package var reached: Version? { position.flatMap { StreamPosition($0) }?.reached }
}

/// What became different of a collection of objects.
package struct CollectionUpdate: Equatable, Sendable {
    /// Positions before.
    package var deletions: [Int]
    /// Positions after.
    package var insertions: [Int]
    /// Positions before.
    package var modifications: [Int]
    /// The objects at `insertions`.
    package var inserted: [JSONValue]
    /// The objects at `modifications`.
    package var modified: [JSONValue]

    package init(
        deletions: [Int], insertions: [Int], modifications: [Int], inserted: [JSONValue], modified: [JSONValue]
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.inserted = inserted
        self.modified = modified
    }

    init(_ json: JSONValue) {
        func positions(_ name: String) -> [Int] {
            json.array(name).compactMap { position in
                if case .int(let number) = position { Int(number) } else { nil as Int? }
            }
        }
        let objects = json[EventField.objects]
        self.init(
            deletions: positions(EventField.deletions), insertions: positions(EventField.insertions),
            modifications: positions(EventField.modifications),
            inserted: objects?.array(EventField.insertions) ?? [],
            modified: objects?.array(EventField.modifications) ?? [])
    }
}
