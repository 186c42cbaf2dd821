import Foundation
import RepositoryFiles
import Testing

/// An app's author reads the docstrings in the editor: each public declaration of the modules that an app imports has
/// one, or inherits that of the requirement that it meets.
@Suite("Docstrings")
struct DocumentationTests {
    private static let modules = [
        "Realm/RealmSwift", "Realm/RealmPostgres", "Realm/RealmEncryptedSeeds", "Server/RealmgateServer",
    ]

    /// The requirements of protocols of Swift, Foundation and OpenCombine, which are documented there.
    private static let elsewhere = Set(
        """
        == < > <= >= ~= + - * += -= *= hash description debugDescription encode next makeIterator underestimatedCount
        startIndex endIndex index count first last isEmpty Index Indices Element Iterator SubSequence Stride magnitude
        errorDescription errorDomain errorCode errorUserInfo localizedDescription rawValue id wrappedValue
        Input Output Failure receive ObjectWillChangePublisher objectWillChange
        """.split { $0.isWhitespace })

    @Test("every public declaration of a module that apps import has a docstring")
    func documented() throws {
        let all = try Self.modules.flatMap { module in
            try Self.sources(of: module).flatMap { source in
                PublicDeclaration.all(in: source.text).map { (path: source.path, declaration: $0) }
            }
        }
        #expect(all.count > 1000)
        let missing = Self.missing(all.map(\.declaration))
        #expect(all.filter { missing.contains($0.declaration) }.map { "\($0.path): \($0.declaration.name)" } == [])
    }

    /// Returns the declarations that neither have a docstring nor inherit one.
    private static func missing(_ all: [PublicDeclaration]) -> [PublicDeclaration] {
        let requirements = Set(all.filter { $0.isRequirement && $0.isDocumented }.map(\.ownName))
        return all.filter { declaration in
            guard !declaration.isHidden, !declaration.isDocumented else { return false }
            let isInherited = requirements.union(elsewhere).contains(declaration.ownName)
            return declaration.isRequirement || !isInherited
        }
    }

    @Test("the check finds the declarations without a docstring, and no others")
    func planted() {
        let source = """
            /// A shape.
            public protocol Shape {
                /// The area.
                var area: Double { get }
                func grow()
            }

            public enum Kind: Int {
                case round = 1
                /// With corners.
                case square
                func own() { let local = 1 }
            }

            extension Outer.Inner {
                /// One.
                @inlinable
                public init(a: Int) {}
                @available(
                    *, unavailable, message: "no"
                )
                public var none: Int { 0 }
                public var area: Double { 1 }
                public override func grow() {}
                public static func == (a: Inner, b: Inner) -> Bool { true }
                public func _own() {}
                public init(
                    _enclosing: Int
                ) {}
                open class Deep<T>: Base {
                    public private(set) var count2 = 0
                    func hidden() {}
                }
            }
            """
        #expect(
            Self.missing(PublicDeclaration.all(in: source)).map { "\($0.line) \($0.name)" } == [
                "5 Shape.grow", "8 Kind", "9 Kind.round", "30 Outer.Inner.Deep", "31 Outer.Inner.Deep.count2",
            ])
    }

    private static func sources(of module: String) throws -> [(path: String, text: String)] {
        let directory = "Sources/" + module
        let files = FileManager.default.enumerator(atPath: Checkout.root + "/" + directory)
        return try (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { name in
            ("\(directory)/\(name)", try Checkout.text("\(directory)/\(name)"))
        }
    }
}
