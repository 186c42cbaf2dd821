package import JSONCoding
package import ObjectModel

/// A parsed event of the stream of a subscription set.
package struct SetEvent: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The labels of all subscriptions of the set.
        case subscriptions([String])
        case initial(subscription: String, items: [JSONValue])
        case update(subscription: String, CollectionUpdate)
        case removed(subscription: String)
        case failed(subscription: String, ProblemForm)
        /// The stream has sent everything that was committed before the request with this token.
        case barrier(String)
        case closing
        /// An event that followers do not use, or that concerns no subscription.
        case other
    }

    package var content: Content
    /// The version that the event leads to; 0 for none.
    package var version: Version
    /// The last event id of the stream. Empty within an event that is sent in parts.
    package var position: String?
    /// Whether later events complete what it begins: a large event is sent in parts.
    package var isPart: Bool

    /// Throws if the data is not JSON.
    package init(_ event: ServerEvent) throws {
        let json = try JSONValue.parse(event.data)
        version = Version(UInt64(clamping: json.int(EventField.version) ?? 0))
        position = event.id
        isPart = json[EventField.part] == .bool(true)
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

    /// The version that all subscriptions have reached; nil for an event without a position.
    package var reached: Version? { position.flatMap { StreamPosition($0) }?.reached }
}

/// The difference between two versions of a collection of objects.
package struct CollectionUpdate: Equatable, Sendable {
    /// Positions before the change.
    package var deletions: [Int]
    /// Positions after the change.
    package var insertions: [Int]
    /// Positions before the change.
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
