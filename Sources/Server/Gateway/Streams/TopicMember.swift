import HTTPServer
import ObjectModel

/// One taker of a topic's events. Events come on the live queries' thread, one at a time.
protocol TopicMember: AnyObject, Sendable {
    /// On whose account what it begins with is made.
    var caller: LimitKey { get }

    /// The stream that all its events go to as they are, for those to be sent to many streams at once.
    var plainStream: EventStream? { get }

    /// Takes an event. When there is no room for it, `fallBehind` follows, and no more events until it has joined again.
    func take(_ event: EncodedEvent) -> EventStream.SendResult

    /// Takes what its topic began with at an earlier version, from any thread. It is about to join again from there, and
    /// what follows is told then; when there is no room, `fallBehind` follows.
    func begin(with event: EncodedEvent) -> EventStream.SendResult

    /// Whether it has room for an event. When it has not, it goes on once it has: with what it is told to by `fallBehind`.
    func findsRoom() -> Bool

    /// Takes a part of a large event, which others follow, from any thread. What it has been told until the last of them
    /// comes is of no version.
    func take(part: EncodedEvent) -> EventStream.SendResult

    /// The rest of a large event is left out from here on. It is to go on with it when there is room.
    func fallBehind(in delivery: Delivery)

    /// It has heard of everything up to this version, without having been sent anything.
    func isAt(_ version: Version)

    /// Events are left out from here on. It is to join again, from this version, when there is room.
    func fallBehind(since version: Version?)

    /// The topic ends, because its schema was replaced: what was asked for is to be read again, and to begin anew. From
    /// any thread.
    func beginAnew()

    /// Nothing follows: there is nothing to observe any more.
    func end(with ending: Ending)
}

extension TopicMember {
    func begin(with event: EncodedEvent) -> EventStream.SendResult { take(event) }
    func take(part: EncodedEvent) -> EventStream.SendResult { take(part) }
    func findsRoom() -> Bool { true }
    func fallBehind(in delivery: Delivery) {}
}
