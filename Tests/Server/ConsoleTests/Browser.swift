import Foundation
import Glibc
import ProgramTesting
import RepositoryFiles
import TestBasics

/// A headless Chromium with one page, controlled through its debugging pipe: it reads file descriptor 3 and writes 4,
/// JSON messages that end in a zero byte. Both are one end of a socket pair here, because a write to a pipe without a
/// reader would end the test run with SIGPIPE. Used by one thread at a time. Its deinitialiser ends the browser and
/// deletes the profile.
///
/// Unchecked, because only one thread at a time uses it: the suite that shares it is serialised.
final class Browser: @unchecked Sendable {
    /// Nil if none is installed.
    static let executable: String? = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].lazy
        .flatMap { name in ["/usr/bin/", "/usr/local/bin/"].map { $0 + name } }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Tests without a browser are skipped, except in CI, where everything must be tested.
    static let isWanted = TestNeed.isMet(
        executable != nil, "the console and pages in a browser", because: "there is no Chromium; install chromium")

    private let pid: pid_t
    private let profile: TestDirectory
    private let channel: Int32
    private var received = Data()
    private var lastID = 0
    private var session: String?

    /// Unexpected reports of the page: uncaught exceptions and violations of its content security policy.
    private(set) var complaints: [String] = []

    func forgetComplaints() { complaints = [] }

    init(width: Int = 1400, height: Int = 900) throws {
        guard let executable = Self.executable else { throw TestFailure("there is no Chromium") }
        profile = try TestDirectory()
        let (ours, theirs) = try Self.channel()
        defer { close(theirs) }
        channel = ours
        pid = try Self.spawn(
            executable,
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                "--user-data-dir=\(profile.path)", "--remote-debugging-pipe", "about:blank",
            ], channel: theirs, log: profile.file("log"))

        let target = try command("Target.createTarget", ["url": "about:blank"])
        let attached = try command(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { try command(domain + ".enable") }
        try resize(width: width, height: height)
    }

    deinit {
        close(channel)
        // The browser has helper processes; all are in the group that it leads.
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    // MARK: The page

    func resize(width: Int, height: Int) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Emulates a system that prefers a dark or a light theme, or that chooses the colours of pages itself.
    func preferDark(_ isDark: Bool, forcedColours: Bool = false) throws {
        try command(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
                    ["name": "forced-colors", "value": forcedColours ? "active" : "none"],
                ]
            ])
    }

    /// Puts files into a file input, as the file dialog does.
    func choose(_ files: [String], for element: String) throws {
        let answer = try command("Runtime.evaluate", ["expression": element])
        let object = answer["result"] as? [String: Any]
        try command("DOM.setFileInputFiles", ["files": files, "objectId": object?["objectId"] ?? ""])
    }

    func open(_ address: String) throws {
        try command("Page.navigate", ["url": address])
    }

    func reload() throws {
        try command("Page.reload")
    }

    /// Returns the value of a JavaScript expression as JSON.
    @discardableResult
    func evaluate(_ expression: String) throws -> Any? {
        let answer = try command(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let exception = answer["exceptionDetails"] as? [String: Any] {
            let thrown = exception["exception"] as? [String: Any]
            throw TestFailure("\(expression): \(thrown?["description"] ?? exception["text"] ?? "failed")")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    func text(_ expression: String) throws -> String { try evaluate(expression) as? String ?? "" }

    /// Waits until a JavaScript expression is true. Throws if that does not come, with the contents of the page.
    func wait(for expression: String) throws {
        guard try !eventually({ try isTrue(expression) }) else { return }
        let page = try text("document.body.innerText")
        throw TestFailure("waited for \(expression); the page reported \(complaints) and shows: \(page)")
    }

    /// Also false for a page that is unloaded meanwhile.
    private func isTrue(_ expression: String) throws -> Bool {
        do {
            return try evaluate("Boolean(\(expression))") as? Bool == true
        } catch let failure as TestFailure where failure.description.contains("navigated or closed") {
            return false
        }
    }

    /// Turns the console to a route, and waits for its page: until that has been loaded, the page before is shown.
    func turn(to route: String) throws {
        let path = route.dropFirst().prefix { $0 != "?" }
        let page = path.hasPrefix("/") ? (path.dropFirst().contains("/") ? "object" : "objects") : String(path)
        try evaluate("location.hash = '\(route)'")
        try wait(for: "['\(page)', 'sign-in', 'not-found'].includes(document.querySelector('main')?.dataset.page)")
    }

    /// Clicks the middle of the element that an expression returns, `times` in quick succession. `whilePressed` runs
    /// between press and release.
    func click(_ element: String, times: Int = 1, whilePressed: () throws -> Void = {}) throws {
        try wait(for: element)
        let position = try evaluate(
            """
            (() => {
              const element = \(element);
              element.scrollIntoView({ block: "nearest", inline: "nearest" });
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            })()
            """)
        guard let point = position as? [NSNumber], point.count == 2 else { throw TestFailure("no place of \(element)") }
        func mouse(_ type: String, _ more: [String: Any] = [:]) throws {
            var event: [String: Any] = ["type": type, "x": point[0].doubleValue, "y": point[1].doubleValue]
            event.merge(more) { _, new in new }
            try command("Input.dispatchMouseEvent", event)
        }
        try mouse("mouseMoved")
        for count in 1...times {
            try mouse("mousePressed", ["button": "left", "clickCount": count])
            try whilePressed()
            try mouse("mouseReleased", ["button": "left", "clickCount": count])
        }
    }

    /// Presses the mouse button on one element, moves it in steps over another, and releases it there.
    func drag(_ element: String, to target: String) throws {
        try wait(for: element)
        let positions = try evaluate(
            """
            (() => {
              const middle = (one) => {
                const box = one.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + 4];
              };
              \(element).scrollIntoView({ block: "center" });
              return [...middle(\(element)), ...middle(\(target))];
            })()
            """)
        guard let points = (positions as? [NSNumber])?.map(\.doubleValue), points.count == 4 else {
            throw TestFailure("no places of \(element) and \(target)")
        }
        func mouse(_ type: String, _ share: Double) throws {
            try command(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": points[0], "y": points[1] + (points[3] - points[1]) * share, "button": "left",
                    "buttons": type == "mouseMoved" ? 1 : 0, "clickCount": 1,
                ])
        }
        try mouse("mousePressed", 0)
        for step in 1...5 { try mouse("mouseMoved", Double(step) / 5) }
        try mouse("mouseReleased", 1)
    }

    /// Types into the focused element.
    func type(_ text: String) throws {
        for character in text {
            try command("Input.dispatchKeyEvent", ["type": "char", "text": String(character)])
        }
    }

    /// Presses a key that writes no text, such as `Escape`, or `Enter`, or a letter that is a command.
    func press(_ key: String, alt: Bool = false, shift: Bool = false) throws {
        let codes = [
            "Tab": 9, "Home": 36, "End": 35, "Enter": 13, "Escape": 27, "Delete": 46, "ArrowUp": 38, "ArrowDown": 40,
            "ArrowRight": 39,
            "ArrowLeft": 37,
        ]
        var event: [String: Any] = [
            "key": key, "code": key, "windowsVirtualKeyCode": codes[key] ?? 0,
            "modifiers": (alt ? 1 : 0) + (shift ? 8 : 0),
        ]
        if key == "Enter" { event["text"] = "\r" }
        try command("Input.dispatchKeyEvent", event.merging(["type": "keyDown"]) { _, new in new })
        event["text"] = nil
        try command("Input.dispatchKeyEvent", event.merging(["type": "keyUp"]) { _, new in new })
    }

    // MARK: The pipe

    @discardableResult
    private func command(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        var bytes = try JSONSerialization.data(withJSONObject: message)
        bytes.append(0)
        try send(bytes)
        while true {
            let answer = try receive()
            guard answer["id"] as? Int == lastID else {
                note(answer)
                continue
            }
            if let error = answer["error"] { throw TestFailure("\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func note(_ event: [String: Any]) {
        let parameters = event["params"] as? [String: Any] ?? [:]
        switch event["method"] as? String {
        case "Runtime.exceptionThrown":
            let details = parameters["exceptionDetails"] as? [String: Any]
            let exception = details?["exception"] as? [String: Any]
            complaints.append("\(exception?["description"] ?? details?["text"] ?? "an exception")")
        case "Log.entryAdded":
            let entry = parameters["entry"] as? [String: Any]
            if entry?["source"] as? String == "security" { complaints.append("\(entry?["text"] ?? "")") }
        default: break
        }
    }

    private func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(channel, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw TestFailure("the browser is gone") }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws -> [String: Any] {
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = Data(received[..<end])
                received = Data(received[(end + 1)...])
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            var waiting = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(TestRun.patience) * 1_000) == 1 else {
                throw TestFailure("the browser does not answer")
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = buffer.withUnsafeMutableBytes { Glibc.recv(channel, $0.baseAddress, $0.count, 0) }
            guard count > 0 else {
                let log = (try? String(contentsOfFile: profile.file("log"), encoding: .utf8)) ?? ""
                throw TestFailure("the browser is gone: \(log.suffix(500))")
            }
            received.append(contentsOf: buffer[..<count])
        }
    }

    // MARK: The process

    /// Two connected sockets, above the numbers that the browser gives its own ends.
    private static func channel() throws -> (ours: Int32, theirs: Int32) {
        var low: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &low) == 0 else {
            throw TestFailure("no socket pair")
        }
        defer { for number in low { close(number) } }
        return (fcntl(low[0], F_DUPFD_CLOEXEC, 16), fcntl(low[1], F_DUPFD_CLOEXEC, 16))
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], channel: Int32, log: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        posix_spawn_file_actions_adddup2(&actions, channel, 3)
        posix_spawn_file_actions_adddup2(&actions, channel, 4)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        let argv = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in argv { free(pointer) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, executable, &actions, &attributes, argv, environ)
        guard status == 0 else { throw TestFailure("cannot start \(executable): \(String(cString: strerror(status)))") }
        return child
    }
}
