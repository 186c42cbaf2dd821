import Dispatch
import Foundation
public import OpenCombine

extension Realm {
    /// Opens the configuration's realm in the background for each subscriber, and publishes it once, on the main queue or
    /// where `receive(on:)` says; or the `Realm.Error`.
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration
    ) -> RealmPublishers.AsyncOpenPublisher { RealmPublishers.AsyncOpenPublisher(configuration, .main) }
}

extension RealmPublishers {
    /// A realm that is opened in the background: one value, or a failure. Cancelling gives it up.
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

        /// Opens the realm for a serial queue, where it is published. Traps for other schedulers.
        public func receive<S: Scheduler>(on scheduler: S) -> AsyncOpenPublisher {
            AsyncOpenPublisher(configuration, raising { try serialQueue(scheduler) })
        }
    }
}

/// One subscriber's opening, which begins when a value is asked for.
private final class AsyncOpening: Subscription {
    private let lock = NSLock()
    private let configuration: Realm.Configuration
    private let queue: DispatchQueue
    /// Nil at the end.
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
