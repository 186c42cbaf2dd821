import Foundation

/// Which target may import which: the module map of this project. Arrows point down only.
///
/// The one addition to the plain layering is `StoreContract → QueryLanguage`: a store answers bound queries.
enum ModuleMap {
    static let arrows: [String: Set<String>] = [
        "ObjectModel": ["CDecimal"],
        "QueryLanguage": ["ObjectModel"],
        "Columnar": ["ObjectModel", "CKernels"],
        "StoreContract": ["QueryLanguage", "ObjectModel"],
        "QueryExecution": ["Columnar", "StoreContract", "QueryLanguage", "ObjectModel"],
        "EmbeddedStore": ["QueryExecution", "Columnar", "StoreContract", "QueryLanguage", "ObjectModel", "CLMDB"],
        "LiveQueries": ["QueryExecution", "StoreContract", "QueryLanguage", "ObjectModel"],
        "LiveSchedulers": ["LiveQueries", "StoreContract", "ObjectModel", "CExecutor"],
        "RealmSwift": [
            "EmbeddedStore", "LiveSchedulers", "LiveQueries", "StoreContract", "QueryExecution", "Columnar",
            "QueryLanguage", "JSONCoding", "ObjectModel", "CDiscovery", "OpenCombine", "OpenCombineDispatch",
        ],
        "JSONCoding": ["ObjectModel", "CJansson"],
        "YAMLCoding": ["JSONCoding", "ObjectModel", "CYAML"],
        "Compression": ["CZlib", "CZstd"],
        "HTTPServer": ["Compression", "CMicrohttpd", "CGnuTLS", "CRefusals", "Logging"],
        "Identity": ["JSONCoding", "ObjectModel", "JWTKit", "Crypto", "Logging"],
        "AccessRules": ["JSONCoding", "StoreContract", "QueryLanguage", "ObjectModel"],
        "Gateway": [
            "HTTPServer", "Identity", "AccessRules", "JSONCoding", "LiveQueries", "QueryExecution", "StoreContract",
            "QueryLanguage", "ObjectModel", "Crypto", "Logging",
        ],
        "Hosting": ["Gateway", "HTTPServer", "Identity", "StoreContract"],
        "RealmgateServer": [
            "RealmSwift", "Hosting", "Gateway", "HTTPServer", "Identity", "AccessRules", "JSONCoding", "StoreContract",
            "ObjectModel", "Logging",
        ],
        "StoreTesting": ["StoreContract", "QueryLanguage", "ObjectModel"],
        "realmgate": [
            "Hosting", "Gateway", "HTTPServer", "Identity", "AccessRules", "YAMLCoding", "EmbeddedStore", "JSONCoding",
            "LiveQueries", "StoreContract", "QueryLanguage", "ObjectModel", "Logging", "ArgumentParser",
        ],
    ]

    /// C modules, each with the one Swift target that imports it.
    static let doors = [
        "CLMDB": "EmbeddedStore", "CMicrohttpd": "HTTPServer", "CGnuTLS": "HTTPServer", "CRefusals": "HTTPServer",
        "CJansson": "JSONCoding", "CKernels": "Columnar",
        "CDecimal": "ObjectModel", "CExecutor": "LiveSchedulers", "CDiscovery": "RealmSwift", "CZlib": "Compression",
        "CZstd": "Compression",
        "CYAML": "YAMLCoding",
    ]

    /// The targets that may import Foundation, for what only Foundation has. No program depends on them, see
    /// `Architecture.foundationFaults`.
    static let foundation: Set<String> = ["LiveSchedulers", "RealmSwift", "RealmgateServer"]

    /// C libraries that tests load into programs; nothing imports them.
    static let preloaded: Set<String> = ["CFaults"]

    /// What comes with the toolchain. Foundation is left out on purpose: it would weigh down every binary.
    static let toolchain: Set<String> = ["Swift", "Glibc", "Dispatch", "Synchronization", "FoundationEssentials"]
}

