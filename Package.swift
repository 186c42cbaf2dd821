// swift-tools-version: 6.1
import PackageDescription

// The module map. Imports point down only; Tests/RealmgateTests/ArchitectureTests.swift reads this file
// and the import lines and names the arrow that broke.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ subject: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: "\(subject)Tests", dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let combine = Target.Dependency.product(name: "OpenCombine", package: "OpenCombine")
let combineDispatch = Target.Dependency.product(name: "OpenCombineDispatch", package: "OpenCombine")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

var targets: [Target] = [
    // C libraries: one module map each, at most a small shim; one Swift importer each.
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(
        name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(name: "CKernels"),
    .target(name: "CExecutor"),
    .target(name: "CDiscovery"),
    .target(name: "CRefusals"),
    // Stands between a process under test and the system: loaded, not linked. See its header.
    .target(name: "CFaults"),
    // Intel's decimal library comes as an archive and is linked in; Debian has it in libintelrdfpmath-dev.
    .target(name: "CDecimal", linkerSettings: [.linkedLibrary("bidgcc000")]),

    module("ObjectModel", ["CDecimal"]),
    module("QueryLanguage", ["ObjectModel"]),
    module("Columnar", ["ObjectModel", "CKernels"]),
    module("StoreContract", ["QueryLanguage", "ObjectModel"]),
    module("QueryExecution", ["Columnar", "StoreContract", "QueryLanguage", "ObjectModel"]),
    module("EmbeddedStore", ["QueryExecution", "Columnar", "StoreContract", "QueryLanguage", "ObjectModel", "CLMDB"]),
    module("LiveQueries", ["QueryExecution", "StoreContract", "QueryLanguage", "ObjectModel"]),
    module("LiveSchedulers", ["LiveQueries", "StoreContract", "ObjectModel", "CExecutor"]),
    // Public: the Swift interface of Realm over the engine.
    module(
        "RealmSwift",
        [
            "EmbeddedStore", "LiveSchedulers", "LiveQueries", "StoreContract", "QueryExecution", "Columnar",
            "QueryLanguage", "JSONCoding", "ObjectModel", "CDiscovery", combine, combineDispatch,
        ]),
    module("JSONCoding", ["ObjectModel", "CJansson"]),
    module("YAMLCoding", ["JSONCoding", "ObjectModel", "CYAML"]),
    module("Compression", ["CZlib", "CZstd"]),
    module("HTTPServer", ["Compression", "CMicrohttpd", "CGnuTLS", "CRefusals", log]),
    module("Identity", ["JSONCoding", "ObjectModel", jwt, crypto, log]),
    module("AccessRules", ["JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"]),
    module(
        "Gateway",
        [
            "HTTPServer", "Identity", "AccessRules", "JSONCoding", "LiveQueries", "QueryExecution", "StoreContract",
            "QueryLanguage", "ObjectModel", log, crypto,
        ]),
    // A gateway with its server, for the program and for programs of others.
    module("Hosting", ["Gateway", "HTTPServer", "Identity", "StoreContract"]),
    // Public: hosts a gateway to a realm within a program.
    module(
        "RealmgateServer",
        [
            "RealmSwift", "Hosting", "Gateway", "HTTPServer", "Identity", "AccessRules", "JSONCoding", "StoreContract",
            "ObjectModel", log,
        ]),
    module("StoreTesting", ["StoreContract", "QueryLanguage", "ObjectModel"]),

    .executableTarget(
        name: "realmgate",
        dependencies: [
            "Hosting", "Gateway", "HTTPServer", "Identity", "AccessRules", "YAMLCoding", "EmbeddedStore", "JSONCoding",
            "LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel", log, arguments,
        ],
        exclude: ["Demo"], swiftSettings: strict),

    tests("ObjectModel", ["ObjectModel"]),
    tests("QueryLanguage", ["QueryLanguage", "ObjectModel"]),
    tests("Columnar", ["Columnar", "DecodingProbe", "StoreTesting", "ObjectModel"]),
    tests(
        "QueryExecution",
        ["QueryExecution", "Columnar", "QueryLanguage", "StoreTesting", "StoreContract", "ObjectModel"]),
    // Everything that is decoded from a file, for damage of all kinds.
    .target(
        name: "DecodingProbe",
        dependencies: ["EmbeddedStore", "QueryExecution", "StoreTesting", "Columnar", "ObjectModel"],
        path: "Tests/DecodingProbe", swiftSettings: strict),
    tests(
        "EmbeddedStore",
        [
            "EmbeddedStore", "DecodingProbe", "StoreTesting", "StoreContract", "QueryExecution", "QueryLanguage",
            "ObjectModel",
        ]),
    tests(
        "LiveQueries",
        [
            "LiveSchedulers", "LiveQueries", "EmbeddedStore", "QueryExecution", "StoreTesting", "StoreContract",
            "QueryLanguage", "ObjectModel",
        ]),
    // Applications as they are written for a phone, which are not to know of this package's settings.
    .target(
        name: "SampleApps", dependencies: ["RealmSwift", combine, combineDispatch], path: "Tests/SampleApps",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    tests(
        "RealmSwift",
        [
            "RealmSwift", "SampleApps", "EmbeddedStore", "StoreTesting", "StoreContract", "JSONCoding", "ObjectModel",
            combine, combineDispatch,
        ]),
    // Realms that follow a gateway, over loopback.
    tests(
        "Subscription",
        [
            "RealmSwift", "Gateway", "HTTPServer", "HTTPTesting", "EmbeddedStore", "AccessRules", "Identity",
            "StoreTesting", "JSONCoding", "StoreContract", "ObjectModel", combine,
        ]),
    tests("JSONCoding", ["JSONCoding", "ObjectModel"]),
    tests("YAMLCoding", ["YAMLCoding", "JSONCoding", "ObjectModel"]),
    tests("Compression", ["Compression"]),
    // What tests of servers ask with.
    .target(name: "HTTPTesting", dependencies: ["HTTPServer"], path: "Tests/HTTPTesting", swiftSettings: strict),
    tests("HTTPServer", ["HTTPServer", "HTTPTesting", "Compression", log]),
    tests(
        "Identity",
        ["Identity", "JSONCoding", "ObjectModel", crypto, .product(name: "CryptoExtras", package: "swift-crypto")]),
    tests(
        "AccessRules",
        [
            "AccessRules", "LiveQueries", "EmbeddedStore", "StoreTesting", "JSONCoding", "StoreContract",
            "QueryLanguage",
            "ObjectModel",
        ]),
    tests(
        "Gateway",
        [
            "Gateway", "HTTPServer", "HTTPTesting", "Compression", "Identity", "AccessRules", "EmbeddedStore",
            "StoreTesting", "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel",
        ]),
    tests(
        "RealmgateServer",
        [
            "RealmgateServer", "RealmSwift", "realmgate", "HTTPTesting", "EmbeddedStore", "StoreTesting",
            "StoreContract", "ObjectModel", combine,
        ]),
    // Writes to a store until it is killed.
    .executableTarget(
        name: "StoreWorker",
        dependencies: ["EmbeddedStore", "StoreTesting", "StoreContract", "QueryLanguage", "ObjectModel"],
        path: "Tests/StoreWorker", swiftSettings: strict),
    // Follows a gateway, and writes, until it is killed.
    .executableTarget(
        name: "FollowWorker", dependencies: ["RealmSwift", "StoreTesting"], path: "Tests/FollowWorker",
        swiftSettings: strict),
    // The library in a program that is built for release; see `.ci/run`.
    .executableTarget(
        name: "OptimisedProgram", dependencies: ["RealmSwift"], path: "Tests/OptimisedProgram", swiftSettings: strict),
    // Programs to read and to try; see the README.
    .executableTarget(
        name: "NotesServer", dependencies: ["RealmgateServer", "RealmSwift"], path: "Examples/NotesServer",
        swiftSettings: strict),
    tests(
        "Realmgate",
        [
            "realmgate", "StoreWorker", "FollowWorker", "Hosting", "HTTPServer", "HTTPTesting", "Identity",
            "EmbeddedStore",
            "StoreTesting",
            "JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel", crypto, log,
        ]),
]

var packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
]

// Benchmarks compare with SQLite, which nothing else here needs: they are built only when asked for.
if Context.environment["REALMGATE_BENCHMARKS"] != nil {
    packages.append(.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"))
    targets += [
        .systemLibrary(
            name: "CSQLite", path: "Benchmarks/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: ["EmbeddedStore", "StoreContract", "QueryLanguage", "ObjectModel", "CSQLite"],
            path: "Benchmarks/StoreBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "LiveBenchmark",
            dependencies: ["LiveQueries", "EmbeddedStore", "StoreContract", "QueryLanguage", "ObjectModel"],
            path: "Benchmarks/LiveBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "StorageBenchmark",
            dependencies: ["EmbeddedStore", "StoreTesting", "StoreContract", "QueryLanguage", "ObjectModel"],
            path: "Benchmarks/StorageBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "SwiftAPIBenchmark", dependencies: ["RealmSwift", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Benchmarks/SwiftAPIBenchmark", swiftSettings: strict),
        .executableTarget(
            name: "FollowBenchmark", dependencies: ["RealmSwift"], path: "Benchmarks/FollowBenchmark",
            swiftSettings: strict),
    ]
}

// The fuzzer brings its own main function and needs every module instrumented: see Tests/DecodingFuzzer/run.
if Context.environment["REALMGATE_FUZZER"] != nil {
    targets.append(
        .executableTarget(
            name: "DecodingFuzzer", dependencies: ["DecodingProbe", "StoreTesting"], path: "Tests/DecodingFuzzer",
            exclude: ["run", "seeds"], swiftSettings: strict))
}

var products: [Product] = [
    .executable(name: "realmgate", targets: ["realmgate"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
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
    packages.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

let package = Package(
    name: "realmgate",
    products: products,
    dependencies: packages,
    targets: targets,
    swiftLanguageModes: [.v6]
)
