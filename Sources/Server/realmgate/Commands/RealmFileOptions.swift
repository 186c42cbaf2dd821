import ArgumentParser
import RealmFiles
import RealmImport

/// Options of commands that read a Realm file.
struct RealmFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the key of an encrypted Realm file: 64 bytes, or 128 hexadecimal digits.", valueName: "file"),
        completion: .file())
    var encryptionKeyFile: String?

    @Option(
        name: .customLong("rename"),
        help: ArgumentHelp(
            "Another name for a class or property of a Realm file; may be repeated.",
            discussion: "Examples: --rename Dog=Hound, --rename Dog.name=title", valueName: "old=new"))
    var renames: [String] = []

    @Option(
        name: .customLong("leave-out"),
        help: ArgumentHelp(
            "A class or property of a Realm file that stays behind; may be repeated.",
            discussion: "Examples: --leave-out Draft, --leave-out Dog.cache", valueName: "name"))
    var leftOut: [String] = []

    var isGiven: Bool { encryptionKeyFile != nil || !renames.isEmpty || !leftOut.isEmpty }

    var selection: RealmSelection { RealmSelection(renames: renames, leftOut: leftOut) }

    /// The Realm file at a path; nil if its bytes are not those of one, and no key is given.
    func source(_ path: String) throws -> RealmSource? {
        if encryptionKeyFile != nil || RealmSource.isFile(path) { try RealmSource.checkReadable(path) }
        guard encryptionKeyFile != nil || RealmFile.isPlain(path: path) else { return nil }
        return RealmSource(path: path, key: try encryptionKeyFile.map(RealmSource.key), selection: selection)
    }

    /// Throws when there are options for a Realm file, and the file is none.
    func refuse() throws {
        guard isGiven else { return }
        throw CommandError(
            "--encryption-key-file, --rename and --leave-out are for Realm files, which are given without a class.",
            exitCode: 64)
    }
}
