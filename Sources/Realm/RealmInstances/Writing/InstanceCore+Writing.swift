import ObjectModel
import Promises
import StoreContract

extension InstanceCore {
    /// Waits for the writer, moves to the latest version, and notifies the observers of the difference. Observers that
    /// have not been called yet are not called from here.
    ///
    /// - Parameter opened: called before the observers are, when the write is open.
    func beginWrite(opened: () throws -> Void) throws {
        guard write == nil else { throw InstanceError.nestedWrite }
        finishCommit(waiting: true)
        // A write that has been requested asynchronously is used for this one: only the scheduler's thread, which is
        // this one, could pick it up.
        if let arrival = asyncWrites.takeArrival() {
            try begin(with: arrival.wait().get(), opened)
        } else {
            try begin(with: store.beginWrite(), opened)
        }
    }

    func begin(with write: PendingWrite, _ opened: () throws -> Void) throws {
        write.adopt()
        self.write = write
        do {
            // The version that the write starts from: nothing newer can appear while it is open.
            let hasMoved = try moveToNewest()
            try opened()
            if hasMoved, movedOn { ring(.didChange) }
        } catch {
            try? cancelWrite()
            throw error
        }
        callObservers(newBefore: nil)
    }

    func transaction() throws -> any WriteTransaction {
        guard let write else { throw InstanceError.notWriting }
        return try write.transaction
    }

    /// Commits the write to the disk and moves to its version. Realm-level observers are called before this returns,
    /// others in a later turn; those of the tokens are not notified of this commit. Throws the store's error; the
    /// write has ended then, too.
    func commitWrite(withoutNotifying muted: Set<Int>) throws {
        guard let write else { throw InstanceError.nothingToCommit }
        let version = try write.transaction.version
        inbox.expect(version)
        self.write = nil
        defer {
            requestAsyncWrite()
            inbox.wake()
        }
        do {
            try write.commit()
        } catch {
            _ = inbox.takeExpected()
            throw error
        }
        try move(to: inbox.takeExpected() ?? store.snapshot())
        history.markOwn(version)
        // If the version itself is not available, notifying too often does less harm than missing the commits of
        // others.
        if current?.version == version { skip(muted) }
        ring(.didChange, except: muted)
    }

    func cancelWrite() throws {
        guard let write else { throw InstanceError.nothingToCancel }
        self.write = nil
        write.cancel()
        requestAsyncWrite()
        inbox.wake()
    }
}
