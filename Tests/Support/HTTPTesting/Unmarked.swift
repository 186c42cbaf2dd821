import Foundation

/// Texts about states, without the tags of their histories, which are drawn for each store, and without what marks say
/// of permissions.
package enum Unmarked {
    /// The text with a number in place of each mark, also inside `next` cursors.
    package static func text(_ text: String) -> String {
        var plain = text
        for cursor in text.matches(of: #/"next":"([A-Za-z0-9_-]+)"/#) {
            guard let held = content(of: String(cursor.output.1)) else { continue }
            plain = plain.replacingOccurrences(of: cursor.output.1, with: held)
        }
        return plain.replacing(#/\b([0-9]+)-[0-9a-f]{8}(-[0-9a-f]{8})?\b/#) { $0.output.1 }
    }

    /// Base64url without padding.
    private static func content(of cursor: String) -> String? {
        var text = cursor.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) }
    }
}
