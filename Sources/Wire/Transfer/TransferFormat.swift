import Compression

/// A file format for objects.
package enum TransferFormat: String, CaseIterable, Sendable {
    /// One JSON object per line.
    case ndjson
    /// RFC 4180, with the names of the properties in the first record.
    case csv

    /// Returns the format for the extension of a file name, before that of a compression; nil if it is unknown.
    package init?(fileName: String) {
        var name = fileName.lowercased()[...]
        for ending in Coding.allCases.map(\.fileExtension) where name.hasSuffix(ending) {
            name = name.dropLast(ending.count)
        }
        if name.hasSuffix(".csv") || name.hasSuffix(".tsv") {
            self = .csv
        } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }

    /// Returns the format for a media type, without its parameters; nil if it is unknown.
    package init?(mediaType: String) {
        switch mediaType.prefix(while: { $0 != ";" }).lowercased().filter({ $0 != " " }) {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
            self = .ndjson
        case "text/csv": self = .csv
        default: return nil
        }
    }

    /// The media type without parameters.
    package var name: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv"
        }
    }

    package var mediaType: String {
        switch self {
        case .ndjson: name
        case .csv: name + "; charset=utf-8; header=present"
        }
    }
}

/// The reason, as a sentence, why a file cannot be read or written any further.
package struct TransferError: Error, Equatable {
    package var message: String
    /// Whether the file does not exist, or may not be opened.
    package var isUnreadableFile: Bool

    package init(_ message: String, isUnreadableFile: Bool = false) {
        self.message = message
        self.isUnreadableFile = isUnreadableFile
    }
}
