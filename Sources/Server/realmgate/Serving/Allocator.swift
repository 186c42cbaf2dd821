import CAllocator
import Dispatch
import Synchronization

/// The settings of the C library's allocator for a server.
enum Allocator {
    private static let queue = DispatchQueue(label: "realmgate.allocator", qos: .utility)
    private static let isDue = Atomic(false)

    /// Makes large buffers return to the system as soon as they are freed. By default the library keeps them for later
    /// once it has seen some, up to 32 MiB each, in as many places as there were threads.
    static func returnLargeBuffers() { _ = mallopt(M_MMAP_THRESHOLD, 256 << 10) }

    /// Returns the free pages between smaller allocations to the system, on a thread of its own. That takes some
    /// milliseconds for each 100 MiB that are free, in which threads that allocate may wait.
    static func returnFreePagesSoon() {
        guard !isDue.exchange(true, ordering: .relaxed) else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) {
            isDue.store(false, ordering: .relaxed)
            _ = malloc_trim(0)
        }
    }
}
