import Files
import Glibc
import HTTPProblems
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import RequestHandling
import WriteRequests

/// The files of the console and of the JavaScript client, read once: paths of requests are looked up among them, so
/// that no path leads anywhere else.
struct StaticFiles: Sendable {
    private struct File {
        let type: String
        let content: ServedFile
        let tag: EntityTag
    }

    /// The files by path within the directory, such as `console.css`.
    private var files: [String: File] = [:]

    private static let sizeLimit = 64 << 20

    /// Pages may load from and call only their own origin.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
        font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// Throws for a directory that cannot be read.
    init(_ configuration: GatewayConfiguration) throws {
        var room = Self.sizeLimit
        if let directory = configuration.staticDirectory { try read(directory, under: "", &room, depth: 0) }
        if let directory = configuration.clientDirectory { try read(directory, under: "client/", &room, depth: 0) }
    }

    /// The page at `/`.
    func index(_ request: Request) throws -> Reply {
        guard let page = files["index.html"] else {
            return .now(.text("Realmgate is running. GET /openapi.json describes what it answers.\n"))
        }
        return try reply(page, request)
    }

    /// Returns a file by its path within the directory.
    func file(_ path: String, _ request: Request) throws -> Reply {
        guard let file = files[path] else {
            throw Problem(HTTPError.Code.notFound, "There is no file at this path.")
        }
        return try reply(file, request)
    }

    /// The page at `/docs`.
    func reader(_ request: Request) throws -> Reply {
        guard let page = files["docs.html"] else {
            throw Problem(
                HTTPError.Code.notFound, "This gateway was started without its files. GET /openapi.json has it all.")
        }
        return try reply(page, request)
    }

    /// Reads the API description; nil if there is no directory for it. Throws if the directory does not contain it.
    static func description(_ configuration: GatewayConfiguration) throws -> JSONValue? {
        guard let directory = configuration.openapiDirectory else { return nil }
        let path = directory + "/openapi.json"
        do {
            return try JSONValue.parse(try content(of: path, limit: sizeLimit).bytes)
        } catch is JSONError {
            throw Unreadable(path: path)
        }
    }

    private func reply(_ file: File, _ request: Request) throws(Problem) -> Reply {
        var response = Response(
            headers: [
                "Content-Type": file.type, "ETag": file.tag.header, "Cache-Control": "no-cache",
                "Content-Security-Policy": Self.policy,
            ])
        if let known = try EntityTags(request, "If-None-Match"), known.contains(file.tag) {
            response.status = 304
        } else {
            file.content.fill(&response, for: request)
        }
        return .now(response)
    }

    // MARK: Reading

    private mutating func read(_ directory: String, under prefix: String, _ room: inout Int, depth: Int) throws {
        guard depth < 8, let handle = opendir(directory) else { throw Unreadable(path: directory) }
        defer { closedir(handle) }
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Also excludes `.`, `..` and temporary files of editors.
            guard !name.hasPrefix(".") else { continue }
            let path = directory + "/" + name
            switch FileStatus(path: path)?.kind {
            case .directory: try read(path, under: prefix + name + "/", &room, depth: depth + 1)
            case .file:
                let content = try Self.content(of: path, limit: room)
                room -= content.count
                files[prefix + name] = Self.file(Self.type(of: name), content)
            default: continue
            }
        }
    }

    private static func file(_ type: String, _ content: SharedBytes) -> File {
        File(type: type, content: ServedFile(content, contentType: type), tag: tag(content))
    }

    private static func content(of path: String, limit: Int) throws -> SharedBytes {
        guard limit >= 0, let bytes = try? WholeFile.read(path, limit: limit), bytes.count <= limit else {
            throw Unreadable(path: path)
        }
        return SharedBytes(bytes)
    }

    private static func tag(_ content: SharedBytes) -> EntityTag {
        content.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { EntityTag(Fingerprint.text(of: $0)) }
        }
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last.map({ String($0).lowercased() }) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "ts": "application/typescript; charset=utf-8"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

/// A file or directory that cannot be served.
package struct Unreadable: Error, Hashable, CustomStringConvertible {
    package var path: String

    package var description: String { "'\(path)' cannot be read, or it is too large to serve." }
}
