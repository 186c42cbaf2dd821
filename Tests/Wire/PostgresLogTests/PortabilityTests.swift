import Foundation
import RepositoryFiles
import Testing

@testable import PostgresLog

/// The statements are to run on every engine that speaks PostgreSQL's protocol. So they use little of SQL.
@Suite("The statements of the log")
struct PortabilityTests {
    /// Why a statement leaves the subset; nil when it does not.
    static func fault(of statement: Statement) -> String? {
        let text = statement.text.lowercased()
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "$") }.map(String.init)
        let forbidden: [(String, String)] = [
            ("with", "a common table expression"), ("nextval", "a sequence"), ("serial", "a sequence"),
            ("trigger", "a trigger"), ("references", "a foreign key"), ("function", "a function"),
            ("pg_advisory_lock", "an advisory lock"), ("pg_advisory_xact_lock", "an advisory lock"),
            ("temp", "a temporary table"), ("temporary", "a temporary table"), ("savepoint", "a savepoint"),
            ("returning", "RETURNING"), ("lateral", "a lateral join"), ("cursor", "a cursor"),
            ("copy", "COPY"), ("merge", "MERGE"), ("truncate", "TRUNCATE"), ("lock", "a table lock"),
            ("ctid", "a system column"), ("xmin", "a system column"), ("do$", "a code block"),
        ]
        for (word, what) in forbidden where words.contains(word) { return "\(statement.name) uses \(what)." }
        switch statement.scope {
        case .realm:
            let namesRealm = ["realm = $1", "where id = $1", "r.id = $1", "where name = $1", "(realm, ", "(id, name"]
            guard namesRealm.contains(where: text.contains), text.contains("$1") else {
                return "\(statement.name) does not name one realm."
            }
        case .session:
            let known = ["select set_config(", "begin", "commit", "rollback", "select pg_backend_pid()"]
            guard known.contains(where: text.hasPrefix), !text.contains("realmgate.") else {
                return "\(statement.name) is not one of a session."
            }
        case .hint:
            guard text.hasPrefix("listen ") || text.hasPrefix("select pg_notify(") else {
                return "\(statement.name) is not a hint."
            }
        case .installation:
            guard text.hasPrefix("select ") else { return "\(statement.name) changes what is of no realm." }
        }
        if statement.scope == .realm {
            let functions = text.matches(of: #/([a-z_0-9]+)\(/#).map { String($0.output.1) }
            let allowed: Set = ["now", "unnest", "count", "min", "max", "coalesce", "sum", "octet_length", "extract"]
            let isKeyword: Set = ["exists", "values"]
            for name in functions where !allowed.contains(name) && !isKeyword.contains(name) {
                return "\(statement.name) calls \(name)."
            }
        }
        return nil
    }

    @Test("all are in the portable subset")
    func portable() { #expect(Statement.all.compactMap(Self.fault) == []) }

    @Test("the list has every statement, each once")
    func complete() throws {
        let text = try Checkout.text("Sources/Wire/PostgresLog/Connection/Statement+All.swift")
        let declared = text.matches(of: #/static let (\w+) = Statement\(\s*name: "(\w+)"/#)
        #expect(declared.allSatisfy { $0.output.1 == $0.output.2 })
        #expect(Statement.all.map(\.name).sorted() == declared.map { String($0.output.1) }.sorted())
    }

    @Test("no other file has one, except those of the tables and of projections")
    func onePlace() throws {
        let directory = Checkout.root + "/Sources/Wire/PostgresLog"
        let files = try #require(FileManager.default.enumerator(atPath: directory)).compactMap { $0 as? String }
        let own = [
            "Connection/Statement+All.swift", "Schema/LogSchema.swift", "LogDirectory.swift",
            // Runs the statements of projections, which are for PostgreSQL alone.
            "Projection/SQLTransaction.swift",
        ]
        for file in files where file.hasSuffix(".swift") && !own.contains(file) {
            let text = try String(contentsOfFile: directory + "/" + file, encoding: .utf8)
            #expect(!text.contains(" Statement("), "\(file)")
            #expect(!text.contains(" Statement(name"), "\(file)")
        }
    }

    @Test(
        "a statement that leaves the subset is named",
        arguments: [
            ("delete from realmgate.log where realm = $1 returning version", "probe uses RETURNING."),
            ("with d as (select 1) select 1 where realm = $1", "probe uses a common table expression."),
            ("select version from realmgate.realm", "probe does not name one realm."),
            ("select md5(body) from realmgate.log where realm = $1", "probe calls md5."),
        ])
    func planted(text: String, fault: String) {
        #expect(Self.fault(of: Statement(name: "probe", text: text, scope: .realm)) == fault)
    }

    @Test("the tables have no sequences, triggers, foreign keys or functions")
    func tables() {
        for text in LogSchema.statements.map({ $0.lowercased() }) {
            for word in ["serial", "sequence", "trigger", "references", "function", "generated", "temp"] {
                #expect(!text.contains(word), "\(text)")
            }
            #expect(text.contains("realmgate"))
        }
    }
}
