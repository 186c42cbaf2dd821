import FairScheduling
import JSONCoding
import ObjectCoding

extension WorkerPool {
    /// The pool for long reads, large bodies, and large first events of streams.
    convenience init(queriesOf configuration: GatewayConfiguration, _ memory: TextMemory) {
        self.init(
            count: configuration.workers, begun: max(configuration.workerThreads, configuration.workers),
            limit: configuration.workerQueue, perCaller: configuration.queriesPerCaller ?? .max,
            Names(
                limited: .queriesLimited, busy: .gatewayBusy, work: "long requests",
                remedy: "Wait for some of them to be answered before you send more.",
                setting: "limits.queriesPerCaller"), memory: memory)
    }

    /// The pool for requests that wait for a log and do little else.
    convenience init(recordsOf configuration: GatewayConfiguration) {
        self.init(
            count: 16, begun: 16, limit: configuration.workerQueue, perCaller: configuration.queriesPerCaller ?? .max,
            Names(
                limited: .queriesLimited, busy: .gatewayBusy, work: "requests for subscription sets",
                remedy: "Wait for some of them to be answered before you send more.",
                setting: "limits.queriesPerCaller"))
    }

    /// The pool for imports and backups, whose duration depends on the size of a file: their turns are longer.
    convenience init(transfersOf configuration: GatewayConfiguration) {
        self.init(
            count: configuration.transfers, begun: max(configuration.transfers * 8, 16),
            limit: configuration.transferQueue, perCaller: configuration.transfersPerCaller ?? .max,
            slice: 100_000_000,
            Names(
                limited: .transfersLimited, busy: .gatewayBusy, work: "imports, exports or backups",
                remedy: "Wait for one of them to end, or close its connection, before you begin another.",
                setting: "limits.transfersPerCaller"))
    }
}
