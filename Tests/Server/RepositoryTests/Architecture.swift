/// The rules for the module map and the import lines. Every violation is a sentence that names the modules.
struct Architecture {
    var map: ModuleMap
    /// The import lines of each Swift target.
    var imports: [String: [ImportLine]]

    /// The program, which must not import Foundation: it would enlarge the binary.
    static let program = "realmgate"
    static let foundation: Set<String> = ["Foundation", "FoundationNetworking"]
    /// The modules of the toolchain.
    static let toolchain: Set<String> = ["Swift", "Glibc", "Dispatch", "Synchronization", "FoundationEssentials"]

    static func ofThisPackage() throws -> Architecture { try read.get() }

    /// Read once for all tests.
    private static let read = Result {
        let map = try ModuleMap.ofThisPackage()
        return Architecture(
            map: map, imports: try map.modules.compactMapValues { try ImportLine.all(inDirectory: $0.directory) })
    }

    private var sources: [ModuleMap.Module] {
        map.modules.values.filter(\.isSource).sorted { $0.name < $1.name }
    }

    /// Returns the modules that a target imports without declaring them.
    func undeclaredImports(of target: String) -> [String] {
        guard let module = map.modules[target] else { return ["Package.swift has no target \(target)."] }
        var allowed = module.dependencies.union(Self.toolchain).union(Self.foundation)
        if !module.isSource { allowed.insert("Testing") }
        return (imports[target] ?? []).filter { !allowed.contains($0.module) }.map {
            "\(target) → \($0.module) is not declared (\($0.file):\($0.line))."
        }
    }

    /// Returns the dependencies that a module declares without importing them.
    func idleDependencies() -> [String] {
        sources.flatMap { module -> [String] in
            let used = Set((imports[module.name] ?? []).map(\.module))
            return module.dependencies.subtracting(used).sorted().map {
                "Package.swift: \(module.name) → \($0) is declared, and not imported by any file."
            }
        }
    }

    /// Returns dependencies on a higher floor, or of the sources on test support.
    func arrowsUp() -> [String] {
        let floors = map.floors.filter { $0.hasPrefix("Sources/") }
        func height(_ floor: String) -> Int? { floors.firstIndex(of: floor) }
        var faults: [String] = []
        for module in map.modules.values.sorted(by: { $0.name < $1.name }) {
            if module.isSource {
                for name in module.dependencies.sorted() {
                    guard let other = map.modules[name] else { continue }
                    guard let from = height(module.floor), let to = height(other.floor), to <= from else {
                        faults.append("\(module.name) → \(name) leads up from \(module.floor) to \(other.floor).")
                        continue
                    }
                }
            } else if module.floor.hasPrefix("Tests/"),
                let own = height("Sources/" + module.floor.dropFirst("Tests/".count))
            {
                // Including those through shared test modules.
                for name in map.closure(of: module.name).sorted() {
                    guard let other = map.modules[name], let to = height(other.floor), to > own else { continue }
                    faults.append("\(module.name) needs \(name) of \(other.floor), which is above \(module.floor).")
                }
            }
        }
        return faults
    }

    /// Returns modules that depend on each other.
    func cycle() -> [String] {
        var remaining = map.modules.mapValues(\.dependencies)
        while let (leaf, _) = remaining.first(where: { $0.value.isDisjoint(with: remaining.keys) }) {
            remaining[leaf] = nil
        }
        return remaining.keys.sorted()
    }

    /// Returns C modules that are not imported by exactly one Swift module.
    func doorFaults() -> [String] {
        sources.filter { imports[$0.name] == nil }.flatMap { door -> [String] in
            let importers = sources.filter { imports[$0.name]?.contains { $0.module == door.name } == true }.map(\.name)
            guard importers.count != 1 else { return [] }
            return ["\(door.name) must be imported by one module; it is imported by \(importers)."]
        }
    }

    /// Returns the dependencies that bring Foundation into the program.
    func foundationFaults() -> [String] {
        map.closure(of: Self.program).sorted().flatMap { name in
            (imports[name] ?? []).filter { Self.foundation.contains($0.module) }.map {
                "\(Self.program) would be linked with \($0.module), which \(name) imports (\($0.file):\($0.line))."
            }
        }
    }

    /// Returns directories that differ from the map.
    ///
    /// - Parameter directories: the names of those in a directory of the repository.
    /// - Parameter isScript: whether a directory of tests is run by a script of its own and is not a target.
    func directoryFaults(
        _ directories: (String) throws -> [String], isScript: (String) throws -> Bool
    ) rethrows -> [String] {
        var faults: [String] = []
        for top in ["Sources", "Tests"] {
            for floor in try directories(top).sorted().map({ "\(top)/\($0)" }) {
                guard map.floors.contains(floor) else {
                    faults.append("\(floor) is not a floor of Package.swift.")
                    continue
                }
                for name in try directories(floor).sorted() where map.modules[name]?.floor != floor {
                    if top == "Tests", try isScript("\(floor)/\(name)") { continue }
                    faults.append("\(floor)/\(name) is not a target of its floor in Package.swift.")
                }
            }
        }
        return faults
    }
}
