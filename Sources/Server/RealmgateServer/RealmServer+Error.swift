public import Foundation

extension RealmServer {
    /// Why a server cannot be had or started as it is meant.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
        public enum Code: Sendable {
            /// It cannot listen there.
            case address
            /// Everybody from other machines could do everything.
            case openAddress
            /// Keys, tokens or roles that cannot be used.
            case access
            /// Certificates, directories and other options.
            case configuration
            /// Not in this state of the server.
            case state
        }

        public let code: Code
        /// A sentence for a person that says what to do.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { message }
        public var errorDescription: String? { message }
    }
}
