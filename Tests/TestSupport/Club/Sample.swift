package import Reprise

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

package enum Mood: String, StoredValue, AuditedValue {
    case calm
    case cross = "cr\u{F6}\u{DF}"
    case empty = ""
}

package enum Rank: Int, StoredValue, AuditedValue {
    case low = -1
    case middle = 0
    case high = 9_000_000_000
}

package struct Address: Embedded, AuditedValue, Hashable {
    package var street: String
    package var door: Int?
    package var names: [String]

    package static let embedded = EmbeddedSchema(
        Self.init,
        .attribute("street", \.street),
        .attribute("door", \.door),
        .attribute("names", \.names)
    )
}

extension Address {
    package init?(datum: Datum) {
        guard case .embedded(let fields) = datum else { return nil }
        let row = AuditValues(fields)
        self.init(
            street: row["street", default: "?"],
            door: row["door"],
            names: row["names", default: ["?"]]
        )
    }

    package var datum: Datum {
        .embedded([String: Datum](present: ["street": street, "door": door, "names": names]))
    }
}

/// Every type that an attribute can have.
package struct Sample: AuditedModel, Equatable {
    package var id: ID
    package var flag: Bool
    package var count: Int
    package var ratio: Double
    package var weight: Float
    package var title: String
    package var payload: Data
    package var moment: Date
    package var token: UUID
    package var price: Decimal
    package var mood: Mood
    package var rank: Rank?
    package var optionalFlag: Bool?
    package var optionalRatio: Double?
    package var optionalTitle: String?
    package var optionalPayload: Data?
    package var optionalMoment: Date?
    package var optionalPrice: Decimal?
    package var numbers: [Int]
    package var words: [String?]
    package var labels: Set<String>
    package var days: Set<Int>?
    package var scores: [String: Double]
    package var remarks: [String: String?]
    package var home: Address
    package var work: Address?
    package var places: [Address]

    package static let schema = ModelSchema(
        "sample",
        Self.init,
        .id("id", \.id),
        .attribute("flag", \.flag, indexed: true),
        .attribute("count", \.count, indexed: true),
        .attribute("ratio", \.ratio, indexed: true),
        .attribute("weight", \.weight, indexed: true),
        .attribute("title", \.title, indexed: true),
        .attribute("payload", \.payload, indexed: true),
        .attribute("moment", \.moment, indexed: true),
        .attribute("token", \.token, unique: true),
        .attribute("price", \.price, indexed: true),
        .attribute("mood", \.mood, indexed: true),
        .attribute("rank", \.rank, indexed: true),
        .attribute("optionalFlag", \.optionalFlag),
        .attribute("optionalRatio", \.optionalRatio, unique: true),
        .attribute("optionalTitle", \.optionalTitle, indexed: true),
        .attribute("optionalPayload", \.optionalPayload),
        .attribute("optionalMoment", \.optionalMoment, indexed: true),
        .attribute("optionalPrice", \.optionalPrice),
        .attribute("numbers", \.numbers),
        .attribute("words", \.words),
        .attribute("labels", \.labels),
        .attribute("days", \.days),
        .attribute("scores", \.scores),
        .attribute("remarks", \.remarks),
        .attribute("home", \.home),
        .attribute("work", \.work),
        .attribute("places", \.places)
    )
    .index("mood", "ratio", "title", "optionalMoment")
    .index("optionalTitle", "payload")
    .unique("optionalTitle", "title")
}

extension Sample {
    package init(_ id: ID, _ row: AuditValues) {
        self.id = id
        flag = row["flag", default: false]
        count = row["count", default: .min]
        ratio = row["ratio", default: -1]
        weight = row["weight", default: -1]
        title = row["title", default: "?"]
        payload = row["payload", default: Data()]
        moment = row["moment", default: .distantPast]
        token = row["token", default: UUID()]
        price = row["price", default: -1]
        mood = row["mood", default: .empty]
        rank = row["rank"]
        optionalFlag = row["optionalFlag"]
        optionalRatio = row["optionalRatio"]
        optionalTitle = row["optionalTitle"]
        optionalPayload = row["optionalPayload"]
        optionalMoment = row["optionalMoment"]
        optionalPrice = row["optionalPrice"]
        numbers = row["numbers", default: []]
        words = row["words", default: []]
        labels = row["labels", default: []]
        days = row["days"]
        scores = row["scores", default: [:]]
        remarks = row["remarks", default: [:]]
        home = row["home", default: Address(street: "?", door: nil, names: [])]
        work = row["work"]
        places = row["places", default: []]
    }

    package var data: [String: Datum] {
        let scalars = [String: Datum](present: [
            "flag": flag, "count": count, "ratio": ratio, "weight": weight, "title": title,
            "payload": payload, "moment": moment, "token": token, "price": price, "mood": mood,
            "rank": rank,
        ])
        let optionals = [String: Datum](present: [
            "optionalFlag": optionalFlag, "optionalRatio": optionalRatio,
            "optionalTitle": optionalTitle, "optionalPayload": optionalPayload,
            "optionalMoment": optionalMoment, "optionalPrice": optionalPrice,
        ])
        let collections = [String: Datum](present: [
            "numbers": numbers, "words": words, "labels": labels, "days": days,
            "scores": scores, "remarks": remarks, "home": home, "work": work, "places": places,
        ])
        return scalars.merging(optionals) { $1 }.merging(collections) { $1 }
    }
}
