/// The declarations of Realm Swift's interface, each of which must have a test.
enum Checklist {
    /// The declarations. The display name of a test begins with those that it is about, several of one type in braces:
    /// `List.{append(_:),remove(at:)} what they do`.
    static let declarations = words(
        """
        Realm.== Realm.init(queue:) Realm.init(configuration:queue:) Realm.init(fileURL:)
        Realm.init(configuration:downloadBeforeOpen:) Realm.init(configuration:actor:downloadBeforeOpen:)
        Realm.open(configuration:downloadBeforeOpen:) OpenBehavior.never OpenBehavior.once OpenBehavior.always
        Realm.asyncOpen(configuration:callbackQueue:callback:) AsyncOpenTask.cancel()
        Realm.asyncOpen(configuration:) Realm.schema Realm.configuration Realm.isEmpty
        Realm.write(withoutNotifying:_:) Realm.beginWrite() Realm.commitWrite(withoutNotifying:) Realm.cancelWrite()
        Realm.isInWriteTransaction Realm.writeAsync(_:onComplete:) Realm.beginAsyncWrite(_:)
        Realm.commitAsyncWrite(allowGrouping:_:) Realm.cancelAsyncWrite(_:)
        Realm.isPerformingAsynchronousWriteOperations Realm.asyncWrite(_:) Realm.add(_:update:)
        Realm.add(sequence:update:) Realm.create(_:value:update:) Realm.dynamicCreate(_:value:update:)
        UpdatePolicy.error UpdatePolicy.modified UpdatePolicy.all Realm.delete(object) Realm.delete(sequence)
        Realm.delete(List) Realm.delete(MutableSet) Realm.delete(Results) Realm.delete(Map) Realm.deleteAll()
        Realm.objects(_:) Realm.dynamicObjects(_:) Realm.object(ofType:forPrimaryKey:)
        Realm.dynamicObject(ofType:forPrimaryKey:) Realm.observe(_:) Notification.didChange
        Notification.refreshRequired Realm.autorefresh Realm.refresh() Realm.asyncRefresh() Realm.invalidate()
        Realm.isFrozen Realm.freeze() Realm.thaw() Realm.freeze(object) Realm.thaw(object) Realm.freeze(collection)
        Realm.thaw(collection) Realm.resolve(_:) Realm.writeCopy(toFile:encryptionKey:)
        Realm.writeCopy(configuration:) Realm.fileExists(for:) Realm.deleteFiles(for:) Realm.performMigration(for:)
        Error.fileURL Error.fail Error.fileAccess Error.filePermissionDenied Error.fileExists Error.fileNotFound
        Error.fileFormatUpgradeRequired Error.incompatibleLockFile Error.addressSpaceExhausted Error.schemaMismatch
        Error.alreadyOpen Error.invalidInput Error.outOfDiskSpace Error.incompatibleSession
        Error.unsupportedFileFormatVersion Error.subscriptionFailed Error.fileOperationFailed Error.invalidDatabase
        Error.incompatibleHistories Error.noSubscriptionForWrite

        Configuration.init Configuration.defaultConfiguration Configuration.fileURL Configuration.inMemoryIdentifier
        Configuration.encryptionKey Configuration.readOnly Configuration.schemaVersion Configuration.migrationBlock
        Configuration.deleteRealmIfMigrationNeeded Configuration.shouldCompactOnLaunch Configuration.objectTypes
        Configuration.maximumNumberOfActiveVersions Configuration.seedFilePath Configuration.==

        Object EmbeddedObject Persisted Persisted(primaryKey:) Persisted(indexed:) Persisted(originProperty:)
        Persisted.types PersistableEnum CustomPersistable FailableCustomPersistable EmbeddedObject.init(value:)
        EmbeddedObject.realm EmbeddedObject.isInvalidated EmbeddedObject.objectSchema EmbeddedObject.subscript
        EmbeddedObject.observe EmbeddedObject.isSameObject(as:) EmbeddedObject.freeze() EmbeddedObject.thaw()
        EmbeddedObject.ignoredProperties() EmbeddedObject.propertiesMapping() DynamicObject
        DynamicObject.subscript(dynamicMember:) Object.dynamicList(_:) Object.dynamicMutableSet(_:)
        Object.dynamicMap(_:) Codable

        List List.append(_:) List.append(objectsIn:) List.insert(_:at:) List.insert(contentsOf:at:) List.remove(at:)
        List.removeFirst(_:) List.removeLast(_:) List.removeAll() List.removeSubrange(_:) List.remove(atOffsets:)
        List.replace(index:object:) List.move(from:to:) List.swapAt(_:_:) List.move(fromOffsets:toOffset:)
        List.replaceSubrange(_:with:) List.subscript List.projectTo MutableSet MutableSet.contains(_:)
        MutableSet.insert(_:) MutableSet.insert(objectsIn:) MutableSet.remove(_:) MutableSet.removeAll()
        MutableSet.isSubset(of:) MutableSet.intersects(_:) MutableSet.formUnion(_:) MutableSet.formIntersection(_:)
        MutableSet.subtract(_:) MutableSet.index(of:) MutableSet.index(matching:) Map Map.merge(_:uniquingKeysWith:)
        Map.asKeyValueSequence() Map.makeIterator() Map.where(_:) Map.Codable LinkingObjects AnyRealmCollection

        AnyRealmValue AnyRealmValue.intValue AnyRealmValue.boolValue AnyRealmValue.floatValue
        AnyRealmValue.doubleValue AnyRealmValue.stringValue AnyRealmValue.dataValue AnyRealmValue.dateValue
        AnyRealmValue.object(_:) AnyRealmValue.objectIdValue AnyRealmValue.decimal128Value AnyRealmValue.uuidValue
        AnyRealmValue.dynamicObject AnyRealmValue.dictionaryValue AnyRealmValue.listValue
        AnyRealmValue.fromDictionary(_:) AnyRealmValue.fromArray(_:) AnyRealmValue.== Decimal128
        Decimal128.init(value:) Decimal128.init(number:) Decimal128.init(string:) Decimal128.literals
        Decimal128.Comparable Decimal128.+ Decimal128.- Decimal128.* Decimal128./ Decimal128.magnitude
        Decimal128.isNaN Decimal128.min Decimal128.max Decimal128.Codable ObjectId ObjectId.generate()
        ObjectId.init(string:) ObjectId.init(timestamp:machineId:processId:) ObjectId.timestamp ObjectId.stringValue
        ObjectId.Comparable ObjectId.Codable GeoPoint GeoBox GeoPolygon GeoCircle Distance

        where(_:) Query.subscript(dynamicMember:) Query.== Query.!= Query.< Query.<= Query.> Query.>= Query.&&
        Query.|| Query.! Query.in(_:) Query.contains(ClosedRange) Query.contains(Range) Query.contains(_:options:)
        Query.starts(with:options:) Query.ends(with:options:) Query.like(_:caseInsensitive:)
        Query.equals(_:options:) Query.notEquals(_:options:) StringOptions.caseInsensitive
        StringOptions.diacriticInsensitive Query.count Query.min Query.max Query.sum Query.avg
        Query.contains(element) Query.containsAny(in:) Query.ANY Query.subscript(map) Query.keys Query.values
        Query.subscript(any) Query.any Query.rawValue Query.persistableValue Query.subquery Query.geoWithin(_:)
        Query.restrictions Query.Bool _constructPredicate() SortDescriptor.init(keyPath:ascending:)
        SortDescriptor.reversed() SortDescriptor.literal SortDescriptor.== SortDescriptor.description RLMIterator
        RLMMapIterator RLMKeyValueIterator

        Projection Projected Projection.init(projecting:) Projection.rootObject Realm.objects(Projection)
        Projection.== ProjectedCollection Projection.observe(keyPaths:on:_:) Projection.observe(keyPaths:on:actor:)

        RealmSectionedResult SectionedResults.realm SectionedResults.isInvalidated SectionedResults.count
        SectionedResults.isFrozen SectionedResults.freeze() SectionedResults.thaw() SectionedResults.observe
        SectionedResults.allKeys SectionedResults.subscript(Int) SectionedResults.subscript(IndexPath)
        SectionedResults.== SectionedResults.makeIterator() ResultsSection.realm ResultsSection.isInvalidated
        ResultsSection.key ResultsSection.id ResultsSection.count ResultsSection.isFrozen ResultsSection.freeze()
        ResultsSection.thaw() ResultsSection.observe ResultsSection.subscript(Int) SectionedResultsChange.initial
        SectionedResultsChange.update IndexPath.section IndexPath.item

        RealmCollectionChange.initial RealmCollectionChange.update RealmMapChange.initial RealmMapChange.update
        ObjectChange.change ObjectChange.deleted PropertyChange.name PropertyChange.oldValue PropertyChange.newValue
        NotificationToken NotificationToken.invalidate()

        ThreadSafeReference.init(to:) ThreadSafe ThreadSafeReference(Object) ThreadSafeReference(Results)
        ThreadSafeReference(List) ThreadSafeReference(MutableSet) ThreadSafeReference(Map)
        ThreadSafeReference(LinkingObjects) ThreadSafeReference(AnyRealmCollection) ThreadSafeReference(Projection)
        ThreadSafeReference(SectionedResults) ThreadSafeReference(ResultsSection)

        MigrationBlock Migration.oldSchema Migration.newSchema Migration.enumerateObjects(ofType:_:) MigrationObject
        Migration.create(_:value:) Migration.delete(_:) Migration.deleteData(forType:)
        Migration.renameProperty(onType:from:to:) schemaVersionAtURL(_:encryptionKey:)

        Schema.objectSchema Schema.subscript Schema.== Schema.description ObjectSchema.className
        ObjectSchema.properties ObjectSchema.primaryKeyProperty ObjectSchema.isEmbedded ObjectSchema.objectClass
        ObjectSchema.subscript ObjectSchema.== ObjectSchema.description Property.name Property.columnName
        Property.type Property.isArray Property.isSet Property.isMap Property.isIndexed Property.isOptional
        Property.objectClassName Property.== Property.description PropertyType.int PropertyType.bool
        PropertyType.float PropertyType.double PropertyType.string PropertyType.data PropertyType.date
        PropertyType.object PropertyType.linkingObjects PropertyType.objectId PropertyType.decimal128
        PropertyType.UUID PropertyType.any

        _name(for:)

        Logger.levels Logger.categories Logger.shared

        Realm.subscriptions SyncSubscriptionSet.count SyncSubscriptionSet.state SyncSubscriptionSet.first(named:)
        SyncSubscriptionSet.first(ofType:where:) SyncSubscriptionSet.update(_:onComplete:)
        SyncSubscriptionSet.update(async) SyncSubscriptionSet.append(_:) SyncSubscriptionSet.remove(named:)
        SyncSubscriptionSet.remove(ofType:where:) SyncSubscriptionSet.remove(_:)
        SyncSubscriptionSet.removeAll(unnamedOnly:) SyncSubscriptionSet.removeAll(ofType:)
        SyncSubscriptionSet.Sequence SyncSubscription.name SyncSubscription.createdAt SyncSubscription.updatedAt
        SyncSubscription.updateQuery QuerySubscription.init(name:) QuerySubscription.init(name:query:)
        QuerySubscription.init(name:where:) WaitForSyncMode.onCreation WaitForSyncMode.always WaitForSyncMode.never

        Realm.actor Realm.isolation Realm.observe(actor) Realm.threadWithoutRunLoop

        RealmPublishers.WillChange RealmPublishers.Value RealmPublishers.CollectionChangeset
        RealmPublishers.MapChangeset RealmPublishers.SectionedResultsChangeset RealmPublishers.SectionChangeset
        RealmPublishers.ObjectChangeset RealmPublishers.RealmWillChange RealmPublishers.AsyncOpenPublisher
        saveToken(on:at:) subscribe(on:) receive(on:) threadSafeReference() freeze() valuePublisher(_:keyPaths:)
        changesetPublisher(_:keyPaths:)
        """)

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
