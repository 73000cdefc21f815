/// Lists and sets. A field without a value has no elements.
extension FieldExpression where V: StoredCollection {
    /// Whether an element equals the value.
    public func contains(_ element: V.StoredElement) -> Filter<Subject> {
        Filter(.contains(path, Value(element)))
    }

    /// Whether an element fulfils the condition: `$0.tags.any { $0.hasPrefix("19") }`.
    public func any(
        _ condition: (FieldExpression<CollectionElement<V.StoredElement>, V.StoredElement>) ->
            Filter<CollectionElement<V.StoredElement>>
    ) -> Filter<Subject> {
        Filter(.any(path, condition(FieldExpression<_, _>(path: .element)).expression))
    }

    /// Whether each element fulfils the condition; true where there is none.
    public func all(
        _ condition: (FieldExpression<CollectionElement<V.StoredElement>, V.StoredElement>) ->
            Filter<CollectionElement<V.StoredElement>>
    ) -> Filter<Subject> {
        Filter(.all(path, condition(FieldExpression<_, _>(path: .element)).expression))
    }

    /// How many elements there are, repeats counted.
    public var count: CountExpression<Subject> { CountExpression(path: path) }
    /// Whether there is no element.
    public var isEmpty: Filter<Subject> { count == 0 }
}

extension FieldExpression where V: StoredMap {
    /// Whether the map has the key.
    public func contains(key: String) -> Filter<Subject> {
        Filter(.contains(path, .string(key)))
    }

    /// How many keys the map has.
    public var count: CountExpression<Subject> { CountExpression(path: path) }

    /// Whether a value of the map fulfils the condition.
    public func anyValue(
        _ condition: (FieldExpression<CollectionElement<V.StoredElement>, V.StoredElement>) ->
            Filter<CollectionElement<V.StoredElement>>
    ) -> Filter<Subject> {
        Filter(.any(path, condition(FieldExpression<_, _>(path: .element)).expression))
    }

    /// Whether each value of the map fulfils the condition; true where there is none.
    public func allValues(
        _ condition: (FieldExpression<CollectionElement<V.StoredElement>, V.StoredElement>) ->
            Filter<CollectionElement<V.StoredElement>>
    ) -> Filter<Subject> {
        Filter(.all(path, condition(FieldExpression<_, _>(path: .element)).expression))
    }
}
