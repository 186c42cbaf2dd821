public import Foundation

/// A predicate from a format string, which Foundation does not have on Linux. It is for collections of realms alone.
///
/// `NSPredicate(format:)` gives the same where this module is imported.
public final class RealmPredicate: NSPredicate {
    let form: PredicateForm

    /// See `RealmCollection.filter`. What is wrong with the format shows when the predicate is used.
    public init(format: String, _ args: Any...) {
        form = .format(format, args)
        super.init(value: true)
    }

    /// The same with the arguments in an array.
    public init(format: String, argumentArray: [Any]?) {
        form = .format(format, argumentArray ?? [])
        super.init(value: true)
    }

    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// Traps: only a realm can tell.
    public override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        stop(PredicateForm.onlyInQueries)
    }

    public override func copy() -> Any { self }
    public override func copy(with zone: NSZone? = nil) -> Any { self }
}

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
        self.init { object, _ in
            guard let question = object as? FormQuestion else { stop(PredicateForm.onlyInQueries) }
            question.answer = form
            return true
        }
    }
}

/// Asks a predicate for its form.
private final class FormQuestion {
    var answer: PredicateForm?
}

extension PredicateForm {
    static let onlyInQueries = RealmException(
        "Predicates made from a format string can only be used with collections of a Realm.")

    /// Throws for a predicate that nothing but itself can evaluate.
    init(_ predicate: NSPredicate) throws {
        switch predicate {
        case let predicate as RealmPredicate: self = predicate.form
        case let compound as NSCompoundPredicate:
            let parts = try (compound.subpredicates as? [NSPredicate] ?? []).map { try PredicateForm($0) }
            switch compound.compoundPredicateType {
            case .and: self = .and(parts)
            case .or: self = .or(parts)
            case .not:
                guard let part = parts.first else { throw RealmException("NOT needs a predicate.") }
                self = .not(part)
            @unknown default: throw RealmException("This kind of NSCompoundPredicate is not supported.")
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
