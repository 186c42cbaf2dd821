import ObjectModel
import Promises
import StoreContract

/// Asynchronous writes of an instance: the requested ones, and the commit in progress.
struct AsyncWrites {
    /// Blocks to call with an open write, in their order.
    fileprivate var requests: [AsyncRequest] = []
    fileprivate var lastNumber = 0
    /// The write requested from the store: one at a time.
    fileprivate var arrival: Promise<Result<PendingWrite, any Error>>?
    fileprivate var commit: Commit?
    /// Completions of finished commits.
    fileprivate var ended: [() -> Void] = []
    /// The realm-level observers that are not notified of a commit that a read has waited for; the others are notified
    /// in the next turn. Nil if there is no such commit.
    fileprivate var untold: Set<Int>?
    /// Whether a block that was given a write is running.
    fileprivate var isServing = false

    fileprivate struct Commit {
        let version: Version
        let end: Promise<Result<Version, any Error>>
        let muted: Set<Int>
        let completion: ((any Error)?) -> Void
    }

    var isIdle: Bool { requests.isEmpty && commit == nil && ended.isEmpty && !isServing }

    mutating func takeArrival() -> Promise<Result<PendingWrite, any Error>>? {
        defer { arrival = nil }
        return arrival
    }

    mutating func remove(_ number: Int) -> Bool {
        let count = requests.count
        requests.removeAll { $0.number == number }
        return requests.count < count
    }
}

/// A block that waits for a write.
struct AsyncRequest {
    var number = 0
    /// Whether a write that the block leaves open is cancelled.
    let endsWithBlock: Bool
    /// Called before the observers, when the write is open.
    let opened: () throws -> Void
    let block: ((any Error)?) -> Void
}

extension InstanceCore {
    func addAsyncWrite(_ request: AsyncRequest) -> Int {
        asyncWrites.lastNumber += 1
        var request = request
        request.number = asyncWrites.lastNumber
        asyncWrites.requests.append(request)
        requestAsyncWrite()
        return asyncWrites.lastNumber
    }

    /// Requests a write from the store if one is wanted and none is open or in progress.
    func requestAsyncWrite() {
        guard write == nil, asyncWrites.arrival == nil, asyncWrites.commit == nil, !asyncWrites.requests.isEmpty else {
            return
        }
        let arrival = Promise<Result<PendingWrite, any Error>>()
        asyncWrites.arrival = arrival
        // Weakly, so that a write that arrives after the instance was released is dropped, which cancels it.
        store.beginWrite { [weak arrival, inbox] result in
            arrival?.set(result)
            inbox.wake()
        }
    }

    /// Calls the next block if its write has arrived.
    func serveAsyncWrite() {
        guard write == nil, !isCalling, let result = asyncWrites.arrival?.value else { return }
        asyncWrites.arrival = nil
        // Dropping the result cancels the write when no request is left.
        guard !asyncWrites.requests.isEmpty else { return }
        let request = asyncWrites.requests.removeFirst()
        asyncWrites.isServing = true
        var failure: (any Error)?
        do {
            try begin(with: result.get(), request.opened)
        } catch {
            failure = error
        }
        if failure == nil, write == nil { failure = InstanceError.endedByObserver }
        call { request.block(failure) }
        asyncWrites.isServing = false
        if request.endsWithBlock, write != nil { try? cancelWrite() }
        requestAsyncWrite()
    }

    func commitAsyncWrite(
        withoutNotifying muted: Set<Int>, _ completion: @escaping ((any Error)?) -> Void
    ) throws {
        guard let write else { throw InstanceError.nothingToCommit }
        let version = try write.transaction.version
        inbox.expect(version)
        self.write = nil
        let end = Promise<Result<Version, any Error>>()
        asyncWrites.commit = AsyncWrites.Commit(version: version, end: end, muted: muted, completion: completion)
        write.commit { [inbox] result in
            end.set(result)
            inbox.wake()
        }
    }

    /// Moves to the version of the commit in progress, if there is one, for a read that is to see it: waits for the disk,
    /// and leaves the calls of observers to the next turn.
    func completeCommit() {
        if asyncWrites.commit != nil, write == nil { finishCommit(waiting: true, isReading: true) }
    }

    /// Moves to the version of the commit in progress. Returns false when that is not finished yet.
    @discardableResult
    func finishCommit(waiting: Bool, isReading: Bool = false) -> Bool {
        if !isReading, let muted = asyncWrites.untold {
            asyncWrites.untold = nil
            ring(.didChange, except: muted)
        }
        guard let commit = asyncWrites.commit else { return true }
        if waiting { _ = commit.end.wait() }
        guard let result = commit.end.value else { return false }
        asyncWrites.commit = nil
        let expected = inbox.takeExpected()
        var failure: (any Error)?
        do {
            _ = try result.get()
            try move(to: expected ?? store.snapshot())
            history.markOwn(commit.version)
            if current?.version == commit.version { skip(commit.muted) }
            if isReading { asyncWrites.untold = commit.muted } else { ring(.didChange, except: commit.muted) }
        } catch {
            failure = error
        }
        asyncWrites.ended.append { commit.completion(failure) }
        requestAsyncWrite()
        inbox.wake()
        return true
    }

    /// Calls the completions of finished commits.
    func completeCommits() {
        while !asyncWrites.ended.isEmpty, write == nil {
            let completion = asyncWrites.ended.removeFirst()
            call(completion)
        }
    }
}
