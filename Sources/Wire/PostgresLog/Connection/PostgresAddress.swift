import CLibpq
import Glibc

/// Where a PostgreSQL server is, as libpq's URL names it: hosts, database, user, and options such as
/// `target_session_attrs`. The password comes from the URL, from the file of `PGPASSFILE`, or from `PGPASSWORD`.
///
/// `description` has no password and no options, so that it may be shown anywhere.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// libpq's keywords and values, those that the URL gives.
    private let options: [String: String]
    package let description: String

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    /// Throws `LogConfigurationError` when libpq does not understand the URL.
    package init(_ url: String) throws(LogConfigurationError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"), let options = Self.parse(url),
            Self.areHosts(options)
        else {
            throw LogConfigurationError(
                .wrongAddress,
                // Not what libpq says: it quotes the URL, which may have a password.
                "The address of the store is not a URL of PostgreSQL. Write it as "
                    + "'postgres://USER@HOST1,HOST2/DATABASE?target_session_attrs=read-write'; characters such as "
                    + "'@' and '/' in a password are written as '%40' and '%2F'.")
        }
        self.options = options
        description = Self.describe(options)
    }

    /// Splits a URL into libpq's options; nil when it is not valid.
    private static func parse(_ url: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(url, &message) else {
            PQfreemem(message)
            return nil
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var next = parsed
        // The array ends with an entry without keyword.
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        return options
    }

    /// Whether hosts and ports look like ones. A password with an '@' that is not coded ends up in the host.
    private static func areHosts(_ options: [String: String]) -> Bool {
        func isOfHost(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            // Addresses of IPv6 with their zones, directories of Unix sockets, and the commas of lists.
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"),
                UInt8(ascii: "/"), UInt8(ascii: ","):
                true
            default: false
            }
        }
        let hosts = (options["host"] ?? "") + (options["hostaddr"] ?? "")
        return hosts.utf8.allSatisfy(isOfHost)
            && list(options["port"] ?? "").allSatisfy { $0 == "" || UInt16($0) != nil }
    }

    private static func describe(_ options: [String: String]) -> String {
        let hosts = list(options["host"] ?? options["hostaddr"] ?? "")
        let ports = list(options["port"] ?? "")
        let hostTexts = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return port.isEmpty ? host : "\(host):\(port)"
        }
        let user = options["user"].map { "\($0)@" } ?? ""
        return "postgres://\(user)\(hostTexts.joined(separator: ","))/\(options["dbname"] ?? "")"
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    var hostCount: Int { max(1, Self.list(options["host"] ?? options["hostaddr"] ?? "").count) }

    /// The options of a connection that tries the hosts from one of them on.
    ///
    /// libpq goes to the next host when one refuses, but waits for one that does not answer until the caller's time is
    /// up. Whoever connects again therefore begins with another host.
    func connectionOptions(from first: Int) -> [(keyword: String, value: String)] {
        var options = self.options
        for keyword in ["host", "hostaddr", "port"] {
            guard let text = options[keyword] else { continue }
            let values = Self.list(text)
            guard values.count == hostCount, values.count > 1 else { continue }
            let start = first % values.count
            options[keyword] = (values[start...] + values[..<start]).joined(separator: ",")
        }
        options["client_encoding"] = "UTF8"
        if options["application_name"] == nil { options["fallback_application_name"] = "realmgate" }
        // Also a peer that vanished without a word is noticed while nothing is sent.
        if options["keepalives_idle"] == nil { options["keepalives_idle"] = "30" }
        return options.map { ($0.key, $0.value) }
    }

    /// The text without this address's password, for messages of libpq and of the server.
    func redacted(_ text: String) -> String {
        var text = text
        for secret in [options["password"], options["sslpassword"], getenv("PGPASSWORD").map { String(cString: $0) }] {
            guard let secret, !secret.isEmpty else { continue }
            text = text.replacing(secret, with: "…")
        }
        return text
    }
}

extension String {
    /// Foundation and the string processing library are not in this module.
    fileprivate func replacing(_ part: String, with other: String) -> String {
        let (bytes, sought) = (Array(utf8), Array(part.utf8))
        guard !sought.isEmpty, bytes.count >= sought.count else { return self }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if index + sought.count <= bytes.count, bytes[index..<index + sought.count].elementsEqual(sought) {
                result += Array(other.utf8)
                index += sought.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
