public import Foundation

/// Another name of `NSPredicate`, for code that is to say that its format string is read by this module.
public typealias RealmPredicate = NSPredicate

extension NSPredicate {
    /// From a format string, as `RealmCollection.filter` takes them. Foundation's own initialiser is not available on
    /// Linux, so that code which calls it gets this one. For collections of realms alone: evaluating it traps.
    public convenience init(format predicateFormat: String, _ args: Any...) {
        self.init(form: .format(predicateFormat, args))
    }

    /// The same with the arguments in an array.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(form: .format(predicateFormat, arguments ?? []))
    }

    /// A predicate of Foundation's that tells its form to who asks for it.
    convenience init(form: PredicateForm) {
        self.init(block: FormQuestion.answering(with: form))
    }
}

/// Asks a predicate for its form.
private final class FormQuestion {
    var answer: PredicateForm?

    /// A block that answers, and traps when it is to evaluate anything else.
    static func answering(with form: PredicateForm) -> (Any?, [String: Any]?) -> Bool {
        { object, _ in
            guard let question = object as? FormQuestion else { stop(PredicateForm.onlyInQueries) }
            question.answer = form
            return true
        }
    }
}

extension PredicateForm {
    static let onlyInQueries = RealmException(
        "Predicates made from a format string can only be used with collections of a Realm.")

    /// Throws for a predicate that nothing but itself can evaluate.
    init(_ predicate: NSPredicate) throws {
        switch predicate {
        case let compound as NSCompoundPredicate:
            let parts = try compound.subpredicates.map { try PredicateForm($0) }
            switch compound.compoundPredicateType {
            case .and: self = .and(parts)
            case .or: self = .or(parts)
            case .not:
                guard let part = parts.first else { throw RealmException("NOT needs a predicate.") }
                self = .not(part)
            }
        case NSPredicate(value: true): self = .constant(true)
        case NSPredicate(value: false): self = .constant(false)
        default:
            let question = FormQuestion()
            _ = predicate.evaluate(with: question)
            guard let answer = question.answer else {
                throw RealmException("Predicates with block-based expressions are not supported in Realm queries.")
            }
            self = answer
        }
    }
}
