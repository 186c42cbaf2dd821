import ObjectModel

/// What the gateway has reported of each object: see `ReportedClass`. Not stored, besides the lists of matches: after a
/// start each row is applied once.
///
/// **Texts.** The hash of the text of the row that an object here is equal to. A row that comes again, because another
/// subscription matches the object, too, is neither parsed nor compared.
///
/// **Versions**, of classes that several subscriptions select from. A long event has the version at which it was begun,
/// also where its rows come after those of later commits. Such a row does not replace a later one: if the object has
/// left that query meanwhile, no other row would follow. They are recorded while some subscription is behind another
/// one, because a long event that a connection does not end begins again.
struct ReportedObjects: Sendable {
    private var classes: [String: ReportedClass] = [:]
    /// The newest version that is recorded; 0 for none.
    private var newest: UInt64 = 0
    /// Whether the versions of the present event's rows are recorded.
    var recordsVersions = false

    subscript(className: String) -> ReportedClass { classes[className] ?? ReportedClass() }

    /// Returns the only copy of a class, which is changed in place and put back.
    mutating func take(_ className: String) -> ReportedClass {
        classes.removeValue(forKey: className) ?? ReportedClass()
    }

    mutating func put(_ reported: ReportedClass, _ className: String) { classes[className] = reported }

    func number(of object: SyncObject) -> ReportedClass.Number? { classes[object.className]?.number(of: object.key) }

    /// Forgets an object that is removed here.
    ///
    /// - Parameter isListed: whether some list still names it.
    mutating func remove(_ object: SyncObject, isListed: Bool) {
        guard let number = number(of: object) else { return }
        if isListed {
            classes[object.className]?.forgetRow(number)
        } else {
            classes[object.className]?.remove(number)
        }
    }

    // MARK: Texts

    /// Records that an object may differ from its last row.
    mutating func forgetText(_ object: SyncObject) {
        guard let number = number(of: object) else { return }
        classes[object.className]?.setRow(nil, number)
    }

    /// Records that all objects may differ from their rows.
    mutating func forgetTexts() {
        for name in classes.keys { classes[name]?.forgetTexts() }
    }

    // MARK: Versions

    /// Records the version of a row. Returns false if a later one has come already.
    mutating func takes(_ number: ReportedClass.Number, at version: UInt64, _ reported: inout ReportedClass) -> Bool {
        guard recordsVersions || newest > 0 else { return true }
        guard reported.version(number) <= version else { return false }
        if recordsVersions {
            reported.setVersion(version, number)
            newest = max(newest, version)
        }
        return true
    }

    /// Records the version of a row that came with the answer to an upload.
    mutating func note(_ object: SyncObject, at version: UInt64) {
        guard let number = number(of: object), self[object.className].version(number) < version else { return }
        classes[object.className]?.setVersion(version, number)
        newest = max(newest, version)
    }

    /// Forgets all versions if all subscriptions have reached them: no older row can follow.
    mutating func forgetVersions(reached version: UInt64 = .max) {
        guard newest > 0, newest <= version else { return }
        newest = 0
        for name in classes.keys { classes[name]?.forgetVersions() }
    }
}
