import Files

/// Small text files.
enum TextFile {
    /// Returns the first line without its line break; nil if the file does not exist or the line is empty.
    static func line(_ path: String) -> String? {
        guard let bytes = try? WholeFile.read(path, limit: 4095) else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { return nil }
        return String(validating: line, as: UTF8.self)
    }
}
