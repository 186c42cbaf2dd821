// swift-tools-version: 6.1
import PackageDescription

// The module map. Sources are a house of five floors, from the ground up:
//
//   System   libraries in C, what is made of them alone, and what knows nothing of databases
//   Engine   the model of objects, queries, the store and its live results
//   Wire     forms that values and objects have outside: JSON, YAML, CSV; a log of their changes in PostgreSQL
//   Realm    the Swift interface of Realm
//   Server   HTTP, and the program
//
// A module imports what it declares here, from its own floor or a lower one. The tests stand on the same floors, and
// need nothing from above theirs. The order of the floors is the order in which they are named below. This file is the
// one place that says so: Tests/Server/RepositoryTests reads it and the import lines, and names the arrow that broke.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(_ subject: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: "\(subject)Tests", dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// Targets that lie in one directory, each in a directory of its name.
func floor(_ directory: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(directory)/\(target.name)" }
    return targets
}

// The server's packages are behind a trait, so that an app with RealmSwift alone need not fetch them.
let log = Target.Dependency.product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"]))
let combine = Target.Dependency.product(name: "OpenCombine", package: "OpenCombine")
let combineDispatch = Target.Dependency.product(name: "OpenCombineDispatch", package: "OpenCombine")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Server"]))

var targets: [Target] = []

targets += floor(
    "Sources/System",
    [
        // C libraries: one module map each, at most a small shim; one Swift importer each.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        // Intel's decimal library comes as an archive and is linked in; Debian has it in libintelrdfpmath-dev.
        .target(name: "CDecimal", linkerSettings: [.linkedLibrary("bidgcc000")]),
        .target(name: "CKernels"),
        .target(name: "CExecutor"),
        .target(name: "CDiscovery"),
        .target(name: "CStamp"),
        .target(name: "CScratch"),
        .systemLibrary(name: "CAllocator"),
        // Hashes, Base64, clocks, runs of positions, the nearest name: what knows no value of a database.
        module("Basics", []),
        module("Compression", ["CZlib", "CZstd"]),
        // Hashes, signatures and TLS, by GnuTLS.
        module("Cryptography", ["CGnuTLS"]),
        module("Files", []),
        module("Promises", []),
    ])

