import Glibc

/// Small text files.
enum TextFile {
    /// Returns the first line without its line break; nil if the file does not exist or the line is empty.
    static func line(_ path: String) -> String? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { return nil }
        return String(validating: line, as: UTF8.self)
    }
}
