import Dispatch
import LiveTesting
import RealmInstances

/// An instance on a queue of its own.
struct OtherInstance {
    let queue: DispatchQueue
    let instance: LiveInstance

    init(_ hub: InstanceHub, _ label: String = "other") throws {
        let queue = DispatchQueue(label: label)
        self.queue = queue
        instance = try queue.sync { try hub.instance(on: QueueScheduler(queue)) }
    }
}
