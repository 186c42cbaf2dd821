import CLibpq

/// Collects the warnings of a connection's server. Used by the thread that uses the connection.
final class NoticeCollector {
    private(set) var warnings: [SQLState] = []

    /// Registers itself; must live as long as the connection.
    init(_ connection: OpaquePointer) {
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeCollector>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func clear() { warnings = [] }

    private func receive(_ result: OpaquePointer) {
        guard let severity = PQresultErrorField(result, Int32(RG_DIAG_SEVERITY)),
            String(cString: severity) == "WARNING",
            let code = PQresultErrorField(result, Int32(RG_DIAG_SQLSTATE))
        else { return }
        warnings.append(SQLState(String(cString: code)))
    }
}
