import StoredRecords
import Glibc
package import ObjectModel
package import StoreContract

/// The findings of a check of a log.
package struct LogReport: Sendable {
    /// The faults, as sentences for a person.
    package var faults: [String] = []
    package var entries = 0
    package var bytes = 0
    /// The complete images that are as they were uploaded.
    package var images: [LogImage] = []
    /// The newest position when the check began; later entries are not looked at.
    package var newest = LogPosition.start
    /// The log has the versions after this one.
    package var floor = LogPosition.start.version
}

/// Checks a log that may be in use: that it has all versions, that each entry is whole and follows the one before it,
/// and that images are whole and of the log's history.
package struct LogCheck {
    private let log: any CommitLog

    package init(_ log: any CommitLog) { self.log = log }

    /// Reads all of it. Throws the log's errors, but `logDamaged` is in the report.
    package func run(progress: (_ entries: Int) -> Void = { _ in }) throws -> LogReport {
        var report = LogReport()
        report.newest = try log.newest()
        report.floor = try log.floor()
        let images = try log.images().filter(\.isComplete)
        // An image that is older than the log is waiting to be deleted.
        let tags = try checkEntries(&report, images.filter { $0.position.version >= report.floor }, progress)
        for image in images {
            do {
                try log.downloadImage(image) { _ in }
                if let tag = tags[image.position.version], tag != image.position.tag {
                    report.faults.append("the image of version \(image.position.version) is of another history")
                } else {
                    report.images.append(image)
                }
            } catch let error as StoreError where error.code == .logDamaged {
                report.faults.append(error.message)
            }
        }
        let hasImage = report.images.contains { $0.position.version >= report.floor }
        if report.floor > LogPosition.start.version, !hasImage {
            report.faults.append(
                "the log begins after version \(report.floor), and no image of that version or a later one is whole: no new replica can be made"
            )
        }
        return report
    }

    /// Returns the tags that the log has for the versions of the images.
    private func checkEntries(
        _ report: inout LogReport, _ images: [LogImage], _ progress: (Int) -> Void
    ) throws -> [Version: HistoryTag] {
        var tags: [Version: HistoryTag] = [:]
        var version = report.floor
        // Known at the start, and at an image.
        var tag = version == LogPosition.start.version ? LogPosition.start.tag : nil
        if version == report.newest.version { tag = report.newest.tag }
        if let tag { tags[version] = tag }
        while version < report.newest.version {
            let entries: [LogEntry]
            do {
                entries = try log.entries(after: version)
            } catch let error as StoreError where error.code == .logDamaged {
                report.faults.append(error.message)
                return tags
            }
            guard !entries.isEmpty else {
                report.faults.append("the log ends at version \(version), but its newest is \(report.newest.version)")
                return tags
            }
            for entry in entries where entry.version <= report.newest.version {
                guard entry.version == version.next else {
                    report.faults.append("the entry of version \(version.next) is missing")
                    return tags
                }
                do {
                    let base = try RedoRecord.decode(entry.body).base ?? entry.tag
                    if let tag, base != tag {
                        report.faults.append("the entry of version \(entry.version) follows another version \(version)")
                    }
                } catch {
                    report.faults.append("the entry of version \(entry.version) cannot be read")
                }
                (version, tag) = (entry.version, entry.tag)
                if images.contains(where: { $0.position.version == version }) { tags[version] = entry.tag }
                report.entries += 1
                report.bytes += entry.body.count
                if report.faults.count >= EmbeddedStore.checkLimit { return tags }
            }
            progress(report.entries)
        }
        if let tag, tag != report.newest.tag {
            report.faults.append("the tag of version \(version) is not that of the log's newest place")
        }
        return tags
    }

    /// Makes a replica from the oldest image, or from the beginning of a log that has it, and checks it; and one from
    /// the newest image, which must equal it at the same version. Returns the faults.
    ///
    /// - Parameters:
    ///   - report: what `run` found, without faults.
    ///   - directory: has room for two replicas.
    package func replay(_ report: LogReport, in directory: String, progress: @escaping (String) -> Void = { _ in })
        throws
        -> [String]
    {
        let images = report.images.filter {
            $0.position.version >= report.floor && $0.position.version <= report.newest.version
        }
        func replica(_ name: String, _ image: LogImage?) throws -> EmbeddedStore {
            let bounded = BoundedLog(log, upTo: report.newest, images: image.map { [$0] } ?? [])
            return try EmbeddedStore.open(path: "\(directory)/\(name)", log: bounded) { notice in
                if case .applied(let version, _) = notice { progress("version \(version) applied") }
            }
        }
        let hasAll = report.floor == LogPosition.start.version
        let long = try replica("oldest", hasAll ? nil : images.last)
        do {
            defer { long.close() }
            if let newest = images.first, hasAll || images.count > 1 {
                let short = try replica("newest", newest)
                defer { short.close() }
                if let difference = try ReplicaDifference.first(between: long, and: short) {
                    return ["the replica from the newest image is not that from the log before it: \(difference)"]
                }
            }
        }
        return try EmbeddedStore.check(path: "\(directory)/oldest").faults
    }
}

/// A log as of some position, read-only.
private final class BoundedLog: CommitLog {
    private let log: any CommitLog
    private let end: LogPosition
    private let known: [LogImage]

    init(_ log: any CommitLog, upTo end: LogPosition, images: [LogImage]) {
        self.log = log
        self.end = end
        known = images
    }

    var id: Int64 { log.id }

    func newest() throws -> LogPosition { end }

    func entries(after version: Version) throws -> [LogEntry] {
        guard version < end.version else { return [] }
        return try log.entries(after: version).filter { $0.version <= end.version }
    }

    func images() throws -> [LogImage] { known }

    func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws {
        try log.downloadImage(image, write)
    }

    func floor() throws -> Version { try log.floor() }

    func entryBytes(after version: Version) throws -> Int64 { try log.entryBytes(after: version) }

    func onHint(_ listener: @escaping @Sendable () -> Void) {}

    /// The log belongs to others.
    func close() {}

    private static let readOnly = StoreError(.logRefused, "The log was opened for reading.")

    func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome {
        throw Self.readOnly
    }

    func takeTurn(after version: Version?) throws -> any LogTurn { throw Self.readOnly }

    func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage { throw Self.readOnly }

    func deleteImages(keeping count: Int) throws { throw Self.readOnly }

    func claimImage(by store: [UInt8]) throws -> Bool { throw Self.readOnly }

    func releaseImage(by store: [UInt8]) throws { throw Self.readOnly }

    func trim(keepingSeconds seconds: Int64) throws -> Int64 { throw Self.readOnly }

    func record(_ name: String) throws -> LogRecord? { try log.record(name) }

    func recordRevisions(prefix: String) throws -> [String: Int64] { try log.recordRevisions(prefix: prefix) }

    func recordRevisions(of names: [String]) throws -> [String: Int64] { try log.recordRevisions(of: names) }

    func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool { throw Self.readOnly }

    func deleteRecord(_ name: String, at revision: Int64) throws -> Bool { throw Self.readOnly }

    func onRecordHint(_ listener: @escaping @Sendable () -> Void) {}
}
