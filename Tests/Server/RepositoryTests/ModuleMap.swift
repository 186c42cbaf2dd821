import Foundation
import RepositoryFiles

/// The targets of Package.swift with their floors.
struct ModuleMap {
    struct Module: Equatable {
        var name: String
        /// The directory of the floor, such as `Sources/Engine`.
        var floor: String
        /// The imported modules, including products of other packages.
        var dependencies: Set<String>

        var isSource: Bool { floor.hasPrefix("Sources/") }
        var directory: String { "\(floor)/\(name)" }
    }

    struct Unreadable: Error, CustomStringConvertible {
        var description: String
    }

    /// The directories of the floors in the order in which they first occur, which is from the lowest to the highest.
    private(set) var floors: [String] = []
    private(set) var modules: [String: Module] = [:]

    static func ofThisPackage() throws -> ModuleMap { try ModuleMap(package: try Checkout.text("Package.swift")) }

    /// - Parameter description: the contents of Package.swift, in the forms that it uses: `floor("DIRECTORY",
    ///   [TARGETS])`, where a target is a call with its name first.
    init(package description: String) throws {
        let text = PackageText(description)
        var products: [String: String] = [:]
        for match in text.code.matches(of: #/let (\w+) = Target\.Dependency\.product\(\s*name: "(\w+)"/#) {
            products[String(match.1)] = String(match.2)
        }
        for match in text.code.matches(of: #/\bfloor\(\s*"([^"]+)",\s*(?=\[)/#) {
            let floor = String(match.1)
            if !floors.contains(floor) { floors.append(floor) }
            let list = String(try PackageText.enclosed(in: text.code, from: match.range.upperBound))
            let call =
                #/(?:\b(module|program|tests)\(\s*|\.(?:target|executableTarget|systemLibrary)\(\s*name:\s*)"(\w+)"/#
            for target in list.matches(of: call) {
                guard let opening = list[target.range].firstIndex(of: "(") else { continue }
                let arguments = try PackageText.enclosed(in: list, from: opening)
                let name = target.1 == "tests" ? "\(target.2)Tests" : String(target.2)
                guard modules[name] == nil else { throw Unreadable(description: "Package.swift has two \(name).") }
                modules[name] = Module(
                    name: name, floor: floor,
                    dependencies: try Self.dependencies(
                        in: String(arguments), isNamed: target.1 == nil, products: products))
            }
        }
    }

    /// Returns the first list of a target's arguments, or the one labelled `dependencies`.
    private static func dependencies(
        in arguments: String, isNamed: Bool, products: [String: String]
    ) throws -> Set<String> {
        let start = isNamed ? arguments.firstRange(of: "dependencies:")?.upperBound : arguments.startIndex
        guard let start, let opening = arguments[start...].firstIndex(of: "[") else { return [] }
        var list = String(try PackageText.enclosed(in: arguments, from: opening))
        var found: Set<String> = []
        let product = #/\.product\(\s*name:\s*"(\w+)"[^)]*\)/#
        for match in list.matches(of: product) { found.insert(String(match.1)) }
        list.replace(product, with: "")
        for entry in list.split(separator: ",") {
            let word = entry.trimmingCharacters(in: .whitespacesAndNewlines)
            if word.isEmpty { continue }
            if word.hasPrefix("\"") {
                found.insert(word.trimmingCharacters(in: ["\""]))
            } else if let product = products[word] {
                found.insert(product)
            } else {
                throw Unreadable(description: "Package.swift has a dependency that is not understood: \(word)")
            }
        }
        return found
    }

    /// Returns a module and all its direct and indirect dependencies.
    func closure(of name: String) -> Set<String> {
        var reached: Set<String> = [name]
        var waiting = [name]
        while let next = waiting.popLast() {
            for dependency in modules[next]?.dependencies ?? [] where reached.insert(dependency).inserted {
                waiting.append(dependency)
            }
        }
        return reached
    }
}

/// The text of a package description without its comments.
private struct PackageText {
    var code: String

    init(_ text: String) {
        // Only URLs in a package description contain two slashes, and they do not matter here.
        code = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        }.joined(separator: "\n")
    }

    /// Returns the text between the bracket at `start` and the one that closes it.
    static func enclosed(in text: String, from start: String.Index) throws -> Substring {
        var depth = 0
        var isQuoted = false
        var index = start
        while index < text.endIndex {
            switch text[index] {
            case "\"": isQuoted.toggle()
            case "(", "[": if !isQuoted { depth += 1 }
            case ")", "]":
                if !isQuoted { depth -= 1 }
                if depth == 0 { return text[text.index(after: start)..<index] }
            default: break
            }
            index = text.index(after: index)
        }
        throw ModuleMap.Unreadable(
            description: "Package.swift has a bracket without its partner: \(text[start...].prefix(60))")
    }
}
