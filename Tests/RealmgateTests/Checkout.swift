import Foundation

/// The files of this checkout.
enum Checkout {
    /// The directory of Package.swift, without a slash at its end.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static let demo = root + "/Sources/realmgate/Demo"

    /// The import lines of a target's Swift files.
    static func imports(of target: String) throws -> [ImportLine] {
        let directory = root + "/Sources/" + target
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().flatMap { name in
            let source = try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
            return ImportLine.all(in: source, file: "\(target)/\(name)")
        }
    }
}
