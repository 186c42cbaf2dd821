import Compression
import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import TestBasics

/// A gateway to an empty store on disk, over HTTP, for Realm files.
final class RealmSite {
    let home: TestDirectory
    let store: EmbeddedStore
    let gateway: Gateway
    private let server: HTTPServer
    let port: UInt16
    private let scratch: String

    init(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
        home = try TestDirectory()
        scratch = home.file("scratch")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
        store = try EmbeddedStore.open(path: home.file("store"))
        var configuration = GatewayConfiguration.untimed
        configuration.scratchDirectory = scratch
        configure(&configuration)
        gateway = try Gateway(store: store, configuration: configuration)
        var settings = ServerConfiguration()
        settings.loops = 2
        server = HTTPServer(configuration: settings, router: gateway.router)
        port = try server.start()
    }

    deinit {
        server.stop(within: .seconds(5))
        store.close()
    }

    /// The files that imports left behind.
    var rest: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: scratch) } }

    struct Answer {
        let status: Int
        let document: JSONValue
        let text: String

        var code: String? { document["code"]?.asString }

        /// The number of objects of a class, as the answer says.
        func objects(_ name: String) -> Int? {
            document["classes"]?.asArray?.first { $0["name"]?.asString == name }?["objects"]?.asInt
        }
    }

    @discardableResult
    func post(_ bytes: [UInt8], _ query: String = "", headers: String = "") throws -> Answer {
        let client = try LoopbackClient(port: port)
        let type = headers.contains("Content-Type") ? "" : "Content-Type: application/x-realm\r\n"
        try client.send(
            "POST /v1/import\(query)", headers: type + headers + "Content-Length: \(bytes.count)\r\n")
        try client.write(bytes)
        let answer = try client.receive()
        return Answer(status: answer.status, document: try JSONValue.parse(answer.body), text: answer.text)
    }

    /// A file of `Tests/Wire/RealmFilesTests/Files`, which is compressed there.
    static func packed(_ name: String) throws -> [UInt8] {
        Array(
            try Data(
                contentsOf: URL(
                    fileURLWithPath: Checkout.root + "/Tests/Wire/RealmFilesTests/Files/\(name).realm.gz")))
    }

    static func file(_ name: String) throws -> [UInt8] {
        try packed(name).withUnsafeBytes { try Decoder.expand($0, .gzip, limit: 1 << 24) }
    }

    static func people() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: Checkout.root + "/Examples/Realm/people.realm")))
    }
}
