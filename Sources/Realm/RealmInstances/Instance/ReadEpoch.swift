import CExecutor

/// Validates pointers into an instance's snapshot that are cached without retaining the snapshot: readers check it
/// first.
package struct ReadEpoch {
    /// Increases before cached pointers may become invalid: with each version, and when a writer requests it. Never 0.
    package fileprivate(set) var count: UInt = 1
    /// Recognises the instance's thread, queue or actor.
    fileprivate let mark: SchedulerMark

    /// Whether the calling code certainly runs on the instance's thread, queue or actor. If false, ask the instance.
    package var isCertainlyHere: Bool { mark.isCertainlyHere }
}

/// Recognises a scheduler without calling it, because each value that is read checks where it is read.
package enum SchedulerMark: Sendable {
    /// The value of `RunLoopScheduler.currentMark` on the thread.
    case thread(Address)
    /// The queue, and its value of a key: the current queue may be another one that targets it.
    case queue(Address, key: Address, value: Address)
    /// The words of the actor's executor reference.
    case actor(identity: UInt, implementation: UInt)
    case unknown

    /// Whether the calling code certainly runs on the scheduler. If false, ask the scheduler.
    @inline(__always)
    var isCertainlyHere: Bool {
        switch self {
        case .thread(let thread): thread == RunLoopScheduler.currentMark
        case .queue(let own, let key, let value): own == current_queue() || value == queue_specific(key.pointer)
        case .actor(let identity, let implementation): executor_is_current(identity, implementation)
        case .unknown: false
        }
    }

    /// An address that is only compared.
    ///
    /// Sendable, because nothing is read from there.
    package struct Address: @unchecked Sendable {
        let pointer: UnsafeRawPointer

        init(_ pointer: UnsafeRawPointer) { self.pointer = pointer }

        static func == (address: Address, pointer: UnsafeRawPointer?) -> Bool { address.pointer == pointer }
    }
}

/// Holds an instance's epoch, whose address is fixed as long as this lives.
///
/// Sendable although the epoch is not: only the instance's scheduler changes it, and cached pointers are validated
/// there. Other threads only read the part that never changes, and learn from it that they are other threads.
package final class ReadEpochHolder: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<ReadEpoch>

    package init(_ mark: SchedulerMark = .unknown) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: ReadEpoch(mark: mark))
    }

    deinit { pointer.deallocate() }

    package var epoch: UnsafePointer<ReadEpoch> { UnsafePointer(pointer) }
    package var count: UInt { pointer.pointee.count }
    package func rise() { pointer.pointee.count += 1 }
}
