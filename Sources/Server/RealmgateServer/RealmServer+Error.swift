public import Foundation

extension RealmServer {
    /// An error in the options or the use of a server.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
        public enum Code: Sendable {
            /// The server cannot listen on the address.
            case address
            /// Callers from other machines would have full access.
            case openAddress
            /// Keys, tokens or roles are invalid.
            case access
            /// Certificates, directories or other options are invalid.
            case configuration
            /// The server is not in the right state for the call.
            case state
        }

        public let code: Code
        /// A sentence for people that says what to do.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { message }
        public var errorDescription: String? { message }
    }
}
