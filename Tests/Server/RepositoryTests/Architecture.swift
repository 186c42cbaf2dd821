/// The rules of the module map and of the import lines; every fault is a sentence that names the arrow.
struct Architecture {
    var map: ModuleMap
    /// The import lines of each target that is written in Swift.
    var imports: [String: [ImportLine]]

    /// The program, which Foundation is to stay out of: it would weigh down the binary.
    static let program = "realmgate"
    static let foundation: Set<String> = ["Foundation", "FoundationNetworking"]
    /// What comes with the toolchain.
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

    /// What a target imports without declaring it.
    func undeclaredImports(of target: String) -> [String] {
        guard let module = map.modules[target] else { return ["Package.swift has no target \(target)."] }
        var allowed = module.dependencies.union(Self.toolchain).union(Self.foundation)
        if !module.isSource { allowed.insert("Testing") }
        return (imports[target] ?? []).filter { !allowed.contains($0.module) }.map {
            "\(target) → \($0.module) is not declared (\($0.file):\($0.line))."
        }
    }

    /// What a module declares without importing it.
    func idleDependencies() -> [String] {
        sources.flatMap { module -> [String] in
            let used = Set((imports[module.name] ?? []).map(\.module))
            return module.dependencies.subtracting(used).sorted().map {
                "Package.swift: \(module.name) → \($0) is declared, and not imported by any file."
            }
        }
    }

    /// Arrows that lead to a higher floor, or from the sources to what tests are written with.
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
                // Through what tests share, too.
                for name in map.closure(of: module.name).sorted() {
                    guard let other = map.modules[name], let to = height(other.floor), to > own else { continue }
                    faults.append("\(module.name) needs \(name) of \(other.floor), which is above \(module.floor).")
                }
            }
        }
        return faults
    }

    /// Modules that depend on each other.
    func cycle() -> [String] {
        var remaining = map.modules.mapValues(\.dependencies)
        while let (leaf, _) = remaining.first(where: { $0.value.isDisjoint(with: remaining.keys) }) {
            remaining[leaf] = nil
        }
        return remaining.keys.sorted()
    }

    /// C modules that not exactly one Swift module imports.
    func doorFaults() -> [String] {
        sources.filter { imports[$0.name] == nil }.flatMap { door -> [String] in
            let importers = sources.filter { imports[$0.name]?.contains { $0.module == door.name } == true }.map(\.name)
            guard importers.count != 1 else { return [] }
            return ["\(door.name) must be imported by one module; it is imported by \(importers)."]
        }
    }

    /// What brings Foundation into the program.
    func foundationFaults() -> [String] {
        map.closure(of: Self.program).sorted().flatMap { name in
            (imports[name] ?? []).filter { Self.foundation.contains($0.module) }.map {
                "\(Self.program) would be linked with \($0.module), which \(name) imports (\($0.file):\($0.line))."
            }
        }
    }

    /// Directories that are not what the map says.
    ///
    /// - Parameter directories: the names of those in a directory of the repository.
    /// - Parameter isScript: whether a directory of tests is run by a script of its own and not built as a target.
    func directoryFaults(
        _ directories: (String) throws -> [String], isScript: (String) throws -> Bool
    ) rethrows -> [String] {
        var faults: [String] = []
        for top in ["Sources", "Tests"] {
            for floor in try directories(top).sorted().map({ "\(top)/\($0)" }) {
                guard map.floors.contains(floor) else {
                    faults.append("\(floor) is no floor of Package.swift.")
                    continue
                }
                for name in try directories(floor).sorted() where map.modules[name]?.floor != floor {
                    if top == "Tests", try isScript("\(floor)/\(name)") { continue }
                    faults.append("\(floor)/\(name) is no target of its floor in Package.swift.")
                }
            }
        }
        return faults
    }
}
