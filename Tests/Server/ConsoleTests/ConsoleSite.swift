import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

/// One server and one browser for all tests of the console, which run one after the other.
final class ConsoleSite: Sendable {
    static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int?"},
            {"name": "good", "type": "bool"}, {"name": "chip", "type": "int"}, {"name": "owner", "type": "Person?"}]},
          {"name": "Person", "primaryKey": "handle", "properties": [
            {"name": "handle", "type": "string"}, {"name": "city", "type": "string?"},
            {"name": "dogs", "type": "linkingObjects(Dog.owner)"}]},
          {"name": "Part", "embedded": true, "properties": [{"name": "size", "type": "decimal128"}]},
          {"name": "Thing", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "price", "type": "decimal128"}, {"name": "photo", "type": "data"},
            {"name": "tags", "type": "string[]"}, {"name": "extra", "type": "mixed"}, {"name": "part", "type": "Part?"},
            {"name": "rates", "type": "double?{}"}, {"name": "marks", "type": "string<>"},
            {"name": "dogs", "type": "Dog[]"}]},
          {"name": "Reading", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "sensor", "type": "string"}, {"name": "value", "type": "double"}]},
          {"name": "Odd", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "__proto__", "type": "string"},
            {"name": "constructor", "type": "int?"}, {"name": "at", "type": "date?"},
            {"name": "others", "type": "Odd[]"}]},
          {"name": "Stop", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "latitude", "type": "double?"},
            {"name": "longitude", "type": "double?"}]}]}
        """

    let directory: TestDirectory
    let server: RunningServer
    let browser: Browser

    init() throws {
        directory = try TestDirectory()
        let schema = try directory.write(Self.schema, to: "schema.json")
        server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        browser = try Browser()
    }

    /// The site of the running tests.
    @TaskLocal static var current: ConsoleSite?
}

/// Starts the server and the browser of a suite before its first test, and stops them after its last.
struct OnConsoleSite: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard Browser.isWanted else { return try await function() }
        try await ConsoleSite.$current.withValue(try ConsoleSite(), operation: function)
    }
}

extension Trait where Self == OnConsoleSite {
    static var onConsoleSite: Self { Self() }
}
