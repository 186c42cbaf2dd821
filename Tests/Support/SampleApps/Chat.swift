import Foundation
import RealmSwift

// A chat: rooms with members by name, messages with attachments and reactions, settings of any shape.

class ChatUser: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var handle: String
    @Persisted var displayName: String?
    @Persisted var avatar: Data?
    @Persisted var lastSeen: Date?
    @Persisted var presence: ChatPresence?
    @Persisted var blocked: MutableSet<ChatUser>
    @Persisted(originProperty: "author") var messages: LinkingObjects<ChatMessage>
    @Persisted var settings: Map<String, AnyRealmValue>
}

enum ChatPresence: String, PersistableEnum {
    case online, away, offline
}

class ChatAttachment: EmbeddedObject {
    @Persisted var url: String
    @Persisted var mimeType: String
    @Persisted var size: Int64
    @Persisted var thumbnail: ChatThumbnail?
}

class ChatThumbnail: EmbeddedObject {
    @Persisted var width: Int32
    @Persisted var height: Int32
    @Persisted var bytes: Data
}

class ChatReaction: EmbeddedObject {
    @Persisted var emoji = ""
    @Persisted var users: List<ChatUser>
}

class ChatMessage: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var author: ChatUser?
    @Persisted var text = ""
    @Persisted var sentAt = Date()
    @Persisted var editedAt: Date?
    @Persisted var attachments: List<ChatAttachment>
    @Persisted var reactions: Map<String, ChatReaction?>
    @Persisted var readBy: MutableSet<UUID>
    @Persisted var payload: AnyRealmValue
    @Persisted var replyTo: ChatMessage?
    @Persisted(originProperty: "replyTo") var replies: LinkingObjects<ChatMessage>
    @Persisted(originProperty: "messages") var rooms: LinkingObjects<ChatRoom>
}

class ChatRoom: Object {
    @Persisted(primaryKey: true) var slug: String
    @Persisted var topic: String?
    @Persisted var members: Map<String, ChatUser?>
    @Persisted var unread: Map<String, Int>
    @Persisted var messages: List<ChatMessage>
    @Persisted var pinned: ChatMessage?
    @Persisted var location: ChatLocation?

    override static func indexedProperties() -> [String] {
        return ["topic"]
    }

    override class func ignoredProperties() -> [String] {
        return ["draft"]
    }

    var draft = ""

    var lastMessage: ChatMessage? { messages.last }

    var memberNames: [String] {
        return members.compactMap { $0.value?.displayName }.sorted()
    }
}

class ChatLocation: EmbeddedObject {
    @Persisted private var type: String = "Point"
    @Persisted private var coordinates: List<Double>

    public var latitude: Double { return coordinates[1] }
    public var longitude: Double { return coordinates[0] }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

class ChatMessagePreview: Projection<ChatMessage> {
    @Projected(\ChatMessage.text) var text
    @Projected(\ChatMessage.author?.handle) var authorHandle
    @Projected(\ChatMessage.attachments.projectTo.url) var attachmentURLs: ProjectedCollection<String>
}

final class ChatService {
    private let configuration: Realm.Configuration

    init(configuration: Realm.Configuration) { self.configuration = configuration }

    func realm() throws -> Realm { try Realm(configuration: configuration) }

    func join(_ handle: String, room slug: String) throws -> ChatRoom {
        let realm = try realm()
        var room: ChatRoom!
        try realm.write {
            let user =
                realm.objects(ChatUser.self).where { $0.handle == handle }.first
                ?? realm.create(ChatUser.self, value: ["handle": handle, "displayName": handle.capitalized])
            room = realm.create(ChatRoom.self, value: ["slug": slug], update: .modified)
            room.members[handle] = user
            room.unread[handle] = 0
        }
        return room
    }

    func send(_ text: String, from handle: String, in room: ChatRoom, attachments: [[String: Any]] = []) throws
        -> ChatMessage
    {
        let realm = try realm()
        return try realm.write {
            let message = ChatMessage()
            message.text = text
            message.author = room.members[handle] ?? nil
            message.attachments.append(objectsIn: attachments.map { ChatAttachment(value: $0) })
            room.messages.append(message)
            for key in room.unread.keys where key != handle {
                room.unread[key] = (room.unread[key] ?? 0) + 1
            }
            return message
        }
    }

    func react(_ emoji: String, to message: ChatMessage, by user: ChatUser) throws {
        try realm().write {
            if let reaction = message.reactions[emoji] as? ChatReaction {
                if !reaction.users.contains(user) { reaction.users.append(user) }
            } else {
                let reaction = ChatReaction()
                reaction.emoji = emoji
                reaction.users.append(user)
                message.reactions[emoji] = reaction
            }
        }
    }

    func unreadTotal(for handle: String) throws -> Int {
        let rooms = try realm().objects(ChatRoom.self).where { $0.members.keys == handle }
        return rooms.reduce(0) { $0 + ($1.unread[handle] ?? 0) }
    }
}
