import Foundation
import RepositoryFiles
import Testing

@Suite("The module map")
struct ArchitectureTests {
    @Test("Package.swift names five floors, and the tests stand on the same")
    func floors() throws {
        let floors = try ModuleMap.ofThisPackage().floors
        let sources = floors.filter { $0.hasPrefix("Sources/") }.map { $0.dropFirst("Sources/".count) }
        #expect(sources == ["System", "Engine", "Wire", "Realm", "Server"])
        let tests = floors.filter { $0.hasPrefix("Tests/") }.map { $0.dropFirst("Tests/".count) }
        #expect(Set(tests) == Set(sources).union(["Support"]))
    }

    @Test("every import is declared in Package.swift")
    func imports() throws {
        let architecture = try Architecture.ofThisPackage()
        #expect(architecture.imports.count > 30)
        for target in architecture.map.modules.keys.sorted() {
            #expect(architecture.undeclaredImports(of: target) == [])
        }
    }

    @Test("every declared dependency is imported")
    func dependencies() throws { #expect(try Architecture.ofThisPackage().idleDependencies() == []) }

    @Test("no arrow leads up, and none in a circle")
    func arrows() throws {
        let architecture = try Architecture.ofThisPackage()
        #expect(architecture.arrowsUp() == [])
        #expect(architecture.cycle() == [])
    }

    @Test("each C module is imported by one Swift module")
    func oneDoorPerCModule() throws { #expect(try Architecture.ofThisPackage().doorFaults() == []) }

    @Test("Foundation does not come into the program")
    func programWithoutFoundation() throws {
        let architecture = try Architecture.ofThisPackage()
        #expect(architecture.foundationFaults() == [])
        #expect(architecture.map.closure(of: Architecture.program).contains("ObjectModel"))
    }

    @Test("RealmSwift needs no package but OpenCombine, and those of the server are behind its trait")
    func packages() throws {
        let map = try Architecture.ofThisPackage().map
        let packages = map.closure(of: "RealmSwift").filter { map.modules[$0] == nil }
        #expect(packages == ["OpenCombine", "OpenCombineDispatch"])
        let text = try Checkout.text("Package.swift")
        let products = text.matches(of: #/Target\.Dependency\.product\([^)]*?package: "([^"]+)"(?<rest>[^)]*\)?)/#)
        #expect(products.count == 4)
        for product in products {
            let isBehindTrait = product.rest.contains(#"condition: .when(traits: ["Server"]"#)
            #expect(isBehindTrait == (product.1 != "OpenCombine"), "\(product.1)")
        }
    }

    @Test("other packages have exact versions")
    func exactVersions() throws {
        let text = try Checkout.text("Package.swift")
        let versions = text.matches(of: #/\.package\(url: "[^"]+",\s*(\w+):/#).map { String($0.1) }
        #expect(versions.count >= 5 && Set(versions) == ["exact"])
    }

    @Test("the commands that read and write objects of a file need no HTTP")
    func commandsWithoutHTTP() throws {
        let architecture = try Architecture.ofThisPackage()
        for command in ["Import", "Export", "Query"] {
            let lines = (architecture.imports[Architecture.program] ?? []).filter {
                $0.file.hasSuffix("/Commands/\(command).swift")
            }
            #expect(lines.contains { $0.module == "ObjectModel" }, "\(command).swift was not found")
            let needed = lines.reduce(into: Set<String>()) {
                $0.insert($1.module)
                $0.formUnion(architecture.map.closure(of: $1.module))
            }
            #expect(!needed.contains("HTTPServer"), "\(command).swift")
        }
    }

    @Test("every directory of Sources and of Tests is a target of its floor")
    func nothingIsLeftOut() throws {
        let faults = try Architecture.ofThisPackage().directoryFaults { directory in
            try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/" + directory)
        } isScript: { directory in
            FileManager.default.isExecutableFile(atPath: "\(Checkout.root)/\(directory)/run")
        }
        #expect(faults == [])
    }
}

/// Checks that the rules find violations.
@Suite("Faults planted into a module map")
struct PlantedArchitectureTests {
    private static let description = """
        let log = Target.Dependency.product(name: "Logging", package: "swift-log")
        let targets =
            floor("Sources/System", [.systemLibrary(name: "CJansson", pkgConfig: "jansson"), .target(name: "CKernels")])
            + floor(
                "Sources/Engine",
                [
                    module("ObjectModel", []),  // a comment ] with (
                    module("Columnar", ["ObjectModel", "CKernels"]),
                ])
            + floor("Sources/Wire", [module("JSONCoding", ["ObjectModel", "CJansson"])])
            + floor(
                "Sources/Server",
                [
                    module("Gateway", ["JSONCoding", log, .product(name: "Crypto", package: "swift-crypto")]),
                    program("realmgate", ["Gateway", "JSONCoding"]),
                ])
            + floor("Tests/Support", [.target(name: "Probe", dependencies: ["Columnar"], swiftSettings: [.x])])
            + floor("Tests/Engine", [tests("Columnar", ["Columnar", "Probe"])])
        """

    private func architecture(
        _ replacements: KeyValuePairs<String, String> = [:], importing more: [String: String] = [:]
    ) throws -> Architecture {
        var text = Self.description
        for (old, new) in replacements {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        let map = try ModuleMap(package: text)
        var imports: [String: [ImportLine]] = [:]
        for module in map.modules.values where !["CJansson", "CKernels"].contains(module.name) {
            let lines = module.dependencies.sorted().map { "import \($0)" } + (more[module.name].map { [$0] } ?? [])
            imports[module.name] = ImportLine.all(in: lines.joined(separator: "\n"), file: "A.swift")
        }
        return Architecture(map: map, imports: imports)
    }

    @Test("a map without faults is read as it is, and has none")
    func sound() throws {
        let sound = try architecture()
        #expect(
            sound.map.floors == [
                "Sources/System", "Sources/Engine", "Sources/Wire", "Sources/Server", "Tests/Support", "Tests/Engine",
            ])
        #expect(sound.map.modules["Gateway"]?.dependencies == ["JSONCoding", "Logging", "Crypto"])
        #expect(sound.map.modules["Probe"]?.dependencies == ["Columnar"])
        #expect(sound.map.modules["ColumnarTests"]?.directory == "Tests/Engine/ColumnarTests")
        #expect(sound.map.modules["CKernels"]?.dependencies == [])
        for target in sound.map.modules.keys { #expect(sound.undeclaredImports(of: target) == []) }
        #expect(sound.idleDependencies() == [])
        #expect(sound.arrowsUp() == [])
        #expect(sound.cycle() == [])
        #expect(sound.doorFaults() == [])
        #expect(sound.foundationFaults() == [])
    }

    @Test(
        "an import that is not declared is found however it is written, and the arrow is named",
        arguments: [
            "import Columnar", "package import Columnar", "@testable import Columnar",
            "@preconcurrency public import Columnar", "  import class Columnar.Leaf",
        ])
    func undeclaredImport(line: String) throws {
        let source = "// header\n\(line)\nimport JSONCoding\n// import CKernels"
        let lines = ImportLine.all(in: source, file: "Route.swift")
        #expect(lines.map(\.module) == ["Columnar", "JSONCoding"])
        var broken = try architecture()
        broken.imports["Gateway"] = lines
        #expect(broken.undeclaredImports(of: "Gateway") == ["Gateway → Columnar is not declared (Route.swift:2)."])
    }

    @Test("a dependency that nothing imports is named")
    func idle() throws {
        var broken = try architecture()
        broken.imports["Columnar"] = ImportLine.all(in: "import CKernels", file: "A.swift")
        #expect(
            broken.idleDependencies()
                == ["Package.swift: Columnar → ObjectModel is declared, and not imported by any file."])
    }

    @Test("an arrow that leads up is named, and so is one from the sources to the tests")
    func up() throws {
        #expect(
            try architecture([#""ObjectModel", []"#: #""ObjectModel", ["JSONCoding"]"#]).arrowsUp()
                == [
                    "ColumnarTests needs JSONCoding of Sources/Wire, which is above Tests/Engine.",
                    "ObjectModel → JSONCoding leads up from Sources/Engine to Sources/Wire.",
                ])
        #expect(
            try architecture([#"["Gateway", "JSONCoding"]"#: #"["Gateway", "Probe"]"#]).arrowsUp()
                == ["realmgate → Probe leads up from Sources/Server to Tests/Support."])
    }

    @Test("tests need nothing from above their floor, also not through what they share")
    func testsBelow() throws {
        #expect(
            try architecture([#"dependencies: ["Columnar"]"#: #"dependencies: ["Gateway"]"#]).arrowsUp()
                == [
                    "ColumnarTests needs Gateway of Sources/Server, which is above Tests/Engine.",
                    "ColumnarTests needs JSONCoding of Sources/Wire, which is above Tests/Engine.",
                ])
    }

    @Test("modules that depend on each other are named")
    func circle() throws {
        let broken = try architecture([#""ObjectModel", []"#: #""ObjectModel", ["Columnar"]"#])
        let named = broken.cycle()
        #expect(named.contains("Columnar") && named.contains("ObjectModel") && !named.contains("CKernels"))
    }

    @Test("a second importer of a C module is named, and a C module that nothing imports")
    func doors() throws {
        #expect(
            try architecture(importing: ["Gateway": "import CJansson"]).doorFaults()
                == [#"CJansson must be imported by one module; it is imported by ["Gateway", "JSONCoding"]."#])
        #expect(
            try architecture([#""ObjectModel", "CKernels"]"#: #""ObjectModel"]"#]).doorFaults()
                == ["CKernels must be imported by one module; it is imported by []."])
    }

    @Test("Foundation below the program is named; where the program does not reach, it may be")
    func foundation() throws {
        let broken = try architecture(importing: ["JSONCoding": "import Foundation", "Columnar": "import Foundation"])
        #expect(
            broken.foundationFaults()
                == ["realmgate would be linked with Foundation, which JSONCoding imports (A.swift:3)."])
    }

    @Test("directories that are no floor or no target of theirs are named")
    func directories() throws {
        let directories = [
            "Sources": ["System", "Engine", "Wire", "Server", "Attic"],
            "Sources/Engine": ["ObjectModel", "Columnar", "JSONCoding", "Forgotten"], "Tests": ["Support", "Engine"],
            "Tests/Support": ["Probe", "Scripts", "Loose"],
        ]
        let faults = try architecture().directoryFaults {
            directories[$0] ?? []
        } isScript: {
            $0 == "Tests/Support/Scripts"
        }
        #expect(
            faults == [
                "Sources/Attic is not a floor of Package.swift.",
                "Sources/Engine/Forgotten is not a target of its floor in Package.swift.",
                "Sources/Engine/JSONCoding is not a target of its floor in Package.swift.",
                "Tests/Support/Loose is not a target of its floor in Package.swift.",
            ])
    }

    @Test("a dependency that is not understood is refused")
    func unreadable() {
        #expect(throws: ModuleMap.Unreadable.self) {
            try ModuleMap(package: #"floor("Sources/Engine", [module("A", [secret])])"#)
        }
    }
}
