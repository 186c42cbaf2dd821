import Foundation
import RepositoryFiles

/// One `import` line.
struct ImportLine: Equatable {
    var module: String
    var file: String
    var line: Int

    /// Returns the import lines of a Swift source.
    static func all(in source: String, file: String) -> [ImportLine] {
        let pattern =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/#
        return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            // Most lines do not contain the word, and matching a pattern is slow.
            guard line.contains("import"), let match = line.firstMatch(of: pattern) else { return nil }
            return ImportLine(module: String(match.output.1), file: file, line: index + 1)
        }
    }

    /// Returns the import lines of the Swift sources in a directory of the repository; nil if there are none.
    static func all(inDirectory directory: String) throws -> [ImportLine]? {
        let files = FileManager.default.enumerator(atPath: Checkout.root + "/" + directory)
        let names = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
        guard !names.isEmpty else { return nil }
        return try names.flatMap { name in
            all(in: try Checkout.text("\(directory)/\(name)"), file: "\(directory)/\(name)")
        }
    }
}
