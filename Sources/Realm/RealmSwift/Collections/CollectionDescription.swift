import ObjectModel

/// The description of a collection: its type and address, then its elements on indented lines.
enum CollectionText {
    /// The number of elements that are printed.
    private static let longest = 100
    /// The depth to which nested collections and objects are printed.
    private static let deepest = 5

    /// Returns `List<int>` or `List<Dog>`: the type, and the name of its elements' type in schemas.
    static func name<Element: _Storable>(_ type: String, _: Element.Type, _ key: String = "") -> String {
        guard let shown = Element.self as? any RealmFetchable.Type, !(Element.self is ObjectBase.Type) else {
            let kind = PropertyKind(Element._storedType.type.base)
            return "\(type.prefix { $0 != "<" })<\(key)\(kind.className ?? kind.text)>"
        }
        // Projections.
        return "\(type.prefix { $0 != "<" })<\(key)\(shown)>"
    }

    static func of(
        _ type: String, at identity: AnyObject?, isInvalidated: Bool, count: @autoclosure () -> Int, depth: Int,
        lines: (_ count: Int) -> [(label: String, value: Any)]
    ) -> String {
        guard depth < deepest else { return "<Maximum depth exceeded>" }
        var head = type
        if let identity { head += " <\(Unmanaged.passUnretained(identity).toOpaque())>" }
        guard !isInvalidated else { return head + " [invalidated]" }
        let count = count()
        let text = lines(Swift.min(count, longest)).map { label, value in
            let value = ObjectBase.text(of: value, depth + 1, null: "<null>")
                .split(separator: "\n", omittingEmptySubsequences: false)
            return "\t\(label) \(value.joined(separator: "\n\t"))"
        }
        let rest = count > longest ? "\n\t... \(count - longest) objects skipped." : ""
        return "\(head) (\n\(text.joined(separator: ",\n"))\(rest)\n)"
    }
}

extension RealmCollectionImpl {
    func describe(_ depth: Int) -> String {
        let identity: AnyObject? = Self.self is AnyObject.Type ? self as AnyObject : accessor
        return CollectionText.of(
            CollectionText.name("\(Self.self)", Element.self), at: identity, isInvalidated: isInvalidated, count: count,
            depth: depth
        ) { count in (0..<count).map { ("[\($0)]", element(at: $0)) } }
    }
}

extension Map: _DescribedCollection {
    func describe(_ depth: Int) -> String {
        CollectionText.of(
            CollectionText.name("Map", Value.self, "string, "), at: self, isInvalidated: isInvalidated, count: count,
            depth: depth
        ) { count in asKeyValueSequence().prefix(count).map { ("[\($0.key._key)]:", $0.value) } }
    }
}
