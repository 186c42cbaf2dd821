extension EmbeddedStore {
    /// What the file takes on the disk. Cost: a visit to the list of free pages.
    package func sizes() throws -> FileSizes {
        try throwIfClosed()
        do {
            return try file.current.sizes()
        } catch {
            throw file.storeError(error)
        }
    }

    /// The durable states from the oldest that somebody reads, in whichever process, to the newest: the space of what
    /// they no longer share cannot be used again yet. Versions that one commit made together count as one.
    package func activeVersions() throws -> Int {
        try throwIfClosed()
        return try file.current.environment.activeVersions
    }

    /// Rewrites the file without the space of earlier versions, and gives its length before and after. Readers go on
    /// meanwhile, those that hold a snapshot keep it; writes wait. Needs space for the copy, and nobody else may have
    /// the file open: `busy` otherwise. A crash leaves the old file or the new one.
    ///
    /// `progress` is told now and then how many bytes have been written, on any thread. Do not call this on the
    /// writer's thread.
    @discardableResult
    package func compact(
        progress: (@Sendable (_ writtenBytes: Int) -> Void)? = nil
    ) throws -> (before: Int, after: Int) {
        let sizes = try onWriter { file in
            let before = try file.current.environment.presence.fileSize
            try self.keepingNewest { try file.compact(progress: progress) }
            return [before, try file.current.environment.presence.fileSize]
        }
        forgetLatest()
        return (sizes[0], sizes[1])
    }

    /// Writes the newest version as a new, compacted file, while others read and write. The file has its final name
    /// only when all of it is on the disk. Throws `fileAccess` when the name is taken, `full`, `inputOutput`.
    ///
    /// `progress` is told now and then how many bytes have been written, on any thread. What it throws ends the copy.
    package func writeCopy(to path: String, progress: (@Sendable (_ writtenBytes: Int) throws -> Void)? = nil) throws {
        try throwIfClosed()
        try FileCopy(of: try file.current.environment, to: path).run(progress: progress)
    }
}
