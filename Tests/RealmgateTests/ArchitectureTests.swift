import Foundation
import Testing

@Suite("The module map")
struct ArchitectureTests {
    @Test("every import is an arrow of the map", arguments: ModuleMap.arrows.keys.sorted())
    func importsPointDown(target: String) throws {
        let imports = try Checkout.imports(of: target)
        #expect(!imports.isEmpty || ModuleMap.arrows[target]?.isEmpty == true, "\(target) has no import at all")
        #expect(Architecture.faults(of: target, imports: imports) == [])
    }

    @Test("every directory of Sources is a C module or a target of the map")
    func nothingIsLeftOut() throws {
        let known = Set(ModuleMap.arrows.keys).union(ModuleMap.doors.keys).union(ModuleMap.preloaded)
        let directories = try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/Sources")
        #expect(Set(directories) == known)
    }

    @Test("each C module is imported by one Swift target")
    func oneDoorPerCModule() throws {
        let imports = try Dictionary(
            uniqueKeysWithValues: ModuleMap.arrows.keys.map { ($0, try Checkout.imports(of: $0)) })
        #expect(Architecture.doorFaults(imports: imports) == [])
    }

    @Test("Foundation does not come into the program")
    func programWithoutFoundation() {
        #expect(Architecture.foundationFaults(ModuleMap.arrows) == [])
        let broken = ModuleMap.arrows.merging(["Gateway": ["LiveSchedulers"]]) { $0.union($1) }
        #expect(Architecture.foundationFaults(broken) == ["realmgate would be linked with LiveSchedulers."])
    }

    @Test("Package.swift declares exactly the arrows of the map")
    func packageAgrees() throws {
        let description = try String(contentsOfFile: Checkout.root + "/Package.swift", encoding: .utf8)
        #expect(Architecture.packageFaults(Architecture.dependencies(inPackage: description)) == [])
    }

    @Test("the map has no cycle")
    func arrowsPointDown() {
        var remaining = ModuleMap.arrows
        while let (leaf, _) = remaining.first(where: { $0.value.isDisjoint(with: remaining.keys) }) {
            remaining[leaf] = nil
        }
        #expect(remaining.isEmpty, "these import each other: \(remaining.keys.sorted())")
    }

    @Test(
        "a forbidden import is found however it is written, and the arrow is named",
        arguments: [
            "import EmbeddedStore", "package import EmbeddedStore", "@testable import EmbeddedStore",
            "@preconcurrency public import EmbeddedStore", "  import class EmbeddedStore.EmbeddedStore",
        ])
    func brokenArrowIsNamed(line: String) {
        let source = "// header\n\(line)\nimport ObjectModel\n// import Columnar"
        let imports = ImportLine.all(in: source, file: "Route.swift")
        #expect(imports.map(\.module) == ["EmbeddedStore", "ObjectModel"])
        #expect(
            Architecture.faults(of: "Gateway", imports: imports)
                == ["Gateway → EmbeddedStore is not allowed (Route.swift:2)."])
    }

    @Test("a second importer of a C module is named")
    func secondDoorIsNamed() {
        var imports = ModuleMap.doors.reduce(into: [String: [ImportLine]]()) { result, door in
            result[door.value, default: []].append(ImportLine(module: door.key, file: "A.swift", line: 1))
        }
        imports["Gateway"] = [ImportLine(module: "CJansson", file: "B.swift", line: 1)]
        #expect(
            Architecture.doorFaults(imports: imports)
                == [#"CJansson must be imported by JSONCoding alone; it is imported by ["Gateway", "JSONCoding"]."#])
    }

    @Test("a dependency that the map does not have is found in a package description")
    func undeclaredDependencyIsNamed() {
        let description = """
            module("JSONCoding", ["ObjectModel", "CJansson", log]),
            .executableTarget(
                name: "realmgate", dependencies: ["Gateway", arguments,
                ])
            """
        let dependencies = Architecture.dependencies(inPackage: description)
        #expect(dependencies["realmgate"] == ["Gateway", "ArgumentParser"])
        let faults = Architecture.packageFaults(dependencies)
        #expect(faults.contains("Package.swift: JSONCoding → Logging is not allowed."))
        #expect(faults.contains("The module map has realmgate → EmbeddedStore, Package.swift does not."))
        #expect(faults.contains("Package.swift has no target Gateway."))
    }
}
