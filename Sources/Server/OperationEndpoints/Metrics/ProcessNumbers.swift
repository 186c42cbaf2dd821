import Files
import Glibc

/// The system's statistics of this process.
struct ProcessNumbers {
    var cpuSeconds = 0.0
    var residentBytes = 0
    /// The part of it that is in mapped files, such as the database: the system takes it back when it needs memory.
    var mappedBytes = 0
    var virtualBytes = 0
    var openFiles = 0
    var maximumFiles = 0

    /// Cost: some system calls and two small files.
    static func now() -> ProcessNumbers {
        var numbers = ProcessNumbers()
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            numbers.cpuSeconds =
                Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
        let pages = words(of: "/proc/self/statm").compactMap { Int($0) }
        if pages.count > 2 {
            let size = sysconf(Int32(_SC_PAGESIZE))
            (numbers.virtualBytes, numbers.residentBytes) = (pages[0] * size, pages[1] * size)
            numbers.mappedBytes = pages[2] * size
        }
        if let directory = opendir("/proc/self/fd") {
            // Without `.`, `..` and the descriptor of this directory.
            var count = -3
            while readdir(directory) != nil { count += 1 }
            closedir(directory)
            numbers.openFiles = max(count, 0)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            numbers.maximumFiles = Int(clamping: limit.rlim_cur)
        }
        return numbers
    }

    private static func words(of path: String) -> [Substring] {
        guard let bytes = try? WholeFile.read(path, limit: 4096) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
}
