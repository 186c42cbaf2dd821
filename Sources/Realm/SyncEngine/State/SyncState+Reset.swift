import ObjectModel
import QueryLanguage
import StoreContract

/// Client resets: the gateway no longer has the history of the state that is here. Its backup was restored, or it lost
/// its last commits.
extension SyncState {
    enum Reset: String, Sendable {
        /// Nothing is sent, and no event is applied, until the reset begins.
        case awaited
        /// The first results of the gateway's present history are arriving.
        case running
    }

    /// Records a state of the gateway.
    ///
    /// - Parameter ofStream: whether it is that of an event. The answer to an upload may be one that the gateway repeats
    ///   from an earlier history, so alone it begins none.
    mutating func note(_ mark: Mark, ofStream: Bool) {
        guard let known = self.mark else {
            if ofStream { self.mark = mark }
            return
        }
        let isSameHistory = known.shownTag == mark.shownTag
        guard isSameHistory ? mark.version > known.version : ofStream else { return }
        self.mark = mark
    }

    /// Records that the gateway does not have the state that the mark names. Returns false if that is known.
    mutating func loseHistory(_ lost: Mark) -> Bool {
        guard mark == lost, reset != .awaited else { return false }
        reset = .awaited
        return true
    }

    /// Whether only the program can begin the reset.
    func needsProgram(_ mode: FollowerSettings.ResetMode) -> Bool {
        mode == .manual || mode == .recover && hasLostCommits
    }

    /// Forgets what is known of the gateway's history, so that the stream begins with first results.
    ///
    /// - Parameter isBegun: whether the program has begun the reset: local changes are discarded then.
    mutating func beginReset(
        _ mode: FollowerSettings.ResetMode, isBegun: Bool, _ transaction: any WriteTransaction
    ) throws {
        streamBegan()
        if isBegun || mode == .discard || hasLostCommits { try discardUploads(transaction) }
        // Objects that the gateway had before it could report them: it reports those that it still has.
        for object in unconfirmed where !isQueued(object) { try remove(object, at: .max, transaction) }
        unconfirmed = unconfirmed.filter { isQueued($0) }
        // These rows have versions of the lost history.
        held.removeAll()
        reported.forgetTexts()
        position = nil
        mark = nil
        for query in queries where query.state == .complete { setState(.pending, of: query.number) }
        reset = .running
    }

    /// Forgets the local changes that the gateway has not answered. Objects that were created here go at once, all else
    /// gets the gateway's values with the first results.
    private mutating func discardUploads(_ transaction: any WriteTransaction) throws {
        var touched: [SyncObject: Upload.Touch] = [:]
        for upload in uploads {
            for (object, touch) in upload.touched { touched[object] = Self.merged(touched[object], touch) }
            finish(upload.number)
        }
        for object in touched.keys { try remove(object, at: .max, transaction) }
        guard hasLostCommits else { return }
        // No upload names what the lost commits created.
        for className in Set(queries.map(\.className)) {
            guard let objectClass = transaction.schema[className] else { continue }
            let all = try transaction.select(BoundQuery(classID: objectClass.id), .all)
            for key in all {
                guard let object = try transaction.name(of: ObjectReference(objectClass.id, key)) else { continue }
                try remove(object, at: .max, transaction)
            }
        }
    }

    mutating func endReset() {
        reset = nil
        hasLostCommits = false
    }
}
