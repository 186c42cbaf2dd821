package import Foundation
import Glibc
import TestBasics

/// A process started by a test, with its standard output and standard error in files and its input from a file.
///
/// Started with posix_spawn and not with Foundation's Process, which watches its children through a run loop and has no
/// wait with a limit.
package final class ChildProcess: @unchecked Sendable {
    // Sendable: `pid` and the paths are constants; `exitStatus` is guarded by `lock`.
    package let pid: pid_t
    package let standardOutput: String
    package let standardError: String
    private let lock = NSLock()
    private var exitStatus: Int32?

    /// - Parameters:
    ///   - environment: replaces the whole environment, except where programs, files and texts are looked for.
    ///   - directory: the directory of the output files.
    ///   - startsThere: whether the process starts in that directory, and not in the test's.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        directory: String, startsThere: Bool = false
    ) throws {
        let stem = directory + "/process-" + UUID().uuidString.prefix(8)
        standardOutput = stem + ".out"
        standardError = stem + ".err"
        var source = "/dev/null"
        if let input {
            source = stem + ".in"
            try input.write(toFile: source, atomically: false, encoding: .utf8)
        }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, source, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, standardOutput, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, standardError, O_WRONLY | O_CREAT, 0o600)

        // The child must not inherit the test runner's signal mask and ignored signals.
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
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var variables = environment
        for name in ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"] where variables[name] == nil {
            variables[name] = ProcessInfo.processInfo.environment[name]
        }
        // Swift does not import posix_spawn_file_actions_addchdir_np; env(1) changes the directory and executes the
        // program.
        let command = (startsThere ? ["/usr/bin/env", "-C", directory, executable] : [executable]) + arguments
        let argv = command.map { strdup($0) } + [nil]
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, command[0], &actions, &attributes, argv, envp)
        guard status == 0 else { throw TestFailure("cannot start \(executable): \(String(cString: strerror(status)))") }
        pid = child
    }

    deinit {
        if status() == nil {
            Glibc.kill(pid, SIGKILL)
            var raw: Int32 = 0
            waitpid(pid, &raw, 0)
        }
    }

    package var output: String { (try? String(contentsOfFile: standardOutput, encoding: .utf8)) ?? "" }
    package var errors: String { (try? String(contentsOfFile: standardError, encoding: .utf8)) ?? "" }

    package func send(_ signal: Int32) {
        lock.withLock { if exitStatus == nil { Glibc.kill(pid, signal) } }
    }

    /// Stops the process until it gets `SIGCONT`, and returns when all its threads stand still: some go on for a while
    /// after the signal, when the machine is busy.
    package func suspend() throws {
        send(SIGSTOP)
        try lock.withLock {
            var raw: Int32 = 0
            guard exitStatus == nil, waitpid(pid, &raw, WUNTRACED) == pid else {
                throw TestFailure("no process to stop")
            }
            guard raw & 0xFF == 0x7F else {
                exitStatus = Self.exitStatus(raw)
                throw TestFailure("the process ended before it was stopped")
            }
        }
    }

    private static func exitStatus(_ raw: Int32) -> Int32 { raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F) }

    /// The exit code, or minus the signal that ended the process; nil while it runs.
    package func status() -> Int32? {
        lock.withLock {
            if let exitStatus { return exitStatus }
            var raw: Int32 = 0
            guard waitpid(pid, &raw, WNOHANG) == pid else { return nil }
            exitStatus = Self.exitStatus(raw)
            return exitStatus
        }
    }

    /// Waits for the end. Throws, and kills the process, when it does not come.
    @discardableResult
    package func wait() throws -> Int32 {
        var ended: Int32?
        _ = eventually {
            ended = status()
            return ended != nil
        }
        if let ended { return ended }
        send(SIGKILL)
        throw TestFailure("process \(pid) does not end; its standard error: \(errors)")
    }

    /// Waits until `condition` holds. Throws when the process ends before that, or nothing comes.
    package func wait(until what: String, _ condition: () throws -> Bool) throws {
        // Output written just before the end counts, so the end is looked at first.
        var holds = false
        _ = try eventually {
            let hasEnded = status() != nil
            holds = try condition()
            return holds || hasEnded
        }
        guard holds else {
            throw TestFailure("waited for \(what); standard output: \(output) standard error: \(errors)")
        }
    }
}

package struct TestFailure: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}
