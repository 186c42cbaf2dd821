import Dispatch
import EmbeddedStore
import Foundation
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing

/// Tasks with scores 10, 20, 30 and so on, and an instance whose turns the test runs.
struct TaskInstanceFixture {
    let store: any Store
    let hub: InstanceHub
    let scheduler: HandScheduler
    /// The queue that computes first results.
    let background = DispatchQueue(label: "background")
    let instance: LiveInstance

    static let tasks = BoundQuery(classID: TaskStore.task)
    static let first = ObjectReference(TaskStore.task, ObjectKey(0))

    /// The directory of a store on disk, which is deleted with this object.
    private let home: TestDirectory?

    init(
        taskCount: Int = 0, canDeliver: Bool = true, isReadOnly: Bool = false, on kind: StoreKind = .model
    ) throws {
        home = kind == .embedded ? try TestDirectory() : nil
        store =
            try home.map { try EmbeddedStore.open(path: $0.path + "/store", schema: TaskStore.schema) }
            ?? ModelStore(TaskStore.schema)
        try store.write { transaction in
            for id in 0..<taskCount { try transaction.task(Int64(id + 1), Int64(id + 1) * 10) }
        }
        hub = InstanceHub(store, isReadOnly: isReadOnly, background: background)
        scheduler = HandScheduler(canDeliver: canDeliver)
        instance = try hub.instance(on: scheduler)
    }

    /// Runs all turns that are due.
    func turns() { while scheduler.turn() {} }

    /// Runs turns until a condition is true.
    func turns(until condition: () -> Bool, _ location: SourceLocation = #_sourceLocation) throws {
        while !condition() { try #require(scheduler.waitForTurn(), "nothing comes", sourceLocation: location) }
        turns()
    }

    /// Observes, and runs the first call.
    func observe(
        _ query: BoundQuery = TaskInstanceFixture.tasks, keyPaths: [String] = []
    ) throws -> (InstanceRecorder, InstanceToken) {
        let (recorder, token) = try begin(query, keyPaths: keyPaths)
        try turns { recorder.keys != nil }
        return (recorder, token)
    }

    /// Observes.
    func begin(
        _ query: BoundQuery = TaskInstanceFixture.tasks, keyPaths: [String] = []
    ) throws -> (InstanceRecorder, InstanceToken) {
        let recorder = InstanceRecorder(instance)
        let paths = try keyPaths.map { try TaskStore.keyPath($0, in: query.classID) }
        let token = try instance.observe(query, keyPaths: paths) { recorder.receive($0) }
        return (recorder, token)
    }

    func observeObject(
        _ object: ObjectReference = first, keyPaths: [String] = []
    ) throws -> (ObjectLog, InstanceToken) {
        let log = ObjectLog()
        let paths = try keyPaths.map { try TaskStore.keyPath($0, in: object.classID) }
        return (log, try instance.observeObject(object, keyPaths: paths) { log.receive($0) })
    }
}

/// The kind of store of an instance.
enum StoreKind: CaseIterable, Sendable {
    case model
    case embedded
}

/// Records and checks the notifications of one observer of an instance. For the instance's scheduler only.
final class InstanceRecorder {
    private unowned let instance: LiveInstance
    var keys: [ObjectKey]?
    var version: Version?
    private(set) var changes: [IndexChanges] = []
    private(set) var calls: [String] = []
    private(set) var failure: (any Error)?
    private(set) var faults: [String] = []
    private var isRunning = false
    /// Called within each notification.
    var onCall: (() throws -> Void)?

    init(_ instance: LiveInstance) { self.instance = instance }

    var code: StoreError.Code? { (failure as? StoreError)?.code }

    func takeChanges() -> [IndexChanges] {
        defer { changes = [] }
        return changes
    }

    func receive(_ event: LiveQueryEvent) {
        if failure != nil { faults.append("an event after failed") }
        switch event {
        case .initial(let snapshot, let now):
            calls.append("initial")
            if keys != nil { faults.append("a second initial event") }
            arrive(snapshot, now)
        case .resumed: faults.append("resumed")
        case .update(let change):
            calls.append("update")
            guard let old = keys, let version else { return faults.append("an update before the initial event") }
            if change.version <= version { faults.append("version \(change.version) after \(version)") }
            if change.indices.isEmpty { faults.append("an empty update") }
            faults += change.indices.faults(from: old, to: Array(change.newKeys))
            changes.append(change.indices)
            arrive(change.snapshot, change.newKeys)
        case .deleted: faults.append("deleted")
        case .failed(let error):
            calls.append("failed")
            failure = error
        }
        do { try onCall?() } catch { faults.append("\(error)") }
    }

    private func arrive(_ snapshot: any Snapshot, _ now: KeySequence) {
        keys = Array(now)
        version = snapshot.version
        let shown = try? instance.version
        if shown != snapshot.version { faults.append("told of \(snapshot.version) at \(String(describing: shown))") }
    }
}

/// Records the notifications of one observer of an object.
final class ObjectLog {
    private(set) var events: [String] = []
    var onCall: (() -> Void)?

    func receive(_ event: LiveObjectEvent) {
        switch event {
        case .initial: events.append("initial")
        case .resumed: events.append("resumed")
        case .update(let change):
            events.append(
                change.properties.map { property in
                    "\(property.id.rawValue): \(Self.text(property.oldValue)) -> \(Self.text(property.newValue))"
                }.joined(separator: ", "))
        case .deleted: events.append("deleted")
        case .failed(let error): events.append("failed \((error as? StoreError)?.code.rawValue ?? "?")")
        }
        onCall?()
    }

    private static func text(_ value: Value?) -> String {
        switch value {
        case nil: "nil"
        case .int(let int): "\(int)"
        case .string(let string): string
        case .link(let key): "object \(key.rawValue)"
        case .null: "null"
        default: "?"
        }
    }
}

extension TaskInstanceFixture {
    /// Returns the code and the message of the error that the body throws.
    static func fault(_ body: () throws -> Void) -> (code: StoreError.Code, message: String)? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError).map { ($0.code, $0.message) }
        }
    }
}
