public import Foundation
import SyncEngine

/// The connection between an open file and its gateway. All realms of the file share it; it ends with the last of them.
public final class SyncSession: Sendable {
    /// The state of the connection.
    public enum ConnectionState: Sendable, Equatable {
        /// There is no connection: the session is inactive, has no subscriptions, or waits before it tries again.
        case disconnected
        /// A connection is being made.
        case connecting
        /// The event stream is open.
        case connected
    }

    /// Whether the session communicates.
    public enum State: Sendable, Equatable {
        /// The session connects, and connects again after errors.
        case active
        /// The session is suspended, or the file was closed.
        case inactive
    }

    /// The transfer to wait for.
    public enum Transfer: Sendable, Equatable {
        /// All local commits.
        case upload
        /// All objects that the subscriptions match, as committed at the gateway.
        case download
    }

    let client: SyncClient

    init(_ client: SyncClient) { self.client = client }

    /// The state of the connection at the time of the call.
    public var connectionState: ConnectionState {
        switch client.connection {
        case .disconnected: .disconnected
        case .connecting: .connecting
        case .connected: .connected
        }
    }

    /// Whether the session communicates at the time of the call.
    public var state: State { client.isActive ? .active : .inactive }

    /// Disconnects until `resume`. Local commits are uploaded after that.
    public func suspend() { client.suspend() }

    /// Connects again at once.
    public func resume() { client.resume() }

    /// Waits until everything committed before this call has been uploaded and answered, or has been downloaded. Throws
    /// `Realm.Error` if the timeout elapses, and `CancellationError`; without a timeout it waits until the gateway can
    /// be reached. After a download, objects created here that the gateway does not report have been removed here.
    public func wait(for transfer: Transfer, timeout: TimeInterval? = nil) async throws {
        do {
            switch transfer {
            case .upload: try await client.waitForUploads(timeout: timeout)
            case .download: try await client.download(timeout: timeout)
            }
        } catch let fault as FollowerFault {
            throw fault.published
        }
    }
}

extension Realm {
    /// The connection to the gateway; nil for a realm without `Configuration.syncConfiguration`.
    public var syncSession: SyncSession? { rlm.file?.sync.map { SyncSession($0.client) } }
}
