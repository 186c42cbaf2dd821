import StoreContract

/// What observers of one kind are told.
protocol LiveEventKind: Sendable {
    /// The last that an observer hears, when the observation cannot go on.
    static func failed(_ error: any Error) -> Self
}

extension LiveEvent: LiveEventKind {}
extension LiveSectionEvent: LiveEventKind {}
extension LiveCollectionEvent: LiveEventKind {}
extension LiveObjectEvent: LiveEventKind {}

/// The observers of a subject with the same key paths, who are told the same.
struct LiveAudience<Event: LiveEventKind, Memory> {
    let keyPaths: [LiveKeyPath]
    /// Nil when everything within reach counts, and of a single object its own stored properties.
    var filter: KeyPathFilter?
    var subscribers: [Subscriber<Event>] = []
    /// What the subject remembers of what they were told.
    var memory: Memory

    init(_ keyPaths: [LiveKeyPath], _ filter: KeyPathFilter?, _ memory: Memory) {
        self.keyPaths = keyPaths
        self.filter = filter
        self.memory = memory
    }

    func send(_ event: Event) {
        for subscriber in subscribers { subscriber.send(event) }
    }

    /// Sends a last event.
    func finish(_ event: Event) {
        for subscriber in subscribers { subscriber.finish(event) }
    }
}
