import CAllocator

/// The settings of the C library's allocator for a server.
enum Allocator {
    /// Makes large buffers return to the system as soon as they are freed. By default the library keeps them for later
    /// once it has seen some, up to 32 MiB each, in as many places as there were threads.
    static func returnLargeBuffers() { _ = mallopt(M_MMAP_THRESHOLD, 256 << 10) }

    /// Returns the free pages between smaller allocations to the system. Takes some milliseconds for each 100 MiB that
    /// are free, in which threads that allocate may wait.
    static func returnFreePages() { _ = malloc_trim(0) }
}
