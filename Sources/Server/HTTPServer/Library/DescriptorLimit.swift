import Glibc

/// Raises this process's limit of open files to the maximum that the system allows, and returns it.
func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    if limit.rlim_cur < limit.rlim_max {
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
}

extension ServerConfiguration {
    /// Lowers the limits of connections and streams so that all of them and the files of the store can be open at once:
    /// streams then never exclude requests, and neither excludes the store's files.
    package mutating func fit(intoDescriptors limit: Int) {
        let others = min(256, limit / 4)
        connectionLimit = min(connectionLimit, max(limit / 5, 1))
        let slack = connectionSlack * max(loops, 1)
        streamLimit = min(streamLimit, max(limit - others - connectionLimit - slack, 0))
    }
}
