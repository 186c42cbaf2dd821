extension EventLoop {
    /// Admits a new connection: closes it at once if its address has too many, and frees a slot for it if all are
    /// taken.
    func admit(_ connection: Connection) {
        if let quota = configuration.connectionQuota, let key = LimitKey(connection.remoteAddress) {
            connection.lease = quota.acquire(key)
            guard connection.lease != nil else {
                counters.crowdedConnectionCounter.move(by: 1)
                return connection.cut()
            }
        }
        if connectionsInUse > configuration.connectionShare { makeRoom(for: connection) }
    }

    /// The time that a new connection has for its first request before it counts as idle: some round trips and a
    /// handshake.
    private static let grace: Int64 = 1_000

    /// Closes idle connections to free slots, several at once so that the search costs each new connection little. If
    /// none is idle, the new connection gets a 503 instead of waiting.
    private func makeRoom(for newcomer: Connection) {
        var wanted = max(configuration.connectionShare / 64, 1)
        let idle = openConnections.filter { $0 !== newcomer && $0.phase == .awaiting && !$0.isLeaving }
        let ordered = idle.map { (rank: rank($0), connection: $0) }.sorted {
            ($0.rank, $0.connection.deadline) < ($1.rank, $1.connection.deadline)
        }
        for (_, connection) in ordered where wanted > 0 && !connection.hasUnreadBytes {
            counters.displacedConnectionCounter.move(by: 1)
            connection.cut()
            wanted -= 1
        }
        guard connectionsInUse > configuration.connectionShare else { return }
        counters.fullCounter.move(by: 1)
        newcomer.refuseForWantOfRoom(politely: leavingCount < configuration.connectionSlack / 2)
    }

    /// Ranks a connection for closing: first those that never sent a request in the time allowed, then those waiting
    /// for another request, longest first; last those that have just connected.
    private func rank(_ connection: Connection) -> Int {
        if connection.requestID != 0 { return 1 }
        return connection.deadline - Int64(configuration.firstRequestTimeout) + Self.grace <= now ? 0 : 2
    }
}

extension ServerConfiguration {
    /// The maximum number of connections of one loop, without event streams.
    var connectionShare: Int { max(connectionLimit / max(loops, 1), 1) }

    /// The number of further connections that one loop holds for a moment: those that get a 503, and closed ones that
    /// the library has not noticed yet.
    var connectionSlack: Int { max(connectionShare / 16, 2) }
}
