import Foundation
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// An open realm, confined to one thread, queue or actor. `Realm` is a handle to it.
public final class RLMRealm {
    /// Nil within a migration.
    let file: SharedRealmFile?
    /// Nil within a migration.
    private let instance: LiveInstance?
    /// The data before a migration; nil after it, and in realms of a file.
    private var old: (any Snapshot)?
    /// For the realm with the new data of a migration, the one with the old data.
    private weak var predecessor: RLMRealm?
    let configuration: Realm.Configuration
    private(set) var models: ModelSet {
        didSet { boundLast = nil }
    }
    /// The class that `boundInWrite` found last, among the present models: many calls in a row are for one class.
    private var boundLast: BoundClass?
    /// Earlier models, to whose classes objects may still refer.
    private var formerModels: [ModelSet] = []
    /// The open write transaction, for use on this instance's thread.
    private(set) var transaction: (any WriteTransaction)? {
        willSet { reads.rise() }
        didSet {
            guard transaction == nil else { return }
            for boundClass in models.all { boundClass.cells.drop() }
            HeldWrites.release(self)
        }
    }
    /// Invalidates the cells that objects have cached.
    let reads: ReadEpochHolder
    /// Whether objects cache cells by the read epoch. Those of a frozen realm have `frozenRows` instead, because several
    /// threads may read them at once.
    let keepsCells: Bool
    /// Nil in a realm that is not frozen.
    let frozenRows: FrozenRows?
    /// A counter that increases with each change that can alter the result of a query within one version.
    private(set) var edits = 0
    /// Classes that are missing in the file of a read-only realm: they read as empty.
    private var absent: Set<ClassID> = []
    /// Whether the block of `asyncWrite` is running.
    var isInAsyncBlock = false
    /// The collections within lists of mixed values that are held.
    let nested = NestedHandles()
    /// The frozen realm that was created last.
    var lastFrozen: WeakRealm?
    /// The actions of `onSkip`, by observer token.
    private var skips: [ObjectIdentifier: Skip] = [:]
    /// A counter that `invalidate` increases.
    private var epoch: UInt32 = 0
    private var writeNumber: UInt32 = 0
    private var cancelledWrites: Set<UInt32> = []

    init(_ file: SharedRealmFile, _ live: LiveInstance, _ configuration: Realm.Configuration) throws {
        self.file = file
        instance = live
        reads = live.reads
        keepsCells = !live.isFrozen
        frozenRows = live.isFrozen ? FrozenRows() : nil
        old = nil
        self.configuration = configuration
        var schema = try live.snapshot.schema
        let classes = try configuration.models()
        if configuration.readOnly {
            let stored = schema
            let names = StoredNames(classes, in: stored)
            let missing = classes.map(names.schema(of:)).filter { stored[$0.name] == nil }
            schema = StoredSchema(version: stored.version, classes: stored.classes + missing)
                .adoptingIdentities(of: stored)
            absent = Set(schema.classes.map(\.id)).subtracting(stored.classes.map(\.id))
        }
        models = try ModelSet(schema, classes)
    }

    /// Rolls back an open write first, because closing the file waits for the end of the write.
    deinit {
        if transaction != nil { try? instance?.cancelWrite() }
    }

    /// Creates one side of a migration: the old data, or, with a transaction, the new data.
    init(
        migrating configuration: Realm.Configuration, old: any Snapshot, _ transaction: (any WriteTransaction)?,
        after predecessor: RLMRealm? = nil
    ) throws {
        file = nil
        instance = nil
        reads = ReadEpochHolder()
        keepsCells = false
        frozenRows = nil
        self.old = old
        self.predecessor = predecessor
        self.transaction = transaction
        self.configuration = configuration
        models = try transaction.map { try ModelSet($0.schema, configuration.models()) } ?? ModelSet(old.schema, [])
    }

    /// Invalidates all objects and collections of one side of a migration, and releases its data, so that objects that
    /// outlive the migration do not keep the file open.
    func endMigration() {
        epoch += 1
        edits += 1
        old = nil
        _ = nested.takeMoves()
        transaction = nil
    }

