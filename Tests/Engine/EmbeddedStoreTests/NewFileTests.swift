import Foundation
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import Synchronization
import Testing

@testable import EmbeddedStore

@Suite("Files that are made whole or not at all")
struct NewFileTests {
    private static let schema = Schema(
        version: 1, classes: [ClassSchema("Dog", properties: [PropertySchema("age", PropertyType(.int))])])

    private func files(_ directory: TestDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("a file has its name when the body is done, and there is none when it throws")
    func whole() throws {
        struct Stop: Error {}
        let directory = try TestDirectory()
        let path = directory.file("store")
        #expect(throws: Stop.self) {
            try EmbeddedStore.make(path: path) { store in
                try store.replaceSchema(with: Self.schema)
                #expect(!FileManager.default.fileExists(atPath: path))
                throw Stop()
            }
        }
        #expect(try files(directory) == [])
        // What a process left that was killed.
        try directory.write("half", to: "store.making")
        let version = try EmbeddedStore.make(path: path) { try $0.replaceSchema(with: Self.schema) }
        #expect(try files(directory) == ["store"])
        let store = try EmbeddedStore.open(path: path)
        defer { store.close() }
        #expect(try store.snapshot().version == version && store.snapshot().schema == Self.schema)
    }

    @Test("of two makers at the same time one makes the file, and the other is told and has written nothing")
    func race() throws {
        let directory = try TestDirectory()
        for round in 0..<60 {
            let path = directory.file("store-\(round)")
            let made = Mutex<[Int]>([])
            let refusals = Mutex<[StoreError.Code]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { maker in
                do {
                    try EmbeddedStore.make(path: path) { store in
                        try store.replaceSchema(with: Self.schema)
                        try store.write { transaction in
                            guard let dog = transaction.schema["Dog"], let age = dog["age"] else { return }
                            _ = try transaction.create(dog.id, [age.id: .int(Int64(maker))])
                        }
                    }
                    made.withLock { $0.append(maker) }
                } catch let error as StoreError {
                    refusals.withLock { $0.append(error.code) }
                } catch {
                    Issue.record(error)
                }
            }
            let (winners, others) = (made.withLock { $0 }, refusals.withLock { $0 })
            #expect(winners.count == 1 && others.allSatisfy { [.busy, .fileAccess].contains($0) }, "\(others)")
            let store = try EmbeddedStore.open(path: path)
            defer { store.close() }
            let snapshot = try store.snapshot()
            let dog = try #require(snapshot.schema["Dog"])
            let age = try #require(dog["age"])
            let values = try snapshot.select(BoundQuery(classID: dog.id), .all).map {
                try snapshot.value(dog.id, $0, age.id)
            }
            #expect(values == winners.map { .int(Int64($0)) })
        }
        #expect(try files(directory).allSatisfy { !$0.contains("making") })
    }

    @Test("a name that is taken, before or meanwhile, and a second maker are refused")
    func taken() throws {
        let directory = try TestDirectory()
        let path = try directory.write("mine", to: "store")
        func refusal(_ path: String, _ body: (EmbeddedStore) throws -> Void) throws -> StoreError? {
            #expect(throws: StoreError.self) { try EmbeddedStore.make(path: path, body) }
        }
        #expect(try refusal(path) { _ in }?.code == .fileAccess)
        let other = directory.file("other")
        let late = try refusal(other) { _ in
            #expect(try refusal(other) { _ in }?.code == .busy)
            try directory.write("mine", to: "other")
        }
        #expect(late?.code == .fileAccess)
        #expect(try files(directory) == ["other", "store"])
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    }
}
