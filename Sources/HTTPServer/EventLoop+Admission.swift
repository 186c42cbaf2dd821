extension EventLoop {
    /// Closes a new connection at once whose address has too many.
    func admit(_ connection: Connection) {
        guard let quota = configuration.connectionQuota, let key = LimitKey(connection.remoteAddress) else { return }
        connection.lease = quota.take(key)
        guard connection.lease == nil else { return }
        counters.crowdedConnectionCounter.move(by: 1)
        connection.cut()
    }
}
