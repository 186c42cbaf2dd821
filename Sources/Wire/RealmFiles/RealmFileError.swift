import Glibc

/// Why a Realm file cannot be read.
package enum RealmFileError: Error, Equatable, Sendable {
    /// The bytes are not those of a Realm file. Without its key an encrypted one cannot be told from any other file;
    /// `mayBeEncrypted` says whether the length is that of one.
    case notRealm(mayBeEncrypted: Bool)
    /// A Realm file whose format this module does not know.
    case unsupportedFormat(Int)
    /// The key does not belong to this file, or is not a key: then it has another number of bytes than 64.
    case wrongKey(length: Int)
    /// The file breaks a rule of its format. The location names the node, and what was read there.
    case damaged(location: String, reason: String)
    /// So many values are in one object, or in few, that they do not fit into the memory that this file may take.
    case tooLarge(location: String, most: Int)
    /// Another program writes the file so often that no whole copy of it could be taken.
    case inUse
    /// The system's error number.
    case unreadable(code: Int32)

    /// The stable name of the fault.
    package var code: String {
        switch self {
        case .notRealm: "realm_file.unknown"
        case .unsupportedFormat: "realm_file.format"
        case .wrongKey: "realm_file.key"
        case .damaged: "realm_file.damaged"
        case .tooLarge: "realm_file.too_large"
        case .inUse: "realm_file.in_use"
        case .unreadable: "realm_file.unreadable"
        }
    }

    /// A sentence that says what is wrong, and what to do.
    package var message: String {
        switch self {
        case .notRealm(let mayBeEncrypted):
            mayBeEncrypted
                ? "This is not a Realm file, or an encrypted one: give its key of 64 bytes."
                : "This is not a Realm file."
        case .unsupportedFormat(let number) where number < 11:
            "The file has Realm's format \(number); formats 11 and 20 to 24 can be read. "
                + "Versions of Realm with Realm Core 13 or below convert it: open it with an app that has one, or with "
                + "a Realm Studio of 2023, and try again.\(number < 6 ? " A file this old may need a version of Realm before 5 first." : "")"
        case .unsupportedFormat(let number):
            "The file has Realm's format \(number), which is not known; formats 11 and 20 to 24 can be read."
        case .wrongKey(RealmFile.keyLength):
            "The key does not open this file, or the file is damaged. Give the 64 bytes that it was encrypted with."
        case .wrongKey(let length): "A key has \(RealmFile.keyLength) bytes; this one has \(length)."
        case .damaged(let location, let reason):
            "The file is damaged: \(location): \(reason). Try a copy of it"
                + (location.contains(", column '") ? ", or leave the property out." : ".")
        case .tooLarge(let location, let most):
            "The file has too many values in one place: \(location): at most \(most) values can be in memory at once for a file of this size. Leave the property out."
        case .inUse:
            "Another program writes the file. Close that program, or copy the file while it does not write, and try again."
        case .unreadable(let code): "The file cannot be read: \(String(cString: strerror(code)))."
        }
    }
}

extension RealmFileError: CustomStringConvertible {
    package var description: String { message }
}
