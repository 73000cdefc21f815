/// A stored list or set: what filter closures may ask of its elements.
public protocol StoredCollection<StoredElement>: StoredValue {
    /// The type of an element.
    associatedtype StoredElement: StoredValue
}

extension Array: StoredCollection where Element: StoredValue {
    public typealias StoredElement = Element
}

extension Set: StoredCollection where Element: StoredValue {
    public typealias StoredElement = Element
}

extension Optional: StoredCollection where Wrapped: StoredCollection {
    public typealias StoredElement = Wrapped.StoredElement
}

/// A stored map: what filter closures may ask of its keys and values.
public protocol StoredMap<StoredElement>: StoredValue {
    /// The type of a value; keys are text.
    associatedtype StoredElement: StoredValue
}

extension Dictionary: StoredMap where Key == String, Value: StoredValue {
    public typealias StoredElement = Value
}
