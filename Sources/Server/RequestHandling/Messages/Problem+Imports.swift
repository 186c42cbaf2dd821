import HTTPServer
package import ObjectCoding
import RealmFiles
package import RealmImport
import Transfer
import WireProtocol

/// The errors of imports and of the files that they read.
extension Problem {
    /// The error for a file of which nothing was imported because of invalid lines.
    init(_ refusal: ObjectImporter.Refusal) {
        let outcome = refusal.outcome
        self.init(
            .importRefused,
            "\(outcome.refused) \(outcome.refused == 1 ? "line is" : "lines are") invalid, so nothing was imported. Correct them, or omit 'atomic' to import the others."
        )
        lines = outcome.faults
        imported = ImportedPart(outcome, line: nil)
    }

    /// The error for an import that ended early. Nil for an internal cause; see `init(of:)`.
    init?(_ failure: ObjectImporter.Failure) {
        guard var problem = Problem(of: failure.cause) else { return nil }
        problem.lines = failure.outcome.faults
        problem.imported = ImportedPart(failure.outcome, line: failure.line)
        self = problem
    }

    /// The error for more invalid lines than allowed.
    init(_ fault: ObjectImporter.TooManyFaults) {
        self.init(
            .importTooManyFaults,
            "More than \(fault.limit) lines are invalid, so the import ended (limits.importFaults). Correct the file; with update=modified an interrupted import can be repeated."
        )
    }

    /// The error for a file that is too large for one transaction.
    init(_ fault: ObjectImporter.TooLarge) {
        self.init(
            .importTooLarge,
            "A transaction can import files of up to \(sizeInWords(fault.limit)), because it is in memory until it is on disk. Omit 'atomic', or split the file: with update=modified an interrupted import can be repeated."
        )
    }

    init(_ fault: TransferError) { self.init(.importUnreadable, fault.message) }
}

extension Problem {
    init(_ fault: RealmFileError) {
        switch fault {
        case .notRealm(let mayBeEncrypted):
            self.init(
                .realmFileUnknown,
                fault.message + (mayBeEncrypted ? " Send it in the header \(HeaderName.encryptionKey)." : ""),
                parameter: mayBeEncrypted ? HeaderName.encryptionKey : nil)
        case .unsupportedFormat: self.init(.realmFileFormat, fault.message)
        case .wrongKey: self.init(.realmFileKey, fault.message, parameter: HeaderName.encryptionKey)
        case .damaged: self.init(.realmFileDamaged, fault.message)
        case .tooLarge: self.init(.realmFileTooLarge, fault.message)
        case .inUse: self.init(.realmFileInUse, fault.message)
        case .unreadable: self.init(.realmFileUnreadable, fault.message)
        }
    }

    package init(_ fault: RealmImportError) {
        let code: Code =
            switch fault.reason {
            case .unknownName: .realmFileUnknownName
            case .invalidSelection: .parameterInvalid
            case .unsuitable: .realmFileUnsuitable
            case .noClasses: .realmFileNoClasses
            case .differentClass: .realmFileDifferentClass
            case .value: .realmFileValue
            case .repeatedKey: .realmFileRepeatedKey
            case .duplicate: .realmFileDuplicate
            }
        self.init(code, fault.message, parameter: fault.reason == .invalidSelection ? "rename" : nil)
    }
}

/// A size for people, exactly: `256 MiB`, `4 KiB` or `1500 bytes`, as settings take it.
package func sizeInWords(_ bytes: Int) -> String {
    for (unit, shift) in [("MiB", 20), ("KiB", 10)] where bytes >= 1 << shift && bytes % (1 << shift) == 0 {
        return "\(bytes >> shift) \(unit)"
    }
    return "\(bytes) bytes"
}
