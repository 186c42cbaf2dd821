import CAllocator
import Dispatch
import Files
import Glibc
import Synchronization

/// The settings of the C library's allocator for a server.
enum Allocator {
    private static let queue = DispatchQueue(label: "realmgate.allocator", qos: .utility)
    private static let isDue = Atomic(false)

    /// Makes large buffers return to the system as soon as they are freed. By default the library keeps them for later
    /// once it has seen some, up to 32 MiB each, in as many arenas as there were threads.
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

    /// The bytes that may lie free between allocations, at least, before they are returned.
    private static let spareBytes = 16 << 20

    /// Looks every 30 seconds whether free pages between allocations are more than 16 MiB and more than a third of what
    /// is in use, and returns them then. Cost of a look: a small file of the system, and a lock of each arena.
    ///
    /// The library has up to eight arenas for each processor, and each keeps what the busiest moment of its threads
    /// needed: after twelve minutes of writes, 37 MiB of 1,000 live queries held 89 MiB, and went on to hold more.
    static func returnFreePagesRegularly() {
        queue.asyncAfter(deadline: .now() + .seconds(30)) {
            let info = mallinfo2()
            let inUse = Int(clamping: info.uordblks) + Int(clamping: info.hblkhd)
            if ownMemory - inUse > max(spareBytes, inUse / 3) { returnFreePagesSoon() }
            returnFreePagesRegularly()
        }
    }

    /// The memory of this process that no file backs, in bytes.
    private static var ownMemory: Int {
        guard let bytes = try? WholeFile.read("/proc/self/statm", limit: 4096) else { return 0 }
        let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard pages.count > 2 else { return 0 }
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }
}
