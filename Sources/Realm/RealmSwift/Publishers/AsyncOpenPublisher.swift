import Dispatch
import Foundation
public import OpenCombine

extension Realm {
    /// Opens the configuration's realm in the background for each subscriber. Publishes it once, on the main queue or
    /// on the scheduler of `receive(on:)`; fails with `Realm.Error`.
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration
    ) -> RealmPublishers.AsyncOpenPublisher { RealmPublishers.AsyncOpenPublisher(configuration, .main) }
}

extension RealmPublishers {
    /// Opens a realm in the background: publishes one value, or fails. Cancelling the subscription cancels the open.
    public struct AsyncOpenPublisher: Publisher {
        public typealias Output = Realm
        public typealias Failure = any Error

        private let configuration: Realm.Configuration
        private let queue: DispatchQueue

        init(_ configuration: Realm.Configuration, _ queue: DispatchQueue) {
            self.configuration = configuration
            self.queue = queue
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == any Error, S.Input == Realm {
            subscriber.receive(subscription: AsyncOpening(AnySubscriber(subscriber), configuration, queue))
        }

        /// Opens the realm for a serial queue and publishes it there. Traps for other schedulers.
        public func receive<S: Scheduler>(on scheduler: S) -> AsyncOpenPublisher {
            AsyncOpenPublisher(configuration, trapOnError { try serialQueue(scheduler) })
        }
    }
}

/// The open of one subscriber, which begins when it requests a value.
private final class AsyncOpening: Subscription {
    private let lock = NSLock()
    private let configuration: Realm.Configuration
    private let queue: DispatchQueue
    /// Nil after completion or cancellation.
    private var subscriber: AnySubscriber<Realm, any Error>?
    private var task: Realm.AsyncOpenTask?

    init(_ subscriber: AnySubscriber<Realm, any Error>, _ configuration: Realm.Configuration, _ queue: DispatchQueue) {
        self.subscriber = subscriber
        self.configuration = configuration
        self.queue = queue
    }

    func request(_ demand: Subscribers.Demand) {
        lock.withLock {
            guard demand > .none, task == nil, subscriber != nil else { return }
            let this = Transferred(self)
            task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { this.value.finish($0) }
        }
    }

    func cancel() {
        let task = lock.withLock {
            defer { subscriber = nil }
            return self.task
        }
        task?.cancel()
    }

    private func finish(_ opened: Result<Realm, any Error>) {
        let subscriber = lock.withLock {
            defer { self.subscriber = nil }
            return self.subscriber
        }
        switch opened {
        case .success(let realm):
            _ = subscriber?.receive(realm)
            subscriber?.receive(completion: .finished)
        case .failure(let error): subscriber?.receive(completion: .failure(error))
        }
    }
}
