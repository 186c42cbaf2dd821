import Files
import Glibc
import JSONCoding

/// The file of the API keys: readable by its owner only, and always written completely or not at all.
///
/// `{"format": 1, "keys": [{"id", "name", "roles", "claims", "readOnly", "created", "sha256", …}]}`. Several processes
/// can write it, one after the other: the lock is on a separate file, because this one is replaced.
struct KeyFile: Sendable {
    let path: String

    /// Nil if the file does not exist.
    var stamp: FileStamp? { FileStamp(path) }

    /// Returns no keys if the file does not exist.
    func read() throws(IdentityError) -> [APIKey] {
        guard let bytes = try IdentityError.naming({ () throws(FileFault) in try WholeFile.read(path) }) else {
            return []
        }
        guard let json = try? JSONValue.parse(bytes), json["format"] == .int(1),
            case .array(let records)? = json["keys"]
        else { throw IdentityError("The file of keys '\(path)' is damaged: it does not have the expected format.") }
        var keys: [APIKey] = []
        for (index, record) in records.enumerated() {
            guard let key = APIKey(record) else {
                throw IdentityError("The file of keys '\(path)' is damaged at its key number \(index + 1).")
            }
            keys.append(key)
        }
        return keys
    }

    /// Reads the keys, calls `change`, and writes them, while holding the lock against other processes.
    func update<R>(_ change: (inout [APIKey]) throws(IdentityError) -> R) throws(IdentityError) -> (R, [APIKey]) {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw IdentityError("open", path + ".lock", errno) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw IdentityError("lock", path + ".lock", errno) }
        }
        var keys = try read()
        let result = try change(&keys)
        let json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.name("format")
        json.int(1)
        json.name("keys")
        json.beginArray()
        for key in keys { key.write(into: json) }
        json.endArray()
        json.endObject()
        json.endLine()
        let bytes = json.bytes
        try IdentityError.naming { () throws(FileFault) in try WholeFile.replace(path, with: bytes) }
        return (result, keys)
    }
}
