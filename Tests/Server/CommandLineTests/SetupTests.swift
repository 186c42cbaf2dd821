import PostgresTesting
import ProgramTesting
import RepositoryFiles
import Testing

@Suite("The command setup", .enabled(if: PostgresServer.isThere))
struct SetupTests {
    @Test("makes the tables once, by an option or a variable, and never prints the password")
    func tables() throws {
        let server = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        for (arguments, environment) in [
            (["setup", "--store", server.url], [:]), (["setup"], ["REALMGATE_STORE": server.url]),
        ] {
            let result = try Program.run(arguments, environment: environment, in: directory)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("postgres://rg@\(server.address)/postgres has the tables"))
            for secret in [PostgresServer.password, "word-7Qx"] { #expect(!result.output.contains(secret)) }
        }
        #expect(try server.sql("select format from realmgate.format") == "1")
    }

    @Test("prints statements that psql takes, without a database")
    func statements() throws {
        let server = try PostgresServer.shared.get()
        let printed = try Program.run(["setup", "--print"], in: try TestDirectory())
        #expect(printed.status == 0 && printed.errors.isEmpty)
        try server.sql("create database printed")
        try server.sqlOf("printed", printed.output)
        try server.sqlOf("printed", printed.output)
        #expect(try server.sqlOf("printed", "select count(*) from pg_tables where schemaname = 'realmgate'") == "7")
    }

    @Test("allows the formats of entries that this program knows, and says what to do about others")
    func formats() throws {
        let server = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        let environment = ["REALMGATE_STORE": server.url]
        func run(_ arguments: String...) throws -> Program.Result {
            try Program.run(["setup"] + arguments, environment: environment, in: directory)
        }
        #expect(try run().status == 0)
        try server.sql(
            """
            insert into realmgate.realm (id, name, version, tag, floor, entry_format)
            values (77, 'formats', 1, 0, 1, 1)
            """)
        let known = try run("--format", "1", "--realm", "formats")
        #expect(known.status == 0 && known.output.contains("formats up to 1 in 'formats'"), "\(known.errors)")
        let newer = try run("--format", "2", "--realm", "formats")
        #expect(newer.status == 78 && newer.errors.contains("Use a program that knows it"), "\(newer.errors)")
        let nowhere = try run("--format", "1", "--realm", "nowhere")
        #expect(nowhere.status == 78 && nowhere.errors.contains("realmgate status"), "\(nowhere.errors)")
        #expect(try run("--realm", "formats").status == 64)
        #expect(try run("--print", "--format", "1").status == 64)
        try server.sql("delete from realmgate.realm where id = 77")
    }

    @Test("says in a sentence what is wrong with the address or the server")
    func faults() throws {
        let server = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        try server.sql("create role reader login password 'reader-Secret'")
        let nobody = try SocketFaults.deadAddress()
        let cases: [(url: String?, status: Int32, sentence: String)] = [
            (nil, 64, "--store"), ("shop.realmgate", 78, "not a URL of PostgreSQL"),
            (server.url(password: "reader-Secret"), 78, "Check the user, the password"),
            (server.url(database: "nowhere"), 78, "nowhere"),
            ("postgres://reader:reader-Secret@\(server.address)/postgres", 78, "permission denied"),
            (server.url(at: nobody), 69, "cannot be reached"),
        ]
        for (url, status, sentence) in cases {
            let result = try Program.run(["setup"] + (url.map { ["--store", $0] } ?? []), in: directory)
            #expect(result.status == status && result.output.isEmpty, "\(result.errors)")
            #expect(result.errors.contains(sentence), "\(result.errors)")
            #expect(!result.errors.contains("Secret") && !result.errors.contains(PostgresServer.password))
        }
    }
}
