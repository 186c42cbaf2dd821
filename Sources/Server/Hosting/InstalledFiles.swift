import Glibc

/// Finds the files that are installed with the program: the console, the JavaScript client, the API
/// description, the demo.
///
/// In an installation they are in `../share/realmgate` relative to the executable's directory. In a checkout they are
/// found by walking up from the executable, then from the working directory, to the directory of the package.
package struct InstalledFiles {
    package enum Part: String, CaseIterable {
        case console = "static"
        case client
        case openapi
        case demo

        fileprivate var inCheckout: String {
            switch self {
            case .console: "static"
            case .client: "clients/javascript/lib"
            case .openapi: "openapi"
            case .demo: "Examples/Demo"
            }
        }
    }

    private let executable: String?
    private let workingDirectory: String?

    package static let process = InstalledFiles(executable: currentExecutable(), workingDirectory: currentDirectory())

    package init(executable: String?, workingDirectory: String?) {
        self.executable = executable
        self.workingDirectory = workingDirectory
    }

    /// Returns the directory of a part; nil if there is none.
    package func directory(of part: Part) -> String? {
        if let installation {
            let installed = installation + "/" + part.rawValue
            if Self.isDirectory(installed) { return installed }
        }
        for start in starts {
            if let checkout = Self.checkout(above: start) {
                let directory = checkout + "/" + part.inCheckout
                if Self.isDirectory(directory) { return directory }
            }
        }
        return nil
    }

    /// Says in one sentence which parts are missing, where the program looked for them, and what to do.
    ///
    /// - Parameters:
    ///   - parts: at least one.
    ///   - options: the options of the command line that name these parts' directories.
    package func sentence(missing parts: [Part], _ options: [String]) -> String {
        var searched: [String] = []
        if let installation { searched.append("in '\(installation)'") }
        if !starts.isEmpty {
            searched.append("for a checkout above " + starts.map { "'\($0)'" }.joined(separator: " and "))
        }
        let names = parts.map { "'\($0.rawValue)'" }.joined(separator: " and ")
        return "The program's files \(names) are missing: it looked \(searched.joined(separator: ", and ")). "
            + "Install share/realmgate of the release beside the program's directory, or name the directory with "
            + options.joined(separator: " and ") + "."
    }

    /// Where an installation has the files.
    private var installation: String? {
        executable.map { Self.parent(of: Self.parent(of: $0)) + "/share/realmgate" }
    }

    /// Where the search for a checkout begins.
    private var starts: [String] { [executable.map(Self.parent(of:)), workingDirectory].compactMap { $0 } }

    /// Returns the nearest directory at or above `start` that contains the package.
    private static func checkout(above start: String) -> String? {
        var directory = start
        while true {
            if isFile(directory + "/Package.swift"), isDirectory(directory + "/Sources/Server/realmgate") {
                return directory
            }
            if directory == "/" || directory.isEmpty { return nil }
            directory = parent(of: directory)
        }
    }

    package static func isDirectory(_ path: String) -> Bool { mode(of: path) & S_IFMT == S_IFDIR }

    package static func isFile(_ path: String) -> Bool { mode(of: path) & S_IFMT == S_IFREG }

    private static func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : 0
    }

    /// Returns the parent directory of an absolute path.
    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func currentExecutable() -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink("/proc/self/exe", start, Int(PATH_MAX))
            guard length > 0 else { return nil }
            start[length] = 0
            return String(cString: start)
        }
    }

    private static func currentDirectory() -> String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
