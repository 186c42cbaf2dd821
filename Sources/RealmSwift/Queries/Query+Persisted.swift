// What is stored for a value that has a type of its own: conditions that this type cannot express.

extension Query where T: PersistableEnum {
    /// What is stored for the enum.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// What is stored for the enum.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(node) }
}

// Of collections: which kind they are makes no difference to what can be asked of them.

extension Query where T: RealmCollection, T.Element: PersistableEnum, T.Element.RawValue: RealmCollectionValue {
    /// What is stored for the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> { Query<AnyRealmCollection>(node) }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// What is stored for the enums.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum, T.Value.RawValue: RealmCollectionValue {
    /// What is stored for the enums.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> { Query<Map>(node) }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// What is stored for the enums.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { Query<Map>(node) }
}

extension Query where T: _HasPersistedType {
    /// What is stored for an enum or a custom type; for other types the same query. It is the way to the properties of a
    /// custom type that is stored as an embedded object: `$0.place.persistableValue.latitude > 10`.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node) }
}

extension Query where T: RealmCollection & _HasPersistedType, T.Element.PersistedType: RealmCollectionValue {
    /// What is stored for the elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { Query<AnyRealmCollection>(node) }
}

extension Query where T: RealmKeyedCollection & _HasPersistedType, T.Value.PersistedType: RealmCollectionValue {
    /// What is stored for the values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { Query<Map>(node) }
}