    /// The object of a migration's new data for one of its old data, which has the same key; nil for other objects.
    /// Throws for an object that the migration has deleted.
    func successor(of object: ObjectBase) throws -> ObjectReference? {
        guard let predecessor, object._realm === predecessor, let name = object._class?.storedName
        else { return nil }
        guard let boundClass = models.all.first(where: { $0.storedName == name }) else {
            throw RealmException.invalidObject
        }
        let reference = ObjectReference(boundClass.id, object._objectKey)
        guard try exists(reference) else { throw RealmException.invalidObject }
        return reference
    }

    /// Whether this realm has the new data of a migration and the other one the old data.
    func isSuccessor(of other: RLMRealm?) -> Bool { other != nil && predecessor === other }

    /// The live instance. Throws within a migration, where there is none to refresh or observe.
    var live: LiveInstance {
        get throws {
            guard let instance else { throw RealmException("Not allowed within a migration.") }
            return instance
        }
    }

    /// The snapshot at the realm's version, without the changes of an open write.
    var snapshot: any Snapshot {
        get throws { try instance?.snapshot ?? old ?? live.snapshot }
    }

    /// Whether the caller is on the thread, queue or actor that the realm is confined to.
    var isConfinedHere: Bool { instance?.isConfinedHere ?? true }

    func checkConfinement() throws { try instance?.checkConfinement() }

    var isFrozen: Bool { instance?.isFrozen ?? (transaction == nil) }

    private struct Skip {
        weak var token: InstanceToken?
        var bodies: [() throws -> Void] = []

        func run() throws { for body in bodies { try body() } }
    }

    /// Rebuilds the models after a migration has renamed properties of the new schema.
    func reloadModels() throws {
        guard let transaction else { return }
        let new = try ModelSet(transaction.schema, configuration.models())
        formerModels.append(models)
        models = new
    }

    // MARK: Lifetimes of objects

    /// The validity of an instance of an object, as far as the stored object does not decide it.
    struct Lifetime: Equatable {
        /// The epoch of the realm when the instance was created; see `invalidate`.
        var epoch: UInt32 = 0
        /// The number of the write that created the stored object, if that write was still open when the instance was
        /// created; else 0. After a cancelled write the store reuses the keys of the objects that it created.
        var write: UInt32 = 0
    }

    func lifetime(of object: ObjectReference) -> Lifetime {
        var lifetime = Lifetime(epoch: epoch)
        if transaction != nil, object.key.rawValue >= 0, (try? existed(object)) != true {
            lifetime.write = writeNumber
        }
        return lifetime
    }

    /// Whether the object existed when the open write began.
    private func existed(_ object: ObjectReference) throws -> Bool {
        guard keepsCells, let boundClass = models[object.classID] else {
            return try snapshot.exists(object.classID, object.key)
        }
        return try boundClass.cells.existed(object.key, in: self)
    }

    /// The lifetime of an object that the open write has just created.
    var newLifetime: Lifetime { Lifetime(epoch: epoch, write: transaction == nil ? 0 : writeNumber) }

    func isCurrent(_ lifetime: Lifetime) -> Bool {
        lifetime.epoch == epoch && (lifetime.write == 0 || !cancelledWrites.contains(lifetime.write))
    }

    func checkLifetime(_ object: ObjectBase) throws {
        guard isCurrent(object._lifetime) else { throw RealmException.invalidObject }
    }

    /// Whether the object exists.
    func contains(_ object: ObjectBase) -> Bool {
        guard let reference = object._objectReference, isCurrent(object._lifetime) else { return false }
        // Elsewhere it is not known, and an access reports the incorrect thread.
        guard isConfinedHere else { return true }
        return (try? exists(reference)) ?? false
    }

    /// Throws if the object does not exist.
    func check(_ object: ObjectBase) throws {
        try checkConfinement()
        guard let reference = object._objectReference, isCurrent(object._lifetime), try exists(reference) else {
            throw RealmException.invalidObject
        }
    }

