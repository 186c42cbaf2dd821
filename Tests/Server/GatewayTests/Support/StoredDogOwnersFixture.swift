import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics

/// A store on disk with people and dogs.
final class StoredDogOwnersFixture {
    private struct Opened {
        let store: EmbeddedStore
        let gateway: Gateway
        let wire: Wire

        init(_ path: String) throws {
            store = try EmbeddedStore.open(path: path)
            // Fresh reads for comparison are never limited to a page.
            var configuration = GatewayConfiguration.untimed
            configuration.defaultPage = configuration.maximumPage
            configuration.subscriptionFile = path + ".subscriptions"
            gateway = try Gateway(store: store, configuration: configuration)
            wire = Wire(store: store, router: gateway.router)
        }
    }

    private let home: TestDirectory
    private var opened: Opened?

    var wire: Wire {
        get throws {
            guard let opened else { throw WireFailure("closed") }
            return opened.wire
        }
    }

    var topicCount: Int? { opened?.gateway.topicCount }

    init() throws {
        home = try TestDirectory()
        opened = try Opened(home.path + "/store")
        let wire = try wire
        guard try wire.send(.put, "/v1/schema", DogOwnersFixture.schema).status == 200 else {
            throw WireFailure("schema")
        }
        try DogOwnersFixture.fill { try wire.send(.post, $0, $1).status }
    }

    /// Stops the server and starts it again. All streams must have been closed.
    func reopen() throws {
        close()
        opened = try Opened(home.path + "/store")
    }

    private func close() {
        opened?.gateway.settle()
        opened?.store.close()
        opened = nil
    }

    /// Writes a backup, and replaces the previous one.
    func backUp() throws {
        unlink(home.path + "/backup")
        try opened?.store.writeCopy(to: home.path + "/backup", progress: nil)
    }

    /// Stops the server, restores the backup, and starts again. All streams must have been closed.
    func restore() throws {
        close()
        try EmbeddedStore.restore(home.path + "/store", from: home.path + "/backup", replaces: true)
        opened = try Opened(home.path + "/store")
    }

    /// Waits until all commits have been reported.
    func settle() { opened?.gateway.settle() }

    /// Returns the versions that are retained after a commit that no stream reports, and that commit's version.
    func pinned() throws -> (versions: [Version], newest: Version) {
        guard let opened else { throw WireFailure("closed") }
        // A client that connected and disconnected at once may still be joining, which reads.
        opened.gateway.settle()
        // Not with a request, which would read.
        let newest = try opened.store.write { $0.version }
        opened.gateway.settle()
        return (opened.store.pinnedVersions, newest)
    }

    /// Makes one random commit.
    func write(_ random: inout SeededRandom) throws {
        let wire = try wire
        func pick(_ values: [String], upTo count: Int) -> String {
            (0..<Int.random(in: 0...count, using: &random)).map { _ in
                values.randomElement(using: &random) ?? ""
            }.joined(separator: ",")
        }
        let dog = Int.random(in: 1...5, using: &random)
        let number = Int.random(in: 0..<9, using: &random)
        let (target, body): (String, String)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: (target, body) = ("Person/ada", #"{"tags":[\#(pick([#""a""#, #""b""#, #""c""#], upTo: 5))]}"#)
        case 1:
            (target, body) = ("Person/ada", #"{"nums":[\#(pick(["1", "2", "null"], upTo: 4))],"age":\#(number)}"#)
        case 2: (target, body) = ("Person/ada", #"{"marks":[\#(pick([#""1.5""#, #""2""#, #""-3""#], upTo: 3))]}"#)
        case 3:
            let keys = ["ash", "elm", "fir", "oak"].filter { _ in Bool.random(using: &random) }
            let pairs = keys.map { "\"\($0)\":\(Int.random(in: 0..<3, using: &random))" }
            (target, body) = ("Person/ada", "{\"prices\":{\(pairs.joined(separator: ","))}}")
        case 4:
            let keys = ["rex", "tom", "zed"].filter { _ in Bool.random(using: &random) }
            let pairs = keys.map { "\"\($0)\":\(Bool.random(using: &random) ? "1" : "null")" }
            (target, body) = ("Person/ada", "{\"pets\":{\(pairs.joined(separator: ","))}}")
        case 5: (target, body) = ("Person/ada", #"{"dogs":[\#(pick(["1", "2", "3"], upTo: 4))]}"#)
        case 6: (target, body) = ("Person/bob", #"{"age":\#(number * 3),"dogs":[\#(pick(["1", "3"], upTo: 2))]}"#)
        case 7:
            (target, body) = (
                "Person/ada",
                #"{"things":[\#(pick(["1", #""x""#, "null", "[1,2]"], upTo: 3))],"friends":[\#(pick([#""bob""#, #""cy""#], upTo: 2))]}"#
            )
        case 8 where dog > 3:
            _ = try wire.send(.delete, "/v1/objects/Dog/\(dog)")
            return
        default:
            let breed = ["Beagle", "Whippet", "Poodle"].randomElement(using: &random) ?? ""
            let answer = try wire.send(
                .post, "/v1/objects/Dog?update=modified", #"{"id":\#(dog),"age":\#(number),"breed":"\#(breed)"}"#)
            guard answer.status < 300 else { throw WireFailure("\(answer)") }
            return
        }
        let answer = try wire.send(.patch, "/v1/objects/\(target)", body)
        guard answer.status == 200 else { throw WireFailure("\(target) \(body): \(answer)") }
    }
}
