import ObjectModel

/// Something to do once everything that was committed up to a version has been delivered.
struct LiveFence: Sendable {
    let version: Version
    let action: @Sendable () -> Void
}