    // MARK: Reading, at the realm's version or within its write

    /// The open write; without one, the store at the realm's version.
    private var context: any ReadContext {
        get throws {
            if let transaction { return transaction }
            return try snapshot
        }
    }

    func exists(_ object: ObjectReference) throws -> Bool { try context.exists(object.classID, object.key) }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try context.value(classID, key, property)
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try absent.contains(classID) ? nil : context.key(of: classID, primaryKey: primaryKey)
    }

    func elementCount(_ object: ObjectReference, _ property: PropertyID) throws -> Int {
        try context.elementCount(object.classID, object.key, property)
    }

    func elements(_ object: ObjectReference, _ property: PropertyID, _ range: Range<Int>) throws -> [Value] {
        try context.elements(object.classID, object.key, property, range)
    }

    func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try context.backlinks(to: target, from: origin, property)
    }

    func select(_ query: BoundQuery) throws -> [ObjectKey] {
        try absent.contains(query.classID) ? [] : context.select(query, Window())
    }

    func count(_ query: BoundQuery) throws -> Int {
        try absent.contains(query.classID) ? 0 : context.count(query)
    }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try context.aggregate(query, requests)
    }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool { try context.matches(query, key) }

    func count(of classID: ClassID) throws -> Int {
        try absent.contains(classID) ? 0 : context.count(of: classID)
    }

    // MARK: Classes

    /// Returns the class of a Swift type. Throws if the realm does not have it.
    func bound(_ type: ObjectBase.Type) throws -> BoundClass {
        if let known = models[type] { return known }
        guard let boundClass = models[type.className()], boundClass.model?.type == type else {
            throw RealmException.unmanaged(type.className())
        }
        return boundClass
    }

    /// Returns the class of a Swift type, for a caller that `writing` has let through: it is the only one.
    func boundInWrite(_ type: ObjectBase.Type) throws -> BoundClass {
        if let boundLast, boundLast.model?.type == type { return boundLast }
        let found = try bound(type)
        boundLast = found
        return found
    }

    func bound(_ id: ClassID) throws -> BoundClass {
        guard let boundClass = models[id] else { throw StoreError.unknownClass(id) }
        return boundClass
    }

    /// Returns a new instance for a stored object: of its class's model, or a dynamic object if `type` asks for one or
    /// there is no model.
    func object(_ reference: ObjectReference, as type: ObjectBase.Type = ObjectBase.self) throws -> ObjectBase {
        let boundClass = try bound(reference.classID)
        let object = boundClass.instance(as: type)
        object.bind(to: self, boundClass, reference.key)
        return object
    }

    // MARK: Writing

    /// Returns the open write transaction for use. Throws if there is none.
    func writing(_ message: @autoclosure () -> String = RLMRealm.notWritingObjects) throws -> any WriteTransaction {
        try checkConfinement()
        guard let transaction else {
            if isFrozen { throw RealmException("Can't perform transactions on a frozen Realm") }
            throw RealmException(message())
        }
        edits += 1
        return transaction
    }

    /// Records that results of queries may have changed.
    func noteEdit() { edits += 1 }

    static let notWritingObjects = "Cannot modify managed objects outside of a write transaction."
    static let notWritingRealm =
        "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an RLMRealm instance first."

    func beginWrite() throws { try live.beginWrite(opened: noteWrite) }

    /// Begins a write. Observers that are called at its start may use it and end it.
    func noteWrite() throws {
        writeNumber += 1
        edits += 1
        transaction = try live.transaction
        HeldWrites.hold(self)
        log("Began a write")
    }

    private func log(_ event: @autoclosure () -> String) {
        Logger.log(.debug, Category.Storage.transaction, "\(event()) in '\(file?.path ?? "")'.")
    }

    /// Commits without waiting for the disk.
    func commitAsyncWrite(_ completion: @escaping ((any Error)?) -> Void) throws {
        let ending = endWrite()
        do {
            try live.commitAsyncWrite { [self] error in
                edits += 1
                log(error.map { "A commit failed: \($0)" } ?? "Committed in the background")
                if error != nil { revert(ending) }
                completion(error)
            }
        } catch {
            resume(ending)
            throw error
        }
    }

    func commitWrite(withoutNotifying tokens: [InstanceToken] = []) throws {
        // Observers called during the commit see the new version, but not the write transaction.
        let ending = endWrite()
        do {
            try live.commitWrite(withoutNotifying: tokens)
            log("Committed version \((try? live.version).map { "\($0)" } ?? "")")
        } catch {
            if (try? live.isInWriteTransaction) == true {
                resume(ending)
            } else {
                log("A commit failed: \(error)")
                revert(ending)
            }
            throw error
        }
        try tellSkipped(tokens)
    }

    /// A write whose commit has begun, with what becomes of it if the commit fails.
    private struct Ending {
        let transaction: (any WriteTransaction)?
        let number: UInt32
        let moves: NestedHandles.Moves
    }

    private func endWrite() -> Ending {
        edits += 1
        defer { transaction = nil }
        return Ending(transaction: transaction, number: writeNumber, moves: nested.takeMoves())
    }

    /// Goes on with a write that was not committed and has not ended.
    private func resume(_ ending: Ending) {
        transaction = ending.transaction
        nested.putBack(ending.moves)
    }

    /// Shows the state before a write whose commit has failed: the objects that it created are invalid, and held
    /// collections are where they were, unless a later write has moved them.
    private func revert(_ ending: Ending) {
        edits += 1
        reads.rise()
        cancelledWrites.insert(ending.number)
        if ending.number == writeNumber { nested.undo(ending.moves) }
    }

    /// Registers an action that runs after each commit that skips the token's observer, to update the observer's own
    /// state; after the actions that are registered for the token already.
    func onSkip(_ token: InstanceToken, _ body: @escaping () throws -> Void) {
        skips = skips.filter { $0.value.token != nil }
        skips[ObjectIdentifier(token), default: Skip(token: token)].bodies.append(body)
    }

    private func tellSkipped(_ tokens: [InstanceToken]) throws {
        for token in tokens where token.isValid { try skips[ObjectIdentifier(token)]?.run() }
    }

    func cancelWrite() throws {
        try live.cancelWrite()
        endCancelledWrite()
    }

    private func endCancelledWrite() {
        guard transaction != nil else { return }
        nested.undo(nested.takeMoves())
        transaction = nil
        log("Rolled back a write")
        edits += 1
        cancelledWrites.insert(writeNumber)
    }

    // MARK: Changing versions

    /// Moves to the newest version, except for a read-only realm, which stays at its own.
    func catchUp() throws {
        guard !configuration.readOnly else { return }
        try live.refresh()
    }

    func invalidate() throws {
        guard !isFrozen else { return }
        try live.invalidate()
        endCancelledWrite()
        edits += 1
        epoch += 1
    }
}

/// Keeps realms that have an open write on the main thread until the write ends or the current turn of the main run
/// loop ends, whichever comes first. Apple's autorelease pool has the same effect: `try! Realm().beginWrite()` leaves a
/// write open for the next `try! Realm()`. On other threads a write ends when its realm is released.
enum HeldWrites {
    // Only the main thread accesses these two variables.
    nonisolated(unsafe) private static var realms: [ObjectIdentifier: RLMRealm] = [:]
    nonisolated(unsafe) private static var isReleasing = false

    static func hold(_ realm: RLMRealm) {
        guard Thread.isMainThread, realm.file != nil else { return }
        realms[ObjectIdentifier(realm)] = realm
        guard !isReleasing else { return }
        isReleasing = true
        RunLoop.main.perform {
            isReleasing = false
            realms = [:]
        }
    }

    static func release(_ realm: RLMRealm) {
        guard Thread.isMainThread, !realms.isEmpty else { return }
        realms[ObjectIdentifier(realm)] = nil
    }
}
