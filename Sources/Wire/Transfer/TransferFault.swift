/// The reason, as a sentence, why a file cannot be read or written any further.
package struct TransferFault: Error, Equatable {
    package var message: String
    /// Whether the file does not exist, or may not be opened.
    package var isUnreadableFile: Bool

    package init(_ message: String, isUnreadableFile: Bool = false) {
        self.message = message
        self.isUnreadableFile = isUnreadableFile
    }
}
