package import StoreContract

extension StoreError.Code {
    package static let incorrectThread = Self(rawValue: "instance.incorrect_thread")
    package static let frozen = Self(rawValue: "instance.frozen")
    package static let readOnly = Self(rawValue: "instance.read_only")
    package static let noRunLoop = Self(rawValue: "instance.no_run_loop")
    package static let observedInWrite = Self(rawValue: "instance.observed_in_write")
    package static let noWrite = Self(rawValue: "instance.no_write")
    package static let foreignToken = Self(rawValue: "instance.foreign_token")
}

/// Errors in the use of an instance.
enum InstanceError {
    static let incorrectThread = StoreError(.incorrectThread, "Realm accessed from incorrect thread.")

    static let frozenDoesNotNotify = StoreError(
        .frozen, "Frozen Realms do not change and do not have change notifications.")
    static let frozenDoesNotWrite = StoreError(.frozen, "Can't perform transactions on a frozen Realm")
    static let frozenStays = StoreError(.frozen, "Auto-refresh cannot be enabled for frozen Realms.")

    static let readOnlyDoesNotNotify = StoreError(
        .readOnly, "Read-only Realms do not change and do not have change notifications.")
    static let readOnlyDoesNotWrite = StoreError(.readOnly, "Can't perform transactions on read-only Realms.")
    static let readOnlyStays = StoreError(.readOnly, "Read-only Realms do not change and cannot be refreshed.")

    static let noRunLoop = StoreError(.noRunLoop, "Can only add notification blocks from within runloops.")
    static let noRunLoopForWrite = StoreError(
        .noRunLoop, "Cannot schedule async transaction. Make sure you are running from inside a run loop.")
    static let observedInWrite = StoreError(
        .observedInWrite, "Cannot create asynchronous query after making changes in a write transaction.")
    static let objectIsDeleted = StoreError(.notFound, "Object has been deleted or invalidated.")

    static let nestedWrite = StoreError(.nestedWrite, "The Realm is already in a write transaction")
    static let nothingToCommit = StoreError(.noWrite, "Can't commit a non-existing write transaction")
    static let nothingToCancel = StoreError(.noWrite, "Can't cancel a non-existing write transaction")
    static let notWriting = StoreError(
        .noWrite, "Objects can be changed in a write transaction only. Call beginWrite first.")
    static let endedByObserver = StoreError(
        .noWrite, "An observer that was called when the write transaction began has ended it. Repeat the write.")
    static let foreignToken = StoreError(
        .foreignToken, "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
}
