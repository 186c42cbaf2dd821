import HTTPServer
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

/// One client's stream of a collection's events.
final class CollectionSubscription: StreamSubscription {
    let stream: EventStream
    let rounds = ObservationRounds()
    private let gateway: Gateway
    private let key: ChannelKey
    /// The version that the client had seen before it reconnected.
    private let lastSeen: Version?

    private init(_ gateway: Gateway, _ key: ChannelKey, _ stream: EventStream, lastSeen: Version?) {
        self.gateway = gateway
        self.key = key
        self.stream = stream
        self.lastSeen = lastSeen
    }

    /// Sends events from now on until the stream ends.
    static func begin(_ gateway: Gateway, _ key: ChannelKey, _ stream: EventStream, lastSeen: Version?) {
        gateway.channels.join(key)
        CollectionSubscription(gateway, key, stream, lastSeen: lastSeen).begin()
    }

    func observe(round: Int) -> LiveToken {
        gateway.live.observe(key.query, keyPaths: key.keyPaths) { [weak self] event in
            self?.deliver(event, round: round)
        }
    }

    func didEnd() { gateway.channels.leave(key) }

    /// On the live queries' thread.
    private func deliver(_ event: LiveEvent, round: Int) {
        guard rounds.isCurrent(round), !rounds.isBehind else { return }
        do {
            switch event {
            case .initial(let snapshot, let keys), .resumed(let snapshot, let keys):
                if round == 1, lastSeen == snapshot.version { return }
                let limit = gateway.configuration.largestObserved
                guard keys.count <= limit else {
                    throw Problem(
                        400, "observe.too_large",
                        "\(keys.count) objects are too many to observe; give a 'limit' of at most \(limit), or a filter.",
                        parameter: "limit")
                }
                if let bytes = try gateway.channels.encoder(of: key)?.initial(snapshot, keys) { send(bytes) }
            case .update(let change):
                if let bytes = try gateway.channels.encoder(of: key)?.update(change) { send(bytes) }
            case .failed(let error):
                throw error
            }
        } catch {
            stream.finish(with: gateway.problem(of: error))
        }
    }
}
