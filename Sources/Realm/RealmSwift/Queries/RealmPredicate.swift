public import Foundation

/// A synonym of `NSPredicate`, which makes explicit that this module parses the format string.
public typealias RealmPredicate = NSPredicate

extension NSPredicate {
    /// Creates a predicate from a format string, as `RealmCollection.filter` does. Foundation's own initialiser is not
    /// available on Linux, so code that calls it uses this one. The predicate is for collections of realms only:
    /// evaluating it traps.
    public convenience init(format predicateFormat: String, _ args: Any...) {
        self.init(form: .format(predicateFormat, args))
    }

    /// Creates a predicate from a format string and an array of arguments.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self.init(form: .format(predicateFormat, arguments ?? []))
    }

    /// Creates a Foundation predicate that contains a `PredicateForm`.
    convenience init(form: PredicateForm) {
        self.init(block: FormQuestion.answering(with: form))
    }
}

/// Extracts the `PredicateForm` of a Foundation predicate.
private final class FormQuestion {
    var answer: PredicateForm?

    /// Returns a block that hands over the form, and traps when it is asked to evaluate anything else.
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

    /// Throws for a predicate that only Foundation can evaluate.
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
