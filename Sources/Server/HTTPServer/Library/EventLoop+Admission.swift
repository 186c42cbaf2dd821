extension EventLoop {
    /// Lets a new connection in: closes it at once where its address has too many, and makes room for it where all places
    /// are taken.
    func admit(_ connection: Connection) {
        if let quota = configuration.connectionQuota, let key = LimitKey(connection.remoteAddress) {
            connection.lease = quota.take(key)
            guard connection.lease != nil else {
                counters.crowdedConnectionCounter.move(by: 1)
                return connection.cut()
            }
        }
        if placesTaken > configuration.connectionShare { makeRoom(for: connection) }
    }

    /// How long a new connection has to send its first request before it counts as idle: some round trips and a handshake.
    private static let grace: Int64 = 1_000

    /// Idle connections give up their places, some at once so that looking for them costs each newcomer little. Where
    /// none is idle the newcomer is told to come again, and not left to wait.
    private func makeRoom(for newcomer: Connection) {
        var wanted = max(configuration.connectionShare / 64, 1)
        let idle = openConnections.filter { $0 !== newcomer && $0.phase == .awaiting && !$0.isLeaving }
        let ordered = idle.map { (rank: rank($0), connection: $0) }.sorted {
            ($0.rank, $0.connection.deadline) < ($1.rank, $1.connection.deadline)
        }
        for (_, connection) in ordered where wanted > 0 && !connection.hasUnreadBytes {
            connection.cut()
            counters.displacedConnectionCounter.move(by: 1)
            wanted -= 1
        }
        guard placesTaken > configuration.connectionShare else { return }
        counters.fullCounter.move(by: 1)
        newcomer.refuseForWantOfRoom(politely: leavingCount < configuration.connectionSlack / 2)
    }

    /// Who goes first: those that had time enough and never asked anything, then those that wait for another request, the
    /// ones that have waited longest before the others; then those that have just come.
    private func rank(_ connection: Connection) -> Int {
        if connection.requestID != 0 { return 1 }
        return connection.deadline - Int64(configuration.firstRequestTimeout) + Self.grace <= now ? 0 : 2
    }
}

extension ServerConfiguration {
    /// Connections of one loop, event streams not counted.
    var connectionShare: Int { max(connectionLimit / max(loops, 1), 1) }

    /// More of them that one loop holds for a moment: those that are told that there is no room, and those that were cut
    /// and that the library has not noticed yet.
    var connectionSlack: Int { max(connectionShare / 16, 2) }
}
