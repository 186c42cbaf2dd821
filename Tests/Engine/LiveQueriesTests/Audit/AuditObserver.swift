import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract

/// A recorder of any kind, with the token of its observation.
struct AuditObserver {
    enum Kind {
        case query(Recorder)
        case sections(SectionRecorder)
        case collection(CollectionRecorder)
    }

    let recorder: Kind
    let token: LiveToken

    /// Nil when the observation has ended.
    var state: AuditState? {
        switch recorder {
        case .query(let recorder): recorder.keys.map { .keys($0) }
        case .sections(let recorder): recorder.sections.map { .sections($0) }
        case .collection(let recorder): recorder.value.map { .value($0) }
        }
    }

    var hasResumed: Bool {
        switch recorder {
        case .query(let recorder): recorder.hasResumed
        case .sections(let recorder): recorder.isResumed
        case .collection(let recorder): recorder.isResumed
        }
    }

    /// The number of changes reported since the last call.
    func takeChangeCount() -> Int {
        switch recorder {
        case .query(let recorder): recorder.takeChanges().count
        case .sections(let recorder): recorder.takeChanges().count
        case .collection(let recorder): recorder.takeChanges().count
        }
    }

    func cancel() { token.cancel() }

    /// The difference from a fresh query; nil when there is none.
    func fault(comparedWith subject: AuditSubject, _ snapshot: any Snapshot) throws -> String? {
        switch (recorder, subject) {
        case (.query(let recorder), .query(let query, _)):
            if let fault = recorder.failureCode.map({ "failed with \($0)" }) ?? recorder.faults.first { return fault }
            let fresh = try snapshot.select(query, .all)
            return recorder.keys == fresh ? nil : "holds \(recorder.keys ?? []), is \(fresh)"
        case (.sections(let recorder), .sections(let query, let key)):
            if let fault = recorder.failureCode.map({ "failed with \($0)" }) ?? recorder.faults.first { return fault }
            let fresh = try snapshot.sections(query, by: key).recorded
            let held = recorder.sections ?? []
            // Keys that are equal in the order may differ.
            let isAlike =
                held.count == fresh.count
                && zip(held, fresh).allSatisfy { $0.rows == $1.rows && Value.order($0.key, $1.key) == 0 }
            return isAlike ? nil : "holds \(held), is \(fresh)"
        case (.collection(let recorder), .collection(let object, let property)):
            if let fault = recorder.faults.first { return fault }
            guard try snapshot.exists(object.classID, object.key) else {
                // For an empty collection nothing more is reported than the deletion of its owner.
                return recorder.value?.elements.isEmpty != false ? nil : "holds \(recorder.value ?? .null), is gone"
            }
            if let fault = recorder.failureCode.map({ "failed with \($0)" }) { return fault }
            let fresh = try snapshot.value(object.classID, object.key, property)
            return recorder.value == fresh ? nil : "holds \(recorder.value ?? .null), is \(fresh)"
        default: return "is of another kind"
        }
    }
}
