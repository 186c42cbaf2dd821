/// An object that is used by the names of its properties, without a model class.
@dynamicMemberLookup
public class DynamicObject: Object {
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }
}
