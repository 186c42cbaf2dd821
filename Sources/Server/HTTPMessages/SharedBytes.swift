/// Immutable bytes with a stable address, shared by any number of responses and event streams without copies.
///
/// The last reference frees the memory. Creating one copies its source once.
package final class SharedBytes: Sendable {
    // Written only in `init`, or by the previous owner, before the reference can be shared; read-only from then on.
    nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

    /// The object that owns the bytes, if it is another one.
    private let whole: SharedBytes?
    private let onRelease: (@Sendable () -> Void)?

    /// Whether the bytes belong to one response only, which frees them.
    package let isForOneResponse: Bool

    package init(_ bytes: some Collection<UInt8>) {
        isForOneResponse = false
        whole = nil
        onRelease = nil
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Takes ownership of memory that was filled for one response. The last reference deallocates it.
    package init(adopting bytes: UnsafeMutableRawBufferPointer) {
        isForOneResponse = true
        whole = nil
        onRelease = nil
        storage = bytes
    }

    /// Refers to a part of other bytes, and retains them.
    package init(_ whole: SharedBytes, from start: Int = 0, onRelease: (@Sendable () -> Void)? = nil) {
        isForOneResponse = false
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

    /// Calls the body with the bytes; the pointer is valid while the object lives.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    package var bytes: [UInt8] { [UInt8](storage) }

    /// The bytes for C calls that outlive a closure; the caller must keep the object alive.
    package var pointer: UnsafeMutableRawBufferPointer { storage }
}
