package import ObjectModel
package import StoreContract
import Synchronization

/// The images of a `MemoryLog`. Parts have 4 KiB, and a sum replaces the hash.
package final class MemoryImages: Sendable {
    private struct State {
        var images: [(image: LogImage, bytes: [UInt8])] = []
        var maker: [UInt8]?
        var downloads = 0
    }

    private let state = Mutex(State())

    static let part = 4096

    /// The complete images, newest first.
    package var all: [LogImage] { state.withLock { $0.images.map(\.image) } }

    /// The number of downloads that have begun.
    package var downloads: Int { state.withLock { $0.downloads } }

    /// Changes the bytes of an image, but not the sum that it was stored with.
    package func damage(_ image: LogImage, _ change: ([UInt8]) -> [UInt8]) {
        state.withLock { state in
            guard let index = state.images.firstIndex(where: { $0.image == image }) else { return }
            state.images[index].bytes = change(state.images[index].bytes)
        }
    }

    /// Adds an image as it is, in place of one of the same version.
    package func add(_ image: LogImage, _ bytes: [UInt8]) {
        state.withLock { state in
            state.images.removeAll { $0.image.position.version == image.position.version }
            state.images.append((image, bytes))
            state.images.sort { $0.image.position.version > $1.image.position.version }
        }
    }

    /// Adds the images of another log.
    package func takeAll(of other: MemoryImages) {
        for image in other.all { add(image, other.bytes(of: image) ?? []) }
    }

    package func bytes(of image: LogImage) -> [UInt8]? {
        state.withLock { state in state.images.first { $0.image == image }?.bytes }
    }

    package static func sum(_ bytes: [UInt8]) -> [UInt8] {
        var sum = UInt64(bytes.count)
        // By words: in a debug build every step costs.
        bytes.withUnsafeBytes { bytes in
            let words = bytes.count / 8 * 8
            for at in stride(from: 0, to: words, by: 8) {
                sum = (sum ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 1_099_511_628_211
                sum ^= sum >> 32
            }
            for byte in bytes[words...] { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
        }
        return withUnsafeBytes(of: sum.bigEndian) { Array($0) }
    }

    fileprivate func download(_ image: LogImage) -> [UInt8]? {
        state.withLock { $0.downloads += 1 }
        return bytes(of: image)
    }

    fileprivate func keep(_ count: Int) { state.withLock { $0.images = Array($0.images.prefix(count)) } }

    fileprivate func claim(_ store: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.maker == nil || state.maker == store else { return false }
            state.maker = store
            return true
        }
    }

    fileprivate func release(_ store: [UInt8]) { state.withLock { if $0.maker == store { $0.maker = nil } } }
}

extension MemoryLog.Connection {
    package func images() throws -> [LogImage] {
        try begin(.read)
        return log.images.all
    }

    package func uploadImage(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        var bytes: [UInt8] = []
        while true {
            try begin(.read)
            let part = try read(MemoryImages.part)
            if part.isEmpty { break }
            bytes += part
        }
        let image = LogImage(
            position: position, parts: (bytes.count + MemoryImages.part - 1) / MemoryImages.part,
            bytes: Int64(bytes.count),
            sha256: MemoryImages.sum(bytes), fileFormat: fileFormat, isComplete: true)
        log.images.add(image, bytes)
        return image
    }

    package func downloadImage(_ image: LogImage, _ write: ([UInt8]) throws -> Void) throws {
        try begin(.read)
        guard let bytes = log.images.download(image) else {
            throw StoreError(.logDamaged, "The image of version \(image.position.version) is gone.")
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            try begin(.read)
            try write(Array(rest.prefix(MemoryImages.part)))
            rest = rest.dropFirst(MemoryImages.part)
        }
        guard MemoryImages.sum(bytes) == image.sha256, Int64(bytes.count) == image.bytes else {
            throw StoreError(.logDamaged, "The image of version \(image.position.version) is damaged.")
        }
    }

    package func deleteImages(keeping count: Int) throws {
        try begin(.read)
        log.images.keep(count)
    }

    package func claimImage(by store: [UInt8]) throws -> Bool {
        try begin(.read)
        return log.images.claim(store)
    }

    package func releaseImage(by store: [UInt8]) throws {
        try begin(.read)
        log.images.release(store)
    }

    package func entryBytes(after version: Version) throws -> Int64 {
        try begin(.read)
        return log.entries.reduce(0) { $0 + ($1.version > version ? Int64($1.body.count) : 0) }
    }

    package func floor() throws -> Version {
        try begin(.read)
        return log.floor
    }

    /// All entries count as old, and all stores as up to date.
    package func trim(keepingSeconds seconds: Int64) throws -> Int64 {
        try begin(.read)
        let images = log.images.all
        guard images.count > 1 else { return 0 }
        let before = log.floor
        log.trim(to: images[1].position.version)
        return Int64(log.floor.rawValue) - Int64(before.rawValue)
    }
}
