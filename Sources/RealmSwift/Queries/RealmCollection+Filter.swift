public import Foundation
import ObjectModel

extension RealmCollection {
    /// The elements that satisfy a condition: `filter("age > %@ AND name BEGINSWITH[c] 'r'", 3)`. Live, in this
    /// collection's order; on sorted or distinct results the condition is applied before those steps. Evaluated when
    /// first used. Arguments are values of every stored type, objects, collections of such, nil and regions. Traps for
    /// a condition that does not fit the class, and for collections of other values than objects.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        matching(.format(predicateFormat, args))
    }

    /// The same with a predicate made before: `NSPredicate(format:)`, `RealmPredicate`, and compounds of such. Traps
    /// for predicates made of blocks.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        matching(.predicate(predicate))
    }

    /// The same with a predicate of Foundation's: `filter(#Predicate<Dog> { $0.age > 3 })`. Traps for what a query
    /// cannot say.
    public func filter(_ predicate: Predicate<Element>) -> Results<Element> {
        matching(.expression(FoundationPredicate(predicate)))
    }

    /// The position of the first element that satisfies a condition; see `filter`. Traps for sets, which have no order.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        position(.format(predicateFormat, args))
    }

    /// See `filter`.
    public func index(matching predicate: NSPredicate) -> Int? {
        position(.predicate(predicate))
    }

    func matching(_ predicate: PredicateForm) -> Results<Element> {
        raising { Results(try _source.objects().filtered(predicate)) }
    }

    func position(_ predicate: PredicateForm) -> Int? {
        raising {
            let source = _source
            guard source.kind != .set else { throw RealmException("index(matching:) is not available on MutableSet") }
            guard source.core == nil else { return try source.objects().position(matching: predicate) }
            throw RealmException(
                "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        }
    }
}
