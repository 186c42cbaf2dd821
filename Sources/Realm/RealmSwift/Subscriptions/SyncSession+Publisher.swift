public import OpenCombine
import Foundation

extension SyncSession {
    /// Publishes the progress of a direction to each subscriber, as `addProgressNotification` reports it. Finishes when
    /// the outstanding work is done; with `reportIndefinitely` never, unless the file was closed.
    public func progressPublisher(for direction: ProgressDirection, mode: ProgressMode) -> ProgressPublisher {
        ProgressPublisher(session: self, direction: direction, mode: mode)
    }

    /// See `progressPublisher(for:mode:)`. A subscriber that requests a limited number of values gets no others.
    public struct ProgressPublisher: Publisher {
        public typealias Output = Progress
        public typealias Failure = Never

        let session: SyncSession
        let direction: ProgressDirection
        let mode: ProgressMode

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Progress {
            subscriber.receive(subscription: ProgressReports(AnySubscriber(subscriber), session, direction, mode))
        }
    }
}

/// The notification of one subscriber, which begins with its first request.
private final class ProgressReports: Subscription {
    private let lock = NSLock()
    private let session: SyncSession
    private let direction: SyncSession.ProgressDirection
    private let mode: SyncSession.ProgressMode
    /// Nil after completion or cancellation.
    private var subscriber: AnySubscriber<SyncSession.Progress, Never>?
    private var token: SyncSession.ProgressNotificationToken?
    private var hasBegun = false
    private var demand = Subscribers.Demand.none

    init(
        _ subscriber: AnySubscriber<SyncSession.Progress, Never>, _ session: SyncSession,
        _ direction: SyncSession.ProgressDirection, _ mode: SyncSession.ProgressMode
    ) {
        self.subscriber = subscriber
        self.session = session
        self.direction = direction
        self.mode = mode
    }

    func request(_ more: Subscribers.Demand) {
        let begins = lock.withLock {
            demand += more
            defer { hasBegun = hasBegun || more > .none }
            return !hasBegun && more > .none
        }
        guard begins else { return }
        let this = Transferred(self)
        let token = session.observe(direction, mode) {
            this.value.send($0)
        } ended: {
            this.value.finish()
        }
        guard let token else { return finish() }
        let isOver = lock.withLock {
            self.token = token
            return subscriber == nil
        }
        if isOver { token.invalidate() }
    }

    private func send(_ progress: SyncSession.Progress) {
        let subscriber = lock.withLock {
            guard demand > .none else { return nil as AnySubscriber<SyncSession.Progress, Never>? }
            demand -= 1
            return self.subscriber
        }
        guard let more = subscriber?.receive(progress) else { return }
        lock.withLock { demand += more }
    }

    private func finish() {
        let subscriber = lock.withLock {
            defer { self.subscriber = nil }
            return self.subscriber
        }
        subscriber?.receive(completion: .finished)
    }

    func cancel() {
        let token = lock.withLock {
            defer { subscriber = nil }
            return self.token
        }
        token?.invalidate()
    }
}
