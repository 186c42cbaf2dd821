/// Immutable bytes with a stable address, shared by any number of responses and event streams without copies.
///
/// Memory is freed with the last reference. Creating one copies its source once.
package final class SharedBytes: Sendable {
    // Written only in `init`, or by whom it was taken over from, before the reference can be shared; read-only from then
    // on.
    nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

    /// What the bytes lie in, if that is not this object's own.
    private let whole: SharedBytes?
    private let onRelease: (@Sendable () -> Void)?

    /// Whether nobody else needs them, so that they are gone with the answer.
    let isOfOneAnswer: Bool

    package init(_ bytes: some Collection<UInt8>) {
        isOfOneAnswer = false
        whole = nil
        onRelease = nil
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Takes over memory that somebody else has filled for one answer, and that is to be deallocated with the last
    /// reference.
    package init(adopting bytes: UnsafeMutableRawBufferPointer) {
        isOfOneAnswer = true
        whole = nil
        onRelease = nil
        storage = bytes
    }

    /// A part of other bytes, which it keeps.
    package init(_ whole: SharedBytes, from start: Int = 0, onRelease: (@Sendable () -> Void)? = nil) {
        isOfOneAnswer = false
        self.whole = whole
        self.onRelease = onRelease
        storage = UnsafeMutableRawBufferPointer(rebasing: whole.storage[min(start, whole.count)...])
    }

    package convenience init(_ text: String) {
        self.init(text.utf8)
    }

    deinit {
        if whole == nil { storage.deallocate() }
        onRelease?()
    }

    package var count: Int { storage.count }

    /// The bytes; the pointer is valid for as long as the object lives.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    package var bytes: [UInt8] { [UInt8](storage) }

    /// For C calls that outlive a closure; the caller keeps the object alive meanwhile.
    var pointer: UnsafeMutableRawBufferPointer { storage }
}
