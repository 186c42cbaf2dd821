import ProgramTesting
import RepositoryFiles
import TestBasics

/// Systems that trust another authority, for one process.
enum SystemTrust {
    /// Whether a process can have file systems of its own, which simulate such a system.
    private static var canUnshare: Bool {
        guard let directory = try? TestDirectory(),
            let process = try? ChildProcess("/usr/bin/env", ["unshare", "-rm", "true"], directory: directory.path)
        else { return false }
        return (try? process.wait()) == 0
    }

    static let isWanted = TestNeed.isMet(
        canUnshare, "systems that trust a certificate", because: "this user may not have file systems of their own")

    /// The arguments of `/usr/bin/env` for a command on a system that trusts only this certificate.
    static func command(trusting certificate: String, _ command: [String]) -> [String] {
        let trusting = "mount --bind '\(certificate)' /etc/ssl/certs/ca-certificates.crt && exec \"$@\""
        return ["unshare", "-rm", "sh", "-c", trusting, "sh"] + command
    }
}
