package import HTTPServer
package import ObjectModel

/// A receiver of a topic's events. Events arrive on the live queries' thread, one at a time.
package protocol TopicMember: AnyObject, Sendable {
    /// The caller for whose account the first event is encoded.
    var caller: LimitKey { get }

    /// The stream that receives all events unchanged, for sending to many streams at once.
    var plainStream: EventStream? { get }

    /// Whether it waits until earlier members have received something, so that it moves after them.
    var waitsForOthers: Bool { get }

    /// Receives an event. If there is no room for it, `fallBehind` follows, and no more events until it has joined
    /// again.
    func receive(_ event: EncodedEvent) -> EventStream.SendResult

    /// Receives the first event of its topic at an earlier version, from any thread. It then joins again from there and
    /// receives the later changes; if there is no room, `fallBehind` follows.
    func begin(with event: EncodedEvent) -> EventStream.SendResult

    /// A large event follows in parts, from any thread. Until the first part, the member is at this version.
    func willTakeParts(since version: Version?)

    /// Whether it has room for an event. If not, it continues once it has, as after `fallBehind`.
    func findsRoom() -> Bool

    /// Receives a part of a large event, from any thread. Until the last part it has no consistent version.
    func receive(part: EncodedEvent) -> EventStream.SendResult

    /// The rest of a large event is skipped from here on. Continue with it when there is room.
    func fallBehind(in delivery: Delivery)

    /// The member is up to date with this version, without having received an event.
    func isAt(_ version: Version)

    /// Events are skipped from here on. Join again from this version when there is room.
    func fallBehind(since version: Version?)

    /// The topic ends because its schema was replaced: parse the request again and begin again. From any thread.
    func restart()

    /// The topic's result costs too much where it is: go on at the caller's branch, from this version. On the live
    /// queries' thread.
    func move(since version: Version?)

    /// The observation has ended; nothing follows.
    func end(with ending: Ending)
}

extension TopicMember {
    package var waitsForOthers: Bool { false }
    package func begin(with event: EncodedEvent) -> EventStream.SendResult { receive(event) }
    package func receive(part: EncodedEvent) -> EventStream.SendResult { receive(part) }
    package func willTakeParts(since version: Version?) {}
    package func findsRoom() -> Bool { true }
    package func fallBehind(in delivery: Delivery) {}
}
