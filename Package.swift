// swift-tools-version: 6.1
import PackageDescription

// The module map. Sources are a house of five floors, from the ground up:
//
//   System   libraries in C and what is made of them alone
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
        .systemLibrary(name: "CAllocator"),
        module("Compression", ["CZlib", "CZstd"]),
        // Hashes, signatures and TLS, by GnuTLS.
        module("Cryptography", ["CGnuTLS"]),
        module("Files", []),
        module("Promises", []),
    ])

targets += floor(
    "Sources/Engine",
    [
        module("ObjectModel", ["CDecimal"]),
        module("QueryLanguage", ["ObjectModel"]),
        module("Columnar", ["ObjectModel", "CKernels"]),
        module("StoreContract", ["QueryLanguage", "ObjectModel", "Promises"]),
        module("QueryExecution", ["Columnar", "StoreContract", "QueryLanguage", "ObjectModel"]),
        module(
            "EmbeddedStore",
            [
                "QueryExecution", "Columnar", "StoreContract", "QueryLanguage", "ObjectModel", "Files", "Promises",
                "CLMDB",
            ]),
        module("LiveQueries", ["QueryExecution", "StoreContract", "QueryLanguage", "ObjectModel"]),
    ])

targets += floor(
    "Sources/Wire",
    [
        module("JSONCoding", ["ObjectModel", "CJansson"]),
        module("YAMLCoding", ["JSONCoding", "CYAML"]),
        // What a gateway and its followers say to each other: both use this.
        module("WireProtocol", ["JSONCoding", "StoreContract", "ObjectModel"]),
        // Objects as JSON, and JSON as objects.
        module("ObjectCoding", ["WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"]),
        module(
            "Transfer",
            ["ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Compression"]),
        // Files of Realm, read only.
        module("RealmFiles", ["ObjectModel"]),
        // Encrypted ones. RealmSwift does not need it, so an app does not need GnuTLS.
        module("RealmFileKeys", ["RealmFiles", "Cryptography"]),
        // Their objects and classes as those of a store.
        module("RealmImport", ["RealmFiles", "StoreContract", "ObjectModel"]),
        // The log of a realm in PostgreSQL. RealmSwift does not need it, so an app does not need libpq.
        module("PostgresLog", ["StoreContract", "ObjectModel", "Compression", "Cryptography", "CLibpq"]),
        // The objects of a realm as tables for programs that speak SQL.
        module("Projection", ["PostgresLog", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"]),
    ])

targets += floor(
    "Sources/Realm",
    [
        // A store as one thread, queue or actor sees it.
        module(
            "RealmInstances",
            ["LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel", "Promises", "CExecutor"]),
        // Follows a gateway: keeps a store and what a gateway has together.
        module(
            "SyncEngine",
            ["WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Promises"]),
        // Public: the Swift interface of Realm over the engine.
        module(
            "RealmSwift",
            [
                "EmbeddedStore", "RealmInstances", "SyncEngine", "LiveQueries", "StoreContract", "QueryExecution",
                "QueryLanguage", "ObjectModel", "RealmImport", "RealmFiles", "Promises", "CDiscovery", combine,
                combineDispatch,
            ]),
        // Public: the keys of encrypted seed files, for apps that have GnuTLS.
        module("RealmEncryptedSeeds", ["RealmSwift", "RealmFileKeys", "RealmFiles"]),
        // Public: realms that several programs share.
        module("RealmPostgres", ["RealmSwift", "PostgresLog"]),
    ])

targets += floor(
    "Sources/Server",
    [
        module("HTTPServer", ["Compression", "Cryptography", "Files", "Promises", "CMicrohttpd", log]),
        module("Identity", ["JSONCoding", "ObjectModel", "Cryptography", "Files", log]),
        module("AccessRules", ["JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"]),
        // Errors as responses: one status per code.
        module(
            "HTTPProblems",
            ["HTTPServer", "ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"]),
        // Which long requests run and which wait.
        module(
            "FairScheduling",
            ["HTTPProblems", "HTTPServer", "ObjectCoding", "JSONCoding", "StoreContract", "Promises"]),
        // Event streams of queries, objects and collections, each event encoded once for all its clients.
        module(
            "LiveStreams",
            [
                "FairScheduling", "HTTPProblems", "HTTPServer", "AccessRules", "ObjectCoding", "WireProtocol",
                "JSONCoding", "LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        // Sets of named queries, each with one stream, which followers use.
        module(
            "SyncSubscriptions",
            [
                "LiveStreams", "HTTPProblems", "HTTPServer", "ObjectCoding", "WireProtocol", "JSONCoding",
                "StoreContract", "ObjectModel", "Cryptography", "Files", log,
            ]),
        // What a request changes: edits, transactions, preconditions, and answers that repeated requests get again.
        module(
            "WriteRequests",
            [
                "HTTPProblems", "HTTPServer", "AccessRules", "ObjectCoding", "WireProtocol", "JSONCoding",
                "StoreContract", "QueryLanguage", "ObjectModel", "Cryptography",
            ]),
        // The OpenAPI document, completed for the schema that a caller sees.
        module(
            "OpenAPIDescription", ["HTTPServer", "WireProtocol", "JSONCoding", "ObjectModel"]),
        // The newest lines of the program's log.
        module("ServerLog", ["HTTPServer", "ObjectModel", log]),
        // What all endpoints share: settings, callers, their snapshots and writes, threads, memory, errors.
        module(
            "RequestHandling",
            [
                "ServerLog", "WriteRequests", "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "Identity",
                "AccessRules", "Transfer", "RealmImport", "RealmFiles", "ObjectCoding", "WireProtocol", "JSONCoding",
                "StoreContract", "QueryLanguage", "ObjectModel", "Cryptography", log,
            ]),
        // What paths, parameters and cursors of a request name.
        module(
            "RequestParameters",
            [
                "RequestHandling", "WriteRequests", "HTTPProblems", "HTTPServer", "AccessRules", "ObjectCoding",
                "WireProtocol", "JSONCoding", "LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel",
                "Cryptography",
            ]),
        // The endpoints, by what they do.
        module(
            "ReadEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "LiveStreams", "HTTPProblems", "HTTPServer",
                "AccessRules", "ObjectCoding", "WireProtocol", "JSONCoding", "LiveQueries", "QueryExecution",
                "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        module(
            "LongPolling",
            [
                "ReadEndpoints", "RequestParameters", "RequestHandling", "WriteRequests", "LiveStreams",
                "FairScheduling", "HTTPProblems", "HTTPServer", "Identity", "AccessRules", "ObjectCoding",
                "WireProtocol",
                "StoreContract", "ObjectModel",
            ]),
        module(
            "StreamEndpoints",
            [
                "ReadEndpoints", "RequestParameters", "RequestHandling", "WriteRequests", "SyncSubscriptions",
                "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "AccessRules", "ObjectCoding",
                "WireProtocol", "JSONCoding", "LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        module(
            "WriteEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "HTTPProblems", "HTTPServer", "ObjectCoding",
                "WireProtocol", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        module(
            "SnapshotEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "HTTPProblems", "HTTPServer", "Identity",
                "AccessRules", "ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel",
                "Cryptography",
            ]),
        module(
            "TransferEndpoints",
            [
                "RequestParameters", "RequestHandling", "WriteRequests", "FairScheduling", "HTTPProblems", "HTTPServer",
                "AccessRules", "Transfer", "RealmImport", "RealmFileKeys", "RealmFiles", "ObjectCoding", "WireProtocol",
                "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        module(
            "OperationEndpoints",
            [
                "RequestParameters", "RequestHandling", "ServerLog", "WriteRequests", "SyncSubscriptions",
                "LiveStreams", "FairScheduling", "HTTPServer", "ObjectCoding", "WireProtocol", "JSONCoding",
                "LiveQueries", "StoreContract", "ObjectModel", "Files", log,
            ]),
        module(
            "AdministrationEndpoints",
            [
                "RequestParameters", "RequestHandling", "OpenAPIDescription", "WriteRequests", "FairScheduling",
                "HTTPProblems", "HTTPServer", "Identity", "AccessRules", "ObjectCoding", "WireProtocol", "JSONCoding",
                "StoreContract", "ObjectModel", log,
            ]),
        // Composes the endpoints: the route table, the middlewares, static files.
        module(
            "Gateway",
            [
                "AdministrationEndpoints", "OperationEndpoints", "TransferEndpoints", "SnapshotEndpoints",
                "StreamEndpoints", "LongPolling", "WriteEndpoints", "ReadEndpoints", "RequestHandling", "ServerLog",
                "OpenAPIDescription", "WriteRequests", "SyncSubscriptions", "LiveStreams", "FairScheduling",
                "HTTPProblems", "HTTPServer", "AccessRules", "ObjectCoding", "WireProtocol", "JSONCoding",
                "StoreContract", "ObjectModel", "Files", log,
            ]),
        // A gateway with its server, for the program and for programs of others.
        module("Hosting", ["Gateway", "RequestHandling", "HTTPServer", "Identity", "StoreContract"]),
        // Public: hosts a gateway to a realm within a program.
        module(
            "RealmgateServer",
            [
                "RealmSwift", "Hosting", "RequestHandling", "HTTPServer", "Identity", "AccessRules", "ObjectCoding",
                "JSONCoding", "StoreContract", "ObjectModel", log,
            ]),
        program(
            "realmgate",
            [
                "Hosting", "Gateway", "RequestHandling", "ServerLog", "HTTPServer", "Identity", "AccessRules",
                "Transfer", "ObjectCoding", "YAMLCoding", "PostgresLog", "Projection", "EmbeddedStore", "JSONCoding",
                "StoreContract", "QueryLanguage",
                "ObjectModel", "RealmImport", "RealmFileKeys", "RealmFiles", "Cryptography", "Files", "Promises",
                "CStamp",
                "CAllocator",
                log, arguments,
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
        module("StoreTesting", ["TestBasics", "StoreContract", "QueryLanguage", "ObjectModel"]),
        // Stands between a process under test and the system: loaded, not linked. See its header.
        .target(name: "CFaults"),
        // Everything that is decoded from a file, for damage of all kinds.
        module(
            "DecodingProbe",
            ["EmbeddedStore", "QueryExecution", "StoreTesting", "TestBasics", "Columnar", "ObjectModel"]),
        // Stores with tasks, and recorders of what observers of them are told.
        module(
            "LiveTesting",
            ["LiveQueries", "StoreTesting", "TestBasics", "StoreContract", "QueryLanguage", "ObjectModel"]),
        // Applications as they are written for a phone, which are not to know of this package's settings.
        .target(
            name: "SampleApps", dependencies: ["RealmSwift", combine, combineDispatch],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Keys and signatures, made by GnuTLS for tests of what verifies them.
        module("SignatureTesting", ["CGnuTLS"]),
        // What tests of servers ask with.
        module("HTTPTesting", ["HTTPServer", "Promises", "TestBasics"]),
        // The program `realmgate` as a process, with its clients.
        module("ProgramTesting", ["HTTPTesting", "RepositoryFiles", "TestBasics"]),
        // A PostgreSQL server of the tests' own, and what breaks connections to it.
        module("PostgresTesting", ["TestBasics"]),
        // Writes to a store until it is killed.
        program(
            "StoreWorker",
            ["EmbeddedStore", "StoreTesting", "StoreContract", "QueryLanguage", "ObjectModel"]),
        // Follows a gateway, and writes, until it is killed.
        program("FollowWorker", ["RealmSwift", "TestBasics"]),
        // The library in a program that is built for release; see `.ci/trials.d`.
        program("OptimisedProgram", ["RealmSwift"]),
    ])

targets += floor(
    "Tests/System",
    [
        tests("Compression", ["Compression", "TestBasics"]),
        tests("Cryptography", ["Cryptography", "SignatureTesting"]),
        tests("Files", ["Files"]), tests("Promises", ["Promises", "TestBasics"]),
    ])

targets += floor(
    "Tests/Engine",
    [
        tests("ObjectModel", ["ObjectModel", "StoreTesting", "TestBasics"]),
        tests("QueryLanguage", ["QueryLanguage", "ObjectModel", "Promises", "TestBasics"]),
        tests("Columnar", ["Columnar", "DecodingProbe", "StoreTesting", "TestBasics", "ObjectModel"]),
        tests(
            "QueryExecution",
            [
                "QueryExecution", "Columnar", "QueryLanguage", "StoreTesting", "TestBasics", "StoreContract",
                "ObjectModel",
            ]),
        tests(
            "EmbeddedStore",
            [
                "EmbeddedStore", "Columnar", "DecodingProbe", "StoreTesting", "TestBasics", "RepositoryFiles",
                "StoreContract",
                "QueryExecution", "QueryLanguage", "ObjectModel",
            ]),
        tests(
            "LiveQueries",
            [
                "LiveQueries", "LiveTesting", "EmbeddedStore", "QueryExecution", "StoreTesting", "TestBasics",
                "StoreContract",
                "QueryLanguage", "ObjectModel",
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
            ["ObjectCoding", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "TestBasics"]),
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
                "RealmInstances", "LiveQueries", "LiveTesting", "EmbeddedStore", "StoreTesting", "TestBasics",
                "RepositoryFiles",
                "StoreContract", "QueryLanguage", "ObjectModel", "Promises",
            ]),
        tests("SyncEngine", ["SyncEngine", "StoreTesting", "TestBasics", "ObjectModel"]),
        tests(
            "RealmSwift",
            [
                "RealmSwift", "SampleApps", "SyncEngine", "EmbeddedStore", "StoreTesting", "TestBasics",
                "RepositoryFiles", "Compression", "StoreContract",
                "QueryLanguage", "WireProtocol", "JSONCoding", "ObjectModel", "Promises", combine, combineDispatch,
            ]),
        tests("RealmEncryptedSeeds", ["RealmEncryptedSeeds", "RealmSwift", "RepositoryFiles", "Compression"]),
        tests(
            "RealmPostgres",
            ["RealmPostgres", "RealmSwift", "PostgresTesting", "PostgresLog", "RepositoryFiles", "TestBasics"]),
    ])

targets += floor(
    "Tests/Server",
    [
        tests("HTTPServer", ["HTTPServer", "HTTPTesting", "Compression", "TestBasics", log]),
        tests("Identity", ["Identity", "SignatureTesting", "JSONCoding", "ObjectModel"]),
        tests(
            "AccessRules",
            [
                "AccessRules", "LiveQueries", "EmbeddedStore", "StoreTesting", "TestBasics", "RepositoryFiles",
                "JSONCoding",
                "StoreContract", "QueryLanguage", "ObjectModel",
            ]),
        tests(
            "HTTPProblems",
            [
                "HTTPProblems", "HTTPServer", "RepositoryFiles", "ObjectCoding", "JSONCoding", "StoreContract",
                "QueryLanguage",
            ]),
        tests("FairScheduling", ["FairScheduling", "HTTPServer", "TestBasics", "ObjectCoding", "StoreContract"]),
        tests(
            "LiveStreams",
            [
                "LiveStreams", "FairScheduling", "HTTPProblems", "HTTPServer", "StoreTesting", "LiveQueries",
                "ObjectCoding", "WireProtocol", "StoreContract", "QueryLanguage", "ObjectModel", "Promises",
            ]),
        tests(
            "SyncSubscriptions",
            [
                "SyncSubscriptions", "LiveStreams", "HTTPServer", "StoreTesting", "TestBasics", "RepositoryFiles",
                "ObjectCoding",
                "JSONCoding", "StoreContract", "ObjectModel", "Promises", log,
            ]),
        tests(
            "WriteRequests",
            [
                "WriteRequests", "HTTPServer", "StoreTesting", "TestBasics", "ObjectCoding", "JSONCoding",
                "StoreContract",
                "ObjectModel", "Promises",
            ]),
        tests(
            "OpenAPIDescription",
            ["OpenAPIDescription", "HTTPServer", "RepositoryFiles", "JSONCoding", "ObjectModel"]),
        tests("RequestHandling", ["RequestHandling", "HTTPServer", "StoreContract", "ObjectModel"]),
        tests(
            "ReadEndpoints",
            ["ReadEndpoints", "ObjectCoding", "StoreTesting", "TestBasics", "StoreContract", "ObjectModel"]),
        tests("OperationEndpoints", ["OperationEndpoints", "HTTPServer", "StoreContract", "ObjectModel"]),
        tests(
            "Gateway",
            [
                "Gateway", "OperationEndpoints", "TransferEndpoints", "RequestHandling", "ServerLog", "WriteRequests",
                "FairScheduling", "HTTPProblems", "HTTPServer", "HTTPTesting",
                "Compression", "Identity",
                "AccessRules", "Transfer", "RealmImport", "RealmFiles",
                "ObjectCoding", "LiveTesting", "EmbeddedStore", "RepositoryFiles", "StoreTesting", "TestBasics",
                "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", "Promises", log,
            ]),
        // Realms that follow a gateway, over loopback.
        tests(
            "Subscription",
            [
                "RealmSwift", "Gateway", "RequestHandling", "HTTPServer", "HTTPTesting", "EmbeddedStore", "AccessRules",
                "Identity",
                "StoreTesting", "TestBasics", "JSONCoding", "StoreContract", "ObjectModel", combine,
            ]),
        tests(
            "RealmgateServer",
            [
                "RealmgateServer", "RealmSwift", "realmgate", "ProgramTesting", "HTTPTesting", "EmbeddedStore",
                "StoreTesting", "TestBasics", "RepositoryFiles", "StoreContract", "ObjectModel", combine,
            ]),
        // The program: its commands, settings, log and what the README says of it.
        tests(
            "CommandLine",
            [
                "realmgate", "FollowWorker", "ProgramTesting", "PostgresTesting", "HTTPTesting", "RepositoryFiles",
                "TestBasics", "Transfer", "Hosting", "RequestHandling", "HTTPServer", "Identity", "AccessRules",
                "EmbeddedStore",
                "SignatureTesting", "JSONCoding", "ObjectModel", "Promises", log,
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
            ["realmgate", "ProgramTesting", "HTTPTesting", "RepositoryFiles", "TestBasics", "HTTPServer"]),
        // The console and other pages, in a browser.
        tests(
            "Console", ["realmgate", "ProgramTesting", "HTTPTesting", "RepositoryFiles", "TestBasics", "HTTPServer"]),
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
                ["EmbeddedStore", "PostgresLog", "StoreContract", "QueryLanguage", "ObjectModel", "CSQLite"]),
            program(
                "LiveBenchmark",
                ["LiveQueries", "EmbeddedStore", "PostgresLog", "StoreContract", "QueryLanguage", "ObjectModel"]),
            program(
                "StorageBenchmark",
                ["EmbeddedStore", "StoreTesting", "TestBasics", "StoreContract", "QueryLanguage", "ObjectModel"]),
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
