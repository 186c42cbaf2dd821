import Foundation
import Glibc
import Synchronization

/// A process that ends when the process of the tests does, however that ends.
///
/// A shell stands between the two: it holds the reading end of a pipe that is closed with the tests, and then asks its
/// child to end.
final class ServerProcess: Sendable {
    private let shell: pid_t
    /// The writing end; -1 once it is closed.
    private let pipe: Mutex<Int32>
    private let status = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - log: the file for what it prints.
    ///   - leftovers: a directory to remove when the tests end before the process.
    init(_ command: [String], log: String, leftovers: String = "") throws {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw PostgresTestFailure("pipe: \(errno)") }
        // Other children must not keep the writing end open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let script = """
            "$@" 3<&- & child=$!
            { read -r line <&3; kill -INT $child 2>/dev/null; } & watcher=$!
            exec 3<&-
            wait $child; status=$?
            # A watcher that has ended saw the end of the tests.
            kill $watcher 2>/dev/null || rm -rf "$LEFTOVERS"
            exit $status
            """
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // A group of its own: a Ctrl-C in the terminal is for the tests.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        let argv = (["/bin/bash", "-c", script, "server"] + command).map { strdup($0) } + [nil]
        let variables = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "LEFTOVERS=\(leftovers)"]
        let envp = variables.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, "/bin/bash", &actions, &attributes, argv, envp)
        close(ends[0])
        guard failure == 0 else {
            close(ends[1])
            throw PostgresTestFailure("cannot start \(command): \(String(cString: strerror(failure)))")
        }
        shell = child
        pipe = Mutex(ends[1])
    }

    deinit { end() }

    /// Has the process end as if the tests had, and waits for that.
    func end() {
        pipe.withLock { pipe in
            if pipe >= 0 { close(pipe) }
            pipe = -1
        }
        wait()
    }

    /// Whether it has ended.
    var hasEnded: Bool {
        status.withLock { status in
            var raw: Int32 = 0
            if status == nil, waitpid(shell, &raw, WNOHANG) == shell { status = Self.code(raw) }
            return status != nil
        }
    }

    /// Waits for the end; returns the exit code.
    @discardableResult
    func wait() -> Int32 {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            while waitpid(shell, &raw, 0) < 0, errno == EINTR {}
            let code = Self.code(raw)
            status = code
            return code
        }
    }

    private static func code(_ raw: Int32) -> Int32 { raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F) }
}