/// One `import` line.
struct ImportLine: Equatable {
    var module: String
    var file: String
    var line: Int

    /// The import lines of a Swift source.
    static func all(in source: String, file: String) -> [ImportLine] {
        let pattern =
            #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/#
        return source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            line.firstMatch(of: pattern).map {
                ImportLine(module: String($0.output.1), file: file, line: index + 1)
            }
        }
    }
}

/// Checks import lines and the package description against the map; every fault is a sentence that names the arrow.
enum Architecture {
    static func faults(of target: String, imports: [ImportLine]) -> [String] {
        guard let allowed = ModuleMap.arrows[target] else {
            return ["Target \(target) is not in the module map of ModuleMap.swift."]
        }
        let foundation = ModuleMap.foundation.contains(target) ? ["Foundation", "FoundationNetworking"] : []
        let toolchain = ModuleMap.toolchain.union(foundation)
        return imports.filter { !allowed.contains($0.module) && !toolchain.contains($0.module) }.map {
            "\(target) → \($0.module) is not allowed (\($0.file):\($0.line))."
        }
    }

    /// What brings Foundation into the program, if anything does.
    static func foundationFaults(_ arrows: [String: Set<String>]) -> [String] {
        var reached: Set<String> = ["realmgate"]
        while true {
            let further = reached.union(reached.flatMap { arrows[$0] ?? [] })
            if further == reached { break }
            reached = further
        }
        return reached.intersection(ModuleMap.foundation).sorted().map { "realmgate would be linked with \($0)." }
    }

    /// Faults of C modules that several Swift targets import, or another one than the map says.
    static func doorFaults(imports: [String: [ImportLine]]) -> [String] {
        ModuleMap.doors.sorted { $0.key < $1.key }.flatMap { module, door -> [String] in
            let importers = imports.filter { $0.value.contains { $0.module == module } }.map(\.key).sorted()
            guard importers != [door] else { return [] }
            return ["\(module) must be imported by \(door) alone; it is imported by \(importers)."]
        }
    }

    /// The dependencies that a package description gives to each Swift target of `Sources`.
    static func dependencies(inPackage description: String) -> [String: Set<String>] {
        let names = [
            "log": "Logging", "arguments": "ArgumentParser", "jwt": "JWTKit", "crypto": "Crypto",
            "combine": "OpenCombine", "combineDispatch": "OpenCombineDispatch",
        ]
        var found: [String: Set<String>] = [:]
        let module = #/module\(\s*"(\w+)",\s*\[([^\]]*)\]/#
        let executable =
            #/\.executableTarget\(\s*name:\s*"(\w+)",\s*dependencies:\s*\[([^\]]*)\](?:,\s*path:\s*"([^"]*)")?/#
        // Benchmarks are no part of the product; they have a path of their own.
        let programs = description.matches(of: executable).filter { $0.output.3 == nil }
        let matches =
            description.matches(of: module).map { ($0.output.1, $0.output.2) }
            + programs.map { ($0.output.1, $0.output.2) }
        for (name, list) in matches {
            let entries = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            found[String(name)] = Set(
                entries.filter { !$0.isEmpty }.map { entry in
                    entry.hasPrefix("\"") ? entry.trimmingCharacters(in: ["\""]) : names[entry] ?? entry
                })
        }
        return found
    }

    static func packageFaults(_ dependencies: [String: Set<String>]) -> [String] {
        Set(dependencies.keys).union(ModuleMap.arrows.keys).sorted().flatMap { target -> [String] in
            guard let declared = dependencies[target] else { return ["Package.swift has no target \(target)."] }
            guard let allowed = ModuleMap.arrows[target] else { return ["\(target) is not in the module map."] }
            return declared.subtracting(allowed).sorted().map { "Package.swift: \(target) → \($0) is not allowed." }
                + allowed.subtracting(declared).sorted().map {
                    "The module map has \(target) → \($0), Package.swift does not."
                }
        }
    }
}