targets += floor(
    "Sources/Engine",
    [
        module("ObjectModel", ["Basics", "CDecimal"]),
        // The text of queries: parser, syntax tree, printer. Knows no schema.
        module("QuerySyntax", ["ObjectModel", "Basics"]),
        // Queries bound to a schema.
        module("QueryLanguage", ["QuerySyntax", "ObjectModel", "Basics"]),
        module("Columnar", ["ObjectModel", "CKernels"]),
        module("StoreContract", ["QueryLanguage", "ObjectModel", "Basics", "Promises"]),
        // What runs over the columns of a store: operators, predicates on single objects, sorts, aggregates, groups.
        module(
            "QueryOperators", ["Columnar", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics"]),
        // Chooses operators and indexes for a query, runs them, explains them; earlier versions.
        module(
            "QueryExecution",
            ["QueryOperators", "Columnar", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel"]),
        // The door to LMDB: its environment, transactions and cursors, and the lock that marks a file as open.
        module("LMDBStorage", ["StoreContract", "CLMDB"]),
        // The forms of change sets, undo data, log entries and schemas as bytes.
        module("StoredRecords", ["QueryExecution", "Columnar", "ObjectModel", "Basics"]),
        // What one transaction reads and writes: clusters, indexes, backlinks, values beside them; migrations.
        module(
            "StorageEngine",
            [
                "LMDBStorage", "StoredRecords", "QueryExecution", "QueryOperators", "Columnar", "StoreContract",
                "QueryLanguage", "ObjectModel", "Basics",
            ]),
        // The file of a store, with its writer, its maintenance and its replication.
        module(
            "EmbeddedStore",
            [
                "StorageEngine", "LMDBStorage", "StoredRecords", "QueryExecution", "Columnar", "StoreContract",
                "QueryLanguage", "ObjectModel", "Files", "Promises", "Basics",
            ]),
        // Results after a commit from those before it: what a change can affect, and what becomes different. No threads.
        module(
            "ViewMaintenance",
            [
                "QueryExecution", "QueryOperators", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
                "Basics",
            ]),
        module(
            "LiveQueries",
            [
                "ViewMaintenance", "QueryOperators", "StoreContract", "QueryLanguage", "ObjectModel", "Basics",
            ]),
    ])

targets += floor(
    "Sources/Wire",
    [
        module("JSONCoding", ["ObjectModel", "Basics", "CJansson", "CScratch"]),
        module("YAMLCoding", ["JSONCoding", "CYAML"]),
        // What a gateway and its followers say to each other: both use this.
        module("WireProtocol", ["JSONCoding", "StoreContract", "ObjectModel", "Basics"]),
        // Objects as JSON, and JSON as objects.
        module(
            "ObjectCoding",
            ["WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics"]),
        module(
            "Transfer",
            ["ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Basics", "Compression"]),
        // Files of Realm, read only.
        module("RealmFiles", ["ObjectModel", "Basics"]),
        // Encrypted ones. RealmSwift does not need it, so an app does not need GnuTLS.
        module("RealmFileKeys", ["RealmFiles", "Cryptography"]),
        // Their objects and classes as those of a store.
        module("RealmImport", ["RealmFiles", "StoreContract", "ObjectModel", "Basics"]),
        // The log of a realm in PostgreSQL. RealmSwift does not need it, so an app does not need libpq.
        module("PostgresLog", ["StoreContract", "ObjectModel", "Compression", "Cryptography", "CLibpq"]),
        // The objects of a realm as tables for programs that speak SQL.
        module("Projection", ["PostgresLog", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Basics"]),
    ])

targets += floor(
    "Sources/Realm",
    [
        // A store as one thread, queue or actor sees it.
        module(
            "RealmInstances",
            [
                "LiveQueries", "ViewMaintenance", "StoreContract", "QueryLanguage", "ObjectModel", "Basics", "Promises",
                "CExecutor",
            ]),
        // Follows a gateway: keeps a store and what a gateway has together.
        module(
            "SyncEngine",
            [
                "WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics",
                "Promises",
            ]),
        // Public: the Swift interface of Realm over the engine.
        module(
            "RealmSwift",
            [
                "EmbeddedStore", "RealmInstances", "SyncEngine", "LiveQueries", "ViewMaintenance", "QueryOperators",
                "StoreContract", "QueryExecution", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics",
                "RealmImport", "RealmFiles", "Promises", "CDiscovery", combine, combineDispatch,
            ]),
        // Public: the keys of encrypted seed files, for apps that have GnuTLS.
        module("RealmEncryptedSeeds", ["RealmSwift", "RealmFileKeys", "RealmFiles"]),
        // Public: realms that several programs share.
        module("RealmPostgres", ["RealmSwift", "PostgresLog"]),
    ])

targets += floor(
    "Sources/Server",
    [
        // What requests and responses consist of. No I/O.
        module("HTTPMessages", ["Compression"]),
        module(
            "HTTPServer",
            ["HTTPMessages", "Compression", "Cryptography", "Files", "Promises", "Basics", "CMicrohttpd", log]),
        // Sends requests to a server, over HTTP or HTTPS: for the program's own commands.
        module("HTTPClient", ["HTTPMessages", "Cryptography", "Basics"]),
        module("Identity", ["JSONCoding", "ObjectModel", "Basics", "Cryptography", "Files", log]),
        module(
            "AccessRules",
            [
                "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics",
            ]),
        // Errors as responses: one status per code.
        module(
            "HTTPProblems",
            [
                "HTTPMessages", "ObjectCoding", "JSONCoding", "StoreContract", "QuerySyntax", "ObjectModel",
            ]),
        // Which long requests run and which wait.
        module(
            "FairScheduling",
            ["HTTPProblems", "HTTPServer", "ObjectCoding", "JSONCoding", "StoreContract", "Promises"]),
        // Event streams of queries, objects and collections, each event encoded once for all its clients.
        module(
            "LiveStreams",
            [
                "FairScheduling", "HTTPProblems", "HTTPServer", "HTTPMessages", "AccessRules", "ObjectCoding",
                "WireProtocol",
                "JSONCoding", "LiveQueries", "ViewMaintenance", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        // Sets of named queries, each with one stream, which followers use.
        module(
            "SyncSubscriptions",
            [
                "LiveStreams", "HTTPProblems", "HTTPServer", "HTTPMessages", "ObjectCoding", "WireProtocol",
                "JSONCoding",
                "StoreContract", "ObjectModel", "Basics", "Cryptography", "Files", log,
            ]),
        // What a request changes: edits, transactions, preconditions, and answers that repeated requests get again.
        module(
            "WriteRequests",
            [
                "HTTPProblems", "HTTPServer", "HTTPMessages", "AccessRules", "ObjectCoding", "WireProtocol",
                "JSONCoding",
                "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics", "Cryptography",
            ]),
        // The OpenAPI document, completed for the schema that a caller sees.
        module(
            "OpenAPIDescription",
            [
                "HTTPMessages", "WireProtocol", "JSONCoding", "ObjectModel", "Basics",
            ]),
        // The newest lines of the program's log.
        module(
            "ServerLog",
            [
                "HTTPServer", "HTTPMessages", "ObjectModel", log,
            ]),
        // What all endpoints share: settings, callers, their snapshots and writes, threads, memory, errors.
        module(
            "RequestHandling",
            [
                "ServerLog", "WriteRequests", "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "Identity",
                "AccessRules", "HTTPMessages", "Transfer", "RealmImport", "RealmFiles", "ObjectCoding", "WireProtocol",
                "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Cryptography", "Basics", log,
            ]),
        // What paths, parameters and cursors of a request name.
        module(
            "RequestParameters",
            [
                "RequestHandling", "WriteRequests", "FairScheduling", "HTTPProblems", "HTTPServer", "AccessRules",
                "HTTPMessages",
                "ObjectCoding", "WireProtocol", "JSONCoding", "LiveQueries", "ViewMaintenance", "StoreContract",
                "QueryLanguage", "QuerySyntax", "ObjectModel", "Cryptography", "Basics",
            ]),
        // The endpoints, by what they do.
        module(
            "ReadEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "LiveStreams", "HTTPProblems", "HTTPServer",
                "AccessRules", "HTTPMessages", "ObjectCoding", "WireProtocol", "JSONCoding", "LiveQueries",
                "ViewMaintenance", "QueryExecution", "QueryOperators", "StoreContract", "QueryLanguage", "QuerySyntax",
                "ObjectModel", "Basics",
            ]),
        module(
            "LongPolling",
            [
                "ReadEndpoints", "RequestParameters", "RequestHandling", "WriteRequests", "LiveStreams",
                "FairScheduling", "HTTPProblems", "HTTPServer", "Identity", "AccessRules", "HTTPMessages",
                "ObjectCoding", "WireProtocol", "StoreContract", "ObjectModel",
            ]),
        module(
            "StreamEndpoints",
            [
                "ReadEndpoints", "RequestParameters", "RequestHandling", "WriteRequests", "SyncSubscriptions",
                "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "AccessRules", "HTTPMessages",
                "ObjectCoding", "WireProtocol", "JSONCoding", "LiveQueries", "ViewMaintenance", "StoreContract",
                "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics",
            ]),
        module(
            "WriteEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "HTTPProblems", "HTTPServer", "HTTPMessages",
                "ObjectCoding", "WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        module(
            "SnapshotEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "HTTPProblems", "HTTPServer", "Identity",
                "AccessRules", "HTTPMessages", "ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage",
                "ObjectModel", "Cryptography", "Basics",
            ]),
        module(
            "TransferEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "FairScheduling", "HTTPProblems", "HTTPServer",
                "AccessRules", "HTTPMessages", "Transfer", "RealmImport", "RealmFileKeys", "RealmFiles", "ObjectCoding",
                "WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
            ]),
        module(
            "OperationEndpoints",
            [
                "RequestParameters", "RequestHandling", "ServerLog", "WriteRequests", "SyncSubscriptions",
                "LiveStreams", "FairScheduling", "HTTPServer", "HTTPMessages", "ObjectCoding", "WireProtocol",
                "JSONCoding", "LiveQueries", "StoreContract", "ObjectModel", "Files", log,
            ]),
        module(
            "AdministrationEndpoints",
            [
                "RequestParameters", "RequestHandling", "OpenAPIDescription", "WriteRequests", "FairScheduling",
                "HTTPProblems", "HTTPServer", "Identity", "AccessRules", "HTTPMessages", "ObjectCoding", "WireProtocol",
                "JSONCoding", "StoreContract", "ObjectModel", "Basics", log,
            ]),
        // Composes the endpoints: the route table, the middlewares, static files.
        module(
            "Gateway",
            [
                "AdministrationEndpoints", "OperationEndpoints", "TransferEndpoints", "SnapshotEndpoints",
                "StreamEndpoints", "LongPolling", "WriteEndpoints", "ReadEndpoints", "RequestParameters",
                "RequestHandling", "ServerLog",
                "OpenAPIDescription", "WriteRequests", "SyncSubscriptions", "LiveStreams", "FairScheduling",
                "HTTPProblems", "HTTPServer", "AccessRules", "HTTPMessages", "ObjectCoding", "WireProtocol",
                "JSONCoding", "StoreContract", "ObjectModel", "Files", log,
            ]),
        // A gateway with its server, for the program and for programs of others.
        module(
            "Hosting",
            [
                "Gateway", "RequestHandling", "HTTPServer", "Identity", "HTTPMessages", "StoreContract",
            ]),
        // Public: hosts a gateway to a realm within a program.
        module(
            "RealmgateServer",
            [
                "RealmSwift", "Hosting", "RequestHandling", "HTTPServer", "Identity", "AccessRules", "ObjectCoding",
                "JSONCoding", "StoreContract", "ObjectModel", log,
            ]),
        // The tools for a database that language models call: the Model Context Protocol.
        module(
            "ModelContext",
            [
                "Gateway", "HTTPClient", "HTTPServer", "HTTPMessages", "WireProtocol", "JSONCoding", "StoreContract",
                "Promises", "Basics", log,
            ]),
        program(
            "realmgate",
            [
                "ModelContext", "Hosting", "RequestHandling", "ServerLog", "HTTPClient", "HTTPServer", "Identity",
                "AccessRules", "HTTPMessages", "Transfer", "ObjectCoding", "YAMLCoding", "PostgresLog", "Projection",
                "EmbeddedStore", "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
                "RealmImport", "RealmFileKeys", "RealmFiles", "Cryptography", "Files", "Promises", "Basics", "CStamp",
                "CAllocator", log, arguments,
            ]),
    ])

// What several tests are written with, and programs that they start.
targets += floor(
    "Tests/Support",
    [
        // The directory of this file, and directories for a test.
        module("RepositoryFiles", []),
        // Seeds of random tests, and how long a test waits.
        module("TestBasics", []),
        // Stores: a slow reference, generators, conformance checks.
        module(
            "StoreTesting", ["TestBasics", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics"]),
        // The columns of a store, in memory.
        module(
            "ColumnTesting", ["StoreTesting", "QueryOperators", "Columnar", "QueryLanguage", "ObjectModel"]),
        // Stands between a process under test and the system: loaded, not linked. See its header.
        .target(name: "CFaults"),
        // Everything that is decoded from a file, for damage of all kinds.
        module(
            "DecodingProbe",
            [
                "StorageEngine", "StoredRecords", "QueryExecution", "StoreTesting", "TestBasics", "Columnar",
                "ObjectModel",
            ]),
        // What tests open stores of EmbeddedStore with.
        module("EmbeddedTesting", ["EmbeddedStore", "RepositoryFiles", "StoreContract", "ObjectModel"]),
        // Stores with tasks, and recorders of what observers of them are told.
        module(
            "LiveTesting",
            [
                "LiveQueries", "ViewMaintenance", "StoreTesting", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        // Applications as they are written for a phone, which are not to know of this package's settings.
        .target(
            name: "SampleApps", dependencies: ["RealmSwift", combine, combineDispatch],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Keys and signatures, made by GnuTLS for tests of what verifies them.
        module("SignatureTesting", ["CGnuTLS"]),
        // What tests of servers ask with.
        module("HTTPTesting", ["HTTPServer", "HTTPMessages", "WireProtocol", "Promises", "TestBasics"]),
        // The program `realmgate` as a process, with its clients.
        module("ProgramTesting", ["HTTPTesting", "WireProtocol", "RepositoryFiles", "TestBasics"]),
        // A PostgreSQL server of the tests' own, and what breaks connections to it.
        module("PostgresTesting", ["TestBasics"]),
        // Writes to a store until it is killed.
        program(
            "StoreWorker",
            [
                "EmbeddedStore", "StoreTesting", "StoreContract", "ObjectModel",
            ]),
        // Follows a gateway, and writes, until it is killed.
        program("FollowWorker", ["RealmSwift", "TestBasics"]),
        // The library in a program that is built for release; see `.ci/trials.d`.
        program("OptimisedProgram", ["RealmSwift"]),
    ])

targets += floor(
    "Tests/System",
    [
        tests("Basics", ["Basics", "TestBasics"]),
        tests("Compression", ["Compression", "TestBasics"]),
        tests("Cryptography", ["Cryptography", "SignatureTesting"]),
        tests("Files", ["Files"]), tests("Promises", ["Promises", "TestBasics"]),
    ])

targets += floor(
    "Tests/Engine",
    [
        tests("ObjectModel", ["ObjectModel", "Basics", "StoreTesting", "TestBasics"]),
        tests("QuerySyntax", ["QuerySyntax", "ObjectModel", "Promises", "TestBasics"]),
        tests("QueryLanguage", ["QueryLanguage", "QuerySyntax", "ObjectModel", "TestBasics"]),
        tests("Columnar", ["Columnar", "DecodingProbe", "StoreTesting", "TestBasics", "ObjectModel"]),
        tests(
            "QueryOperators",
            [
                "QueryOperators", "StoreContract", "QueryLanguage", "ColumnTesting", "StoreTesting", "TestBasics",
                "ObjectModel",
            ]),
        tests(
            "QueryExecution",
            [
                "QueryExecution", "QueryOperators", "Columnar", "QueryLanguage", "QuerySyntax", "ColumnTesting",
                "StoreTesting", "TestBasics", "StoreContract", "ObjectModel",
            ]),
        tests("LMDBStorage", ["LMDBStorage", "RepositoryFiles", "TestBasics", "StoreContract"]),
        tests(
            "StoredRecords",
            [
                "StoredRecords", "Columnar", "DecodingProbe", "StoreTesting", "TestBasics", "RepositoryFiles",
                "ObjectModel",
            ]),
        // Through stores, because that is what rules and formats are promised of.
        tests(
            "StorageEngine",
            [
                "StorageEngine", "EmbeddedStore", "EmbeddedTesting", "StoreTesting", "TestBasics", "RepositoryFiles",
                "Columnar", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
            ]),
        tests(
            "EmbeddedStore",
            [
                "EmbeddedTesting", "EmbeddedStore", "StorageEngine", "StoredRecords", "LMDBStorage", "Columnar",
                "DecodingProbe", "StoreTesting", "TestBasics", "RepositoryFiles", "StoreContract", "QueryExecution",
                "QueryLanguage", "QuerySyntax", "ObjectModel",
            ]),
        tests(
            "ViewMaintenance",
            [
                "ViewMaintenance", "LiveTesting", "EmbeddedStore", "QueryExecution", "StoreTesting", "TestBasics",
                "QueryOperators", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Basics",
            ]),
        tests(
            "LiveQueries",
            [
                "LiveQueries", "ViewMaintenance", "LiveTesting", "EmbeddedStore", "QueryExecution", "StoreTesting",
                "TestBasics", "QueryOperators", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
            ]),
    ])

targets += floor(
    "Tests/Wire",
    [
        tests("JSONCoding", ["JSONCoding", "StoreTesting", "TestBasics", "ObjectModel"]),
        tests("YAMLCoding", ["YAMLCoding", "JSONCoding", "ObjectModel"]),
        tests(
            "RealmFiles",
            [
                "RealmFileKeys", "RealmFiles", "ObjectModel", "Compression", "RepositoryFiles", "TestBasics", "CGnuTLS",
            ],
            exclude: ["Files"]),
        tests(
            "PostgresLog",
            [
                "PostgresLog", "EmbeddedStore", "PostgresTesting", "StoreTesting", "TestBasics", "StoreContract",
                "ObjectModel", "RepositoryFiles",
            ]),
        tests(
            "Projection",
            [
                "Projection", "PostgresLog", "EmbeddedStore", "PostgresTesting", "StoreTesting", "TestBasics",
                "StoreContract", "QueryLanguage", "ObjectModel", "RepositoryFiles",
            ]),
        tests(
            "WireProtocol",
            ["WireProtocol", "JSONCoding", "StoreTesting", "TestBasics", "StoreContract", "ObjectModel"]),
        tests(
            "ObjectCoding",
            [
                "ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
                "TestBasics",
            ]),
        tests(
            "Transfer",
            [
                "Transfer", "EmbeddedStore", "ObjectCoding", "JSONCoding", "StoreTesting", "TestBasics",
                "RepositoryFiles",
                "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        tests(
            "RealmImport",
            [
                "RealmImport", "RealmFileKeys", "RealmFiles", "EmbeddedStore", "Transfer", "JSONCoding",
                "StoreContract", "StoreTesting",
                "QueryLanguage", "ObjectModel", "RepositoryFiles", "TestBasics",
            ]),
    ])

targets += floor(
    "Tests/Realm",
    [
        tests(
            "RealmInstances",
            [
                "RealmInstances", "LiveQueries", "ViewMaintenance", "LiveTesting", "EmbeddedStore", "StoreTesting",
                "TestBasics",
                "RepositoryFiles",
                "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel", "Promises",
            ]),
        tests("SyncEngine", ["SyncEngine", "WireProtocol", "JSONCoding", "StoreTesting", "TestBasics", "ObjectModel"]),
        tests(
            "RealmSwift",
            [
                "RealmSwift", "SampleApps", "SyncEngine", "EmbeddedStore", "StoreTesting", "TestBasics",
                "RepositoryFiles", "Compression", "StoreContract",
                "QueryLanguage", "QuerySyntax", "WireProtocol", "JSONCoding", "ObjectModel", "Promises", combine,
                combineDispatch,
            ]),
        tests("RealmEncryptedSeeds", ["RealmEncryptedSeeds", "RealmSwift", "RepositoryFiles", "Compression"]),
        tests(
            "RealmPostgres",
            ["RealmPostgres", "RealmSwift", "PostgresTesting", "PostgresLog", "RepositoryFiles", "TestBasics"]),
    ])

targets += floor(
    "Tests/Server",
    [
        tests("HTTPMessages", ["HTTPMessages", "Compression", "TestBasics"]),
        tests("HTTPServer", ["HTTPServer", "HTTPMessages", "HTTPTesting", "Compression", "TestBasics", log]),
        tests("HTTPClient", ["HTTPClient", "HTTPServer", "HTTPMessages", "HTTPTesting", "TestBasics"]),
        tests("Identity", ["Identity", "SignatureTesting", "JSONCoding", "ObjectModel", "Basics"]),
        tests(
            "AccessRules",
            [
                "AccessRules", "LiveQueries", "ViewMaintenance", "EmbeddedStore", "StoreTesting", "TestBasics",
                "RepositoryFiles",
                "JSONCoding",
                "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
            ]),
        tests(
            "HTTPProblems",
            [
                "HTTPProblems", "HTTPServer", "HTTPMessages", "RepositoryFiles", "ObjectCoding", "JSONCoding",
                "StoreContract",
                "QuerySyntax",
            ]),
        tests("FairScheduling", ["FairScheduling", "HTTPServer", "TestBasics", "ObjectCoding", "StoreContract"]),
        tests(
            "LiveStreams",
            [
                "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "HTTPMessages", "StoreTesting",
                "LiveQueries",
                "ObjectCoding", "WireProtocol", "StoreContract", "QueryLanguage", "ObjectModel", "Promises",
            ]),
        tests(
            "SyncSubscriptions",
            [
                "SyncSubscriptions", "LiveStreams", "LiveQueries", "FairScheduling", "HTTPProblems",
                "HTTPMessages", "HTTPServer", "StoreTesting", "TestBasics", "RepositoryFiles", "ObjectCoding",
                "WireProtocol", "QueryLanguage", "JSONCoding",
                "StoreContract", "ObjectModel", "Promises", log,
            ]),
        tests(
            "WriteRequests",
            [
                "WriteRequests", "HTTPServer", "HTTPMessages", "StoreTesting", "TestBasics", "ObjectCoding",
                "JSONCoding",
                "StoreContract",
                "ObjectModel", "Promises",
            ]),
        tests(
            "OpenAPIDescription",
            [
                "OpenAPIDescription", "HTTPServer", "RepositoryFiles", "HTTPMessages", "JSONCoding", "ObjectModel",
            ]),
        tests("RequestHandling", ["RequestHandling", "HTTPServer", "StoreContract", "ObjectModel"]),
        tests(
            "ReadEndpoints",
            ["ReadEndpoints", "ObjectCoding", "StoreTesting", "TestBasics", "StoreContract", "ObjectModel"]),
        tests(
            "OperationEndpoints",
            [
                "OperationEndpoints", "HTTPServer", "HTTPMessages", "StoreContract", "ObjectModel",
            ]),
        tests(
            "Gateway",
            [
                "Gateway", "OperationEndpoints", "TransferEndpoints", "RequestParameters", "RequestHandling",
                "ServerLog", "WriteRequests", "WireProtocol", "FairScheduling", "HTTPProblems", "HTTPServer",
                "HTTPTesting", "HTTPMessages",
                "Compression",
                "Identity", "AccessRules", "Transfer", "RealmImport", "RealmFiles", "ObjectCoding", "LiveTesting",
                "EmbeddedStore", "RepositoryFiles", "StoreTesting", "TestBasics", "JSONCoding", "StoreContract",
                "QueryLanguage", "ObjectModel", "Basics", "Promises", log,
            ]),
        // Realms that follow a gateway, over loopback.
        tests(
            "Subscription",
            [
                "HTTPMessages", "RealmSwift", "Gateway", "RequestHandling", "HTTPServer", "HTTPTesting",
                "EmbeddedStore", "AccessRules", "Identity", "StoreTesting", "TestBasics", "JSONCoding", "StoreContract",
                "ObjectModel", combine,
            ]),
        tests(
            "RealmgateServer",
            [
                "RealmgateServer", "RealmSwift", "realmgate", "ProgramTesting", "HTTPTesting", "EmbeddedStore",
                "StoreTesting", "TestBasics", "RepositoryFiles", "StoreContract", "ObjectModel", combine,
            ]),
        tests("ModelContext", ["ModelContext", "HTTPMessages", "JSONCoding"]),
        // The program: its commands, settings, log and what the README says of it.
        tests(
            "CommandLine",
            [
                "realmgate", "FollowWorker", "ProgramTesting", "PostgresTesting", "HTTPTesting", "RepositoryFiles",
                "TestBasics", "HTTPMessages", "Transfer", "Hosting", "RequestHandling", "HTTPServer", "Identity",
                "AccessRules", "EmbeddedStore", "SignatureTesting", "JSONCoding", "ObjectModel", "Promises", log,
            ]),
        // The program when it is killed, its disk is full or its system calls fail.
        tests(
            "Faults",
            [
                "realmgate", "StoreWorker", "FollowWorker", "ProgramTesting", "PostgresTesting", "HTTPTesting",
                "RepositoryFiles", "EmbeddedStore", "StoreTesting", "TestBasics", "StoreContract", "ObjectModel",
                "Promises",
            ]),
        // What a process takes of its machine: memory and descriptors. In a module, and so a process, of their own.
        tests(
            "Resource",
            [
                "realmgate", "ProgramTesting", "HTTPTesting", "RepositoryFiles", "TestBasics", "HTTPServer",
                "HTTPMessages",
            ]),
        // The console and other pages, in a browser.
        tests(
            "Console",
            [
                "realmgate", "ProgramTesting", "HTTPTesting", "RepositoryFiles", "TestBasics", "HTTPServer",
                "HTTPMessages",
            ]),
        // This file and all others: needs nothing that has to be built.
        tests("Repository", ["RepositoryFiles", "TestBasics"]),
    ])

// Programs to read and to try; see the README.
targets += floor("Examples", [program("NotesServer", ["RealmgateServer", "RealmSwift"])])

// Exact versions: a lock file names commits, which a mirror need not have.
var packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
]

// Benchmarks compare with SQLite, which nothing else here needs: they are built only when asked for.
if Context.environment["REALMGATE_BENCHMARKS"] != nil {
    packages.append(.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"))
    targets += floor(
        "Benchmarks",
        [
            .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
            program(
                "StoreBenchmark",
                [
                    "EmbeddedStore", "PostgresLog", "StoreContract", "QueryLanguage", "QuerySyntax", "ObjectModel",
                    "CSQLite",
                ]),
            program(
                "LiveBenchmark",
                [
                    "LiveQueries", "ViewMaintenance", "EmbeddedStore", "PostgresLog", "QueryOperators", "StoreContract",
                    "QueryLanguage", "ObjectModel",
                ]),
            program(
                "StorageBenchmark",
                [
                    "EmbeddedStore", "StoreTesting", "TestBasics", "StoreContract", "QueryLanguage", "QuerySyntax",
                    "ObjectModel",
                ]),
            program("SwiftAPIBenchmark", ["RealmSwift", .product(name: "GRDB", package: "GRDB.swift")]),
            program("FollowBenchmark", ["RealmSwift"]),
        ])
}

// The fuzzer brings its own main function and needs every module instrumented: see Tests/Support/DecodingFuzzer/run.
if Context.environment["REALMGATE_FUZZER"] != nil {
    targets += floor(
        "Tests/Support",
        [program("DecodingFuzzer", ["DecodingProbe", "RealmFiles", "TestBasics"], exclude: ["run", "seeds"])])
}

var products: [Product] = [
    .executable(name: "realmgate", targets: ["realmgate"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(name: "RealmPostgres", targets: ["RealmPostgres"]),
    .library(name: "RealmEncryptedSeeds", targets: ["RealmEncryptedSeeds"]),
    .library(name: "RealmgateServer", targets: ["RealmgateServer"]),
    .library(name: "CFaults", type: .dynamic, targets: ["CFaults"]),
]

// Some targets alone, with commas between, and what they need: for builds with a sanitizer, which take long.
if let names = Context.environment["REALMGATE_ONLY"] {
    var needed: Set<String> = []
    func need(_ name: String) {
        guard needed.insert(name).inserted, let target = targets.first(where: { $0.name == name }) else { return }
        for case .byNameItem(let name, _) in target.dependencies { need(name) }
    }
    for name in names.split(separator: ",") { need(String(name)) }
    targets.removeAll { !needed.contains($0.name) }
    products = []
}

// The documentation as pages: swift package generate-documentation --target RealmSwift
if Context.environment["REALMGATE_DOCUMENTATION"] != nil {
    packages.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}

let package = Package(
    name: "realmgate",
    products: products,
    traits: [
        .trait(
            name: "Server",
            description: "The program realmgate and the module RealmgateServer. RealmSwift does not need it."),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: packages,
    targets: targets,
    swiftLanguageModes: [.v6]
)
