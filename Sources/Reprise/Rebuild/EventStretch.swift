/// Some neighbours in the order of one model's events, with all events of each of their entities, so that rows can be
/// built from them without looking at any others.
///
/// Sendable because nothing in it changes: the events lie in the mapped log, which the one who rebuilds keeps mapped
/// until all who read it have ended.
@safe
struct EventStretch: @unchecked Sendable {
    /// The model's number.
    let model: UInt16
    /// The order that all of the model's stretches share.
    private let items: [KeySort.Item]
    private let range: Range<Int>

    /// How many events it has.
    var count: Int { range.count }

    /// Cuts the ordered events of a model.
    static func all(
        of model: UInt16,
        _ items: [KeySort.Item],
        eventCount: Int
    ) -> [EventStretch] {
        var stretches: [EventStretch] = []
        var start = 0
        while start < items.count {
            var end = min(items.count, start + max(1, eventCount))
            while end < items.count, items[end].hasSameKey(as: items[end - 1]) { end += 1 }
            stretches.append(EventStretch(model: model, items: items, range: start..<end))
            start = end
        }
        return stretches
    }

    func events() -> SortedEvents {
        SortedEvents(items, in: range)
    }
}
