import ArgumentParser
import JSONCoding
import ObjectModel
import PostgresLog
import StoreContract

/// `realmgate status`: lists the realms of a PostgreSQL database and the gateways that serve them.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the realms of a PostgreSQL database, and the gateways that serve them.",
        discussion: """
            For each realm: its newest version and mark, the length of its log, its images, and the gateways that were \
            seen within the hour, each with the version that it has, how far that is behind, and its program. Gateways \
            report every 3 seconds.

            The exit code is 1 if a gateway is more than 10 seconds behind, or was not seen for as long. It reads the \
            sizes of all entries, so do not run it every second.

            Examples:

              realmgate status --store postgres://rg@db1/app
              realmgate status --json
            """)

    @OptionGroup var directory: DirectoryOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// The seconds that a gateway may be behind.
    static let mostLag: Int64 = 10

    func run() throws {
        let directory = try directory.open()
        defer { directory.close() }
        let realms = try directory.status()
        if json {
            print(Self.json(realms))
        } else if realms.isEmpty {
            print("There are no realms. 'realmgate serve' or 'realmgate publish' makes one.")
        } else {
            for realm in realms { print(realm.text) }
        }
        for realm in realms {
            for gateway in realm.gateways where gateway.lag > Self.mostLag {
                StandardOutput.flush()
                throw CommandError(
                    gateway.secondsSinceSeen > Self.mostLag
                        ? "The gateway \(gateway.address) of realm '\(realm.name)' was not seen for \(gateway.secondsSinceSeen) s."
                        : "The gateway \(gateway.address) of realm '\(realm.name)' is \(gateway.lag) s behind.")
            }
        }
    }

    private static func json(_ realms: [RealmStatus]) -> String {
        let writer = JSONWriter()
        writer.beginArray()
        for realm in realms { realm.write(to: writer) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension GatewayStatus {
    /// The seconds that it is behind; while it is not seen it may be.
    fileprivate var lag: Int64 { max(lagSeconds, secondsSinceSeen > Status.mostLag ? secondsSinceSeen : 0) }

    fileprivate func behind(_ newest: Version) -> UInt64 {
        newest > applied ? newest.rawValue - applied.rawValue : 0
    }

    fileprivate func text(_ newest: Version) -> String {
        let behind = behind(newest)
        let distance = behind == 0 ? "up to date" : "\(behind) versions and \(lagSeconds) s behind"
        return "    \(address), \(program): version \(applied), \(distance), seen \(secondsSinceSeen) s ago"
    }

    fileprivate func write(_ newest: Version, to writer: JSONWriter) {
        writer.beginObject()
        writer.name("address")
        writer.string(address)
        writer.name("program")
        writer.string(program)
        writer.name("version")
        writer.int(applied.rawValue)
        writer.name("behind")
        writer.int(behind(newest))
        writer.name("lagSeconds")
        writer.int(lag)
        writer.name("seenSeconds")
        writer.int(secondsSinceSeen)
        writer.endObject()
    }
}

extension RealmStatus {
    fileprivate var text: String {
        var lines = ["\(name): version \(newest.version), mark \(newest.text)"]
        lines.append(
            "  log: versions after \(floor), \(grouped(Int(bytes))) bytes in \(grouped(Int(parts))) rows, format \(entryFormat)"
        )
        lines.append(
            newestImage.map { "  images: \(images), \(grouped(Int(imageBytes))) bytes, the newest of version \($0)" }
                ?? "  images: none")
        lines.append("  gateways: \(gateways.isEmpty ? "none" : "\(gateways.count)")")
        return (lines + gateways.map { $0.text(newest.version) }).joined(separator: "\n")
    }

    fileprivate func write(to writer: JSONWriter) {
        writer.beginObject()
        writer.name("realm")
        writer.string(name)
        writer.name("version")
        writer.int(newest.version.rawValue)
        writer.name("mark")
        writer.string(newest.text)
        writer.name("log")
        writer.beginObject()
        writer.name("after")
        writer.int(floor.rawValue)
        writer.name("bytes")
        writer.int(bytes)
        writer.name("rows")
        writer.int(parts)
        writer.name("format")
        writer.int(Int(entryFormat))
        writer.endObject()
        writer.name("images")
        writer.beginObject()
        writer.name("count")
        writer.int(images)
        writer.name("bytes")
        writer.int(imageBytes)
        writer.name("newest")
        if let newestImage { writer.int(newestImage.rawValue) } else { writer.null() }
        writer.endObject()
        writer.name("gateways")
        writer.beginArray()
        for gateway in gateways { gateway.write(newest.version, to: writer) }
        writer.endArray()
        writer.endObject()
    }
}
