import Foundation
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import Testing
import Transfer

@Suite("Realm files on the command line")
struct RealmFileCommandTests {
    /// Unpacks a file of the tests of `RealmFiles`. Returns its path.
    private func file(_ name: String, in directory: TestDirectory) throws -> String {
        let path = directory.file(name + ".realm")
        let packed = Checkout.root + "/Tests/Wire/RealmFilesTests/Files/" + name + ".realm.gz"
        try Data(try ByteSource(path: packed).readAll(limit: 64 << 20)).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func run(_ arguments: [String], in directory: TestDirectory) throws -> Program.Result {
        try Program.run(arguments, environment: ["REALMGATE_DATA": directory.file("app.realmgate")], in: directory)
    }

    private func hasDatabase(_ directory: TestDirectory) -> Bool {
        FileManager.default.fileExists(atPath: directory.file("app.realmgate"))
    }

    @Test("a Realm file becomes a database, with counts and sums for comparing, and is not changed")
    func imports() throws {
        let directory = try TestDirectory()
        let many = try file("many", in: directory)
        // It is found by its bytes.
        let copy = directory.file("backup.bin")
        try FileManager.default.copyItem(atPath: many, toPath: copy)
        let result = try run(["import", copy], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["City: 300 objects", "Trip: 2,700 objects"])
        #expect(lines.contains { $0.hasPrefix("  delay: ") && $0.contains(" values, sum ") && $0.contains("maximum ") })
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data(contentsOf: URL(fileURLWithPath: many)))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix("backup") } == [
                "backup.bin"
            ])
        #expect(try run(["query", "Trip", "--count"], in: directory).output == "2700\n")
        let schema = try run(["schema"], in: directory)
        let shown = try run(["schema", many], in: directory)
        #expect(shown.status == 0 && shown.output == schema.output)
        #expect(shown.errors.contains("schema version 12") && shown.errors.contains("Trip: 2,700 objects"))
        let again = try run(["import", many], in: directory)
        #expect(again.status == 1 && again.errors.contains("'C0'") && again.output.isEmpty, "\(again.errors)")
        #expect(try run(["query", "Trip", "--count"], in: directory).output == "2700\n")
    }

    @Test("a file that is not there, may not be read or has a key twice has a sentence and a status of its own")
    func unusable() throws {
        let directory = try TestDirectory()
        for command in [["schema", "gone.realm"], ["export", "gone.realm", "Dog"], ["import", "gone.realm"]] {
            let result = try run(command, in: directory)
            #expect(result.status == 66 && result.errors.contains("There is no file 'gone.realm'"), "\(result.errors)")
        }
        let many = URL(fileURLWithPath: try file("many", in: directory))
        var bytes = try Data(contentsOf: many)
        let key = try #require(bytes.range(of: Data("C1\0".utf8)))
        bytes.replaceSubrange(key, with: Data("C0\0".utf8))
        try bytes.write(to: many)
        let twice = try run(["import", many.path], in: directory)
        #expect(twice.status == 65 && twice.errors.contains("two objects of 'City'"), "\(twice.errors)")
        #expect(!hasDatabase(directory))
    }

    @Test("names of a file cannot steer a terminal")
    func controls() throws {
        let directory = try TestDirectory()
        let many = URL(fileURLWithPath: try file("many", in: directory))
        var bytes = try Data(contentsOf: many)
        let name = try #require(bytes.range(of: Data("class_City\0".utf8)))
        bytes.replaceSubrange(name, with: Data("class_C\u{1B}ty\0".utf8))
        try bytes.write(to: many)
        for command in [["import", many.path], ["schema", many.path], ["export", many.path, "--output", "out"]] {
            let result = try run(command, in: directory)
            #expect(!(result.output + result.errors).unicodeScalars.contains("\u{1B}"), "\(command)")
            #expect(result.errors.contains("C\\u{1b}ty"), "\(result.errors)")
        }
    }

    @Test("--dry-run says what would come into the database or stands in the way, and writes nothing")
    func dryRun() throws {
        let directory = try TestDirectory()
        let many = try file("many", in: directory)
        let seen = try run(["import", many, "--dry-run"], in: directory)
        #expect(seen.status == 0 && seen.output.contains("City: 300 objects\n"), "\(seen.errors)")
        #expect(!hasDatabase(directory))
        #expect(try run(["import", many], in: directory).status == 0)
        let before = try run(["check", directory.file("app.realmgate")], in: directory).output
        let refused = try run(["import", many, "--dry-run"], in: directory)
        #expect(
            refused.status == 1 && refused.errors.contains("300 of the objects of City already"), "\(refused.errors)")
        let updated = try run(["import", many, "--dry-run", "--update", "modified"], in: directory)
        #expect(updated.status == 0, "\(updated.errors)")
        #expect(
            updated.output.contains("City: 300 objects, 300 of them there already, into the class of the database\n"))
        let owners = try file("owners", in: directory)
        let unsuitable = try run(["import", owners, "--dry-run"], in: directory)
        #expect(unsuitable.status == 1 && unsuitable.errors.contains("--leave-out Address.former"))
        #expect(try run(["check", directory.file("app.realmgate")], in: directory).output == before)
        let misplaced = try run(["import", "City", many, "--dry-run"], in: directory)
        #expect(misplaced.status == 64 && misplaced.errors.contains("omit the class"))
    }

    @Test("an option to copy is quoted for a shell")
    func quoted() throws {
        let directory = try TestDirectory()
        let many = URL(fileURLWithPath: try file("many", in: directory))
        var bytes = try Data(contentsOf: many)
        let name = try #require(bytes.range(of: Data("class_City\0".utf8)))
        bytes.replaceSubrange(name, with: Data("class_$ity\0".utf8))
        try bytes.write(to: many)
        let refused = try run(["import", many.path], in: directory)
        #expect(refused.status == 1 && refused.errors.contains("--rename '$ity=NAME'"), "\(refused.errors)")
        #expect(try run(["import", many.path, "--rename", "$ity=City"], in: directory).status == 0)
    }

    @Test("half of a file was cut off, and of an encrypted one it is not in use")
    func cutOff() throws {
        let directory = try TestDirectory()
        let many = URL(fileURLWithPath: try file("many", in: directory))
        let bytes = try Data(contentsOf: many)
        try bytes.prefix(bytes.count / 2).write(to: many)
        let half = try run(["import", many.path], in: directory)
        #expect(half.status == 65 && half.errors.contains("it was cut off"), "\(half.errors)")
        let secret = URL(fileURLWithPath: try file("encrypted", in: directory))
        try Data(contentsOf: secret).prefix(4096).write(to: secret)
        try Data(0..<64).write(to: URL(fileURLWithPath: directory.file("key")))
        let table = try run(["import", secret.path, "--encryption-key-file", directory.file("key")], in: directory)
        #expect(table.status == 78 && table.errors.contains("or the file is damaged"), "\(table.errors)")
        #expect(!hasDatabase(directory))
    }

    @Test("links that no export can have are all named, with the way on, before a file is made")
    func unexportable() throws {
        let directory = try TestDirectory()
        let old = try file("format-20", in: directory)
        let output = directory.file("out")
        let refused = try run(["export", old, "--output", output], in: directory)
        #expect(refused.status == 1 && refused.errors.contains("--leave-out Person.pets"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: output))
        let done = try run(["export", old, "--output", output, "--leave-out", "Person.pets"], in: directory)
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: output).sorted() == ["Person.ndjson", "Pet.ndjson"])
        #expect(try run(["export", old, "Person", "--fields", "fullName"], in: directory).status == 0)
    }

    @Test("a realm in PostgreSQL gets classes and objects of a Realm file, and each of its replicas has them")
    func shared() throws {
        guard PostgresServer.isThere else { return }
        let realm = try RealmCommandTests.Realm()
        let many = try file("many", in: realm.directory)
        let imported = try realm.run("import", many, "--data", "a.replica")
        #expect(imported.status == 0 && imported.output.contains("Trip: 2,700 objects"), "\(imported.errors)")
        let other = try realm.run("query", "Trip", "from.code == 'C7'", "--count", "--data", "b.replica")
        let same = try realm.run("query", "Trip", "from.code == 'C7'", "--count", "--data", "a.replica")
        #expect(other.status == 0 && other.output == same.output && other.output != "0\n", "\(other.errors)")
    }

    @Test("a server that has the database open serves what is imported")
    func served() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(["--data", directory.file("app.realmgate")], in: directory)
        let many = try file("many", in: directory)
        #expect(try run(["import", many], in: directory).status == 0)
        let got = try ChildProcess(
            "/usr/bin/env", ["curl", "-s", "\(server.address)/v1/objects/Trip?count=true&limit=0"],
            directory: directory.path)
        #expect(try got.wait() == 0)
        #expect(got.output.contains("\"count\":2700"), "\(got.output)")
        #expect(try server.stop() == 0)
    }

    @Test("what a database cannot have is named before anything is written, and options lead on")
    func wayOn() throws {
        let directory = try TestDirectory()
        let owners = try file("owners", in: directory)
        let refused = try run(["import", owners], in: directory)
        #expect(refused.status == 1 && refused.errors.contains("--leave-out Address.former"), "\(refused.errors)")
        #expect(!hasDatabase(directory))
        let typo = try run(["import", owners, "--leave-out", "Adress.former"], in: directory)
        #expect(typo.status == 64 && typo.errors.contains("Did you mean 'Address.former'?"), "\(typo.errors)")
        #expect(!hasDatabase(directory))
        let done = try run(
            [
                "import", owners, "--leave-out", "Address.former", "--leave-out", "Entry", "--rename",
                "Person=Human", "--rename", "Person.others=more",
            ], in: directory)
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("Human: 39 objects") && done.output.contains("Address: "), "\(done.output)")
        #expect(done.errors.contains("Class 'Entry' is left out, with 90 objects."))
        let one = try run(["query", "Human", "name == 'person 2'"], in: directory)
        #expect(
            one.output.contains(#""more":[{"street":null,"number":0},{"street":null,"number":1}]"#), "\(one.output)")
    }

    @Test("a class of another kind is refused, and what becomes different of the database is said")
    func otherKinds() throws {
        let directory = try TestDirectory()
        let owners = try file("owners", in: directory)
        let old = try file("format-20", in: directory)
        #expect(try run(["import", owners, "--leave-out", "Address.former"], in: directory).status == 0)
        let refused = try run(["import", old], in: directory)
        #expect(refused.status == 1 && refused.errors.contains("has the primary key '_id'"), "\(refused.errors)")
        #expect(refused.errors.contains("Give it another name: --rename Person=NAME."), "\(refused.errors)")
        let options = ["--rename", "Person=Human", "--leave-out", "Address.street"]
        let done = try run(["import", old] + options, in: directory)
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            done.errors.contains("Class 'Address' of the database gets the property 'city'."), "\(done.errors)")
        let twice = try run(["import", old, "--rename", "Pet=A", "--rename", "Pet=B"], in: directory)
        #expect(twice.status == 64 && twice.errors.contains("'Pet' is renamed to 'A' already"), "\(twice.errors)")
    }

    @Test("objects of a Realm file are exported as those of a database")
    func exports() throws {
        let directory = try TestDirectory()
        let many = try file("many", in: directory)
        let empty = try file("empty", in: directory)
        let trips = try run(["export", many, "Trip", "--format", "csv", "--fields", "kind,from"], in: directory)
        #expect(trips.status == 0, "\(trips.errors)")
        #expect(trips.output.hasPrefix("kind,from") && trips.output.split(whereSeparator: \.isNewline).count == 2701)
        let one = try run(["export", empty, "--format", "ndjson"], in: directory)
        #expect(one.status == 0 && one.output.isEmpty, "\(one.errors)")
        let several = try run(["export", many], in: directory)
        #expect(several.status == 64 && several.errors.contains("City, Trip"), "\(several.errors)")
        let all = try run(["export", many, "--output", "out"], in: directory)
        #expect(all.status == 0, "\(all.errors)")
        let cities = try String(contentsOfFile: directory.file("out/City.ndjson"), encoding: .utf8)
        #expect(cities.hasPrefix("{\"code\":\"C0\",\"name\":\"city of 0\"}\n"))
        #expect(FileManager.default.fileExists(atPath: directory.file("out/Trip.ndjson")))
        let unknown = try run(["export", many, "Trap"], in: directory)
        #expect(unknown.status == 1 && unknown.errors.contains("Did you mean 'Trip'?"))
        #expect(!hasDatabase(directory))
    }

    @Test("an encrypted file needs its key, in bytes or digits")
    func encrypted() throws {
        let directory = try TestDirectory()
        let encrypted = try file("encrypted", in: directory)
        let without = try run(["import", encrypted], in: directory)
        #expect(without.status == 65 && without.errors.contains("--encryption-key-file"), "\(without.errors)")
        let exported = try run(["export", encrypted], in: directory)
        #expect(exported.status == 65 && exported.errors.contains("--encryption-key-file"), "\(exported.errors)")
        let short = try directory.write("short", to: "short.key")
        let wrong = try directory.write(String(repeating: "00", count: 64) + "\n", to: "wrong.key")
        func result(_ key: String) throws -> Program.Result {
            try run(["import", encrypted, "--encryption-key-file", key], in: directory)
        }
        #expect(try result(short).status == 78)
        #expect(try result("none.key").status == 66)
        let refused = try result(wrong)
        #expect(refused.status == 78 && !hasDatabase(directory), "\(refused.errors)")
        let digits = try directory.write((0..<64).map { String(format: "%02x", $0) }.joined() + "\n", to: "digits.key")
        let opened = try result(digits)
        #expect(opened.status == 0 && opened.output.contains(" object"), "\(opened.errors)")
    }

    @Test("what is no Realm file, and options that do not belong together, are refused")
    func refusals() throws {
        let directory = try TestDirectory()
        let many = try file("many", in: directory)
        let tablesOnly = try file("format-22", in: directory)
        // The header of a file of an early format.
        let header = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [3, 3, 0, 0]
        let ancientFile = directory.file("ancient.realm")
        try Data(header).write(to: URL(fileURLWithPath: ancientFile))
        let text = try directory.write("{\"id\":1}\n", to: "dogs.ndjson")
        let noClass = try run(["import", text], in: directory)
        #expect(noClass.status == 65 && noClass.errors.contains("realmgate import CLASS"), "\(noClass.errors)")
        #expect(try run(["import", "none.realm"], in: directory).status == 66)
        let ancient = try run(["import", ancientFile], in: directory)
        #expect(ancient.status == 65 && ancient.errors.contains("format 3"), "\(ancient.errors)")
        let classToo = try run(["import", "City", many], in: directory)
        #expect(classToo.status == 64 && classToo.errors.contains("has its own classes"), "\(classToo.errors)")
        #expect(try run(["import", many, "--atomic"], in: directory).status == 64)
        #expect(try run(["import", "Dog", text, "--rename", "a=b"], in: directory).status == 64)
        #expect(try run(["schema", many, "--apply", "x.json"], in: directory).status == 64)
        #expect(try run(["schema", text], in: directory).status == 65)
        // A directory is there, and no Realm file.
        for command in ["schema", "import"] {
            #expect(try run([command, directory.path], in: directory).status == 65, "\(command)")
            #expect(try run([command, "none.realm"], in: directory).status == 66, "\(command)")
        }
        let tables = try run(["import", tablesOnly], in: directory)
        #expect(tables.status == 1 && tables.errors.contains("--rename table=Name"), "\(tables.errors)")
        // The end of the file is missing, where some objects are.
        let cut = directory.file("cut.realm")
        try Data(contentsOf: URL(fileURLWithPath: many)).prefix(900_000).write(to: URL(fileURLWithPath: cut))
        let damaged = try run(["import", cut], in: directory)
        #expect(damaged.status == 65 && damaged.output.isEmpty, "\(damaged.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !$0.contains("making") })
        #expect(!hasDatabase(directory))
    }
}
