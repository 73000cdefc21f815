import Reprise

/// A pair of rules: what happens to the far end of an edge when the near one is deleted, and the other way round.
struct RulePair: Hashable, CaseIterable, CustomStringConvertible {
    let forward: DeleteRule
    let backward: DeleteRule

    static let allCases = DeleteRule.allRules.flatMap { forward in
        DeleteRule.allRules.map { RulePair(forward: forward, backward: $0) }
    }

    /// Two letters, as in the names of the relationships below: `cn` cascades forwards and nullifies backwards.
    var description: String { "\(forward.letter)\(backward.letter)" }
}

extension DeleteRule {
    static let allRules: [DeleteRule] = [.cascade, .nullify, .deny]

    var letter: String {
        switch self {
        case .cascade: "c"
        case .nullify: "n"
        case .deny: "d"
        }
    }
}

/// Edges as ordered inverses: `down_xy` of one is `up_xy` of the other.
struct TreeNode: Model {
    var id: ID
    var cc: TreeNode.ID?
    var cn: TreeNode.ID?
    var cd: TreeNode.ID?
    var nc: TreeNode.ID?
    var nn: TreeNode.ID?
    var nd: TreeNode.ID?
    var dc: TreeNode.ID?
    var dn: TreeNode.ID?
    var dd: TreeNode.ID?

    static let schema = RulePair.allCases.reduce(
        ModelSchema(
            "tree",
            Self.init,
            .id("id", \.id),
            .toOne("up_cc", \.cc, onDelete: .cascade),
            .toOne("up_cn", \.cn, onDelete: .nullify),
            .toOne("up_cd", \.cd, onDelete: .deny),
            .toOne("up_nc", \.nc, onDelete: .cascade),
            .toOne("up_nn", \.nn, onDelete: .nullify),
            .toOne("up_nd", \.nd, onDelete: .deny),
            .toOne("up_dc", \.dc, onDelete: .cascade),
            .toOne("up_dn", \.dn, onDelete: .nullify),
            .toOne("up_dd", \.dd, onDelete: .deny)
        )
    ) { schema, pair in
        schema.toMany(
            "down_\(pair)",
            of: TreeNode.self,
            inverse: "up_\(pair)",
            onDelete: pair.forward
        )
    }
}

/// Edges as one-to-one: `left_xy` of one is the other, whose `right_xy` is the one.
struct PairNode: Model {
    var id: ID
    var leftCC: PairNode.ID?
    var leftCN: PairNode.ID?
    var leftCD: PairNode.ID?
    var leftNC: PairNode.ID?
    var leftNN: PairNode.ID?
    var leftND: PairNode.ID?
    var leftDC: PairNode.ID?
    var leftDN: PairNode.ID?
    var leftDD: PairNode.ID?
    var rightCC: PairNode.ID?
    var rightCN: PairNode.ID?
    var rightCD: PairNode.ID?
    var rightNC: PairNode.ID?
    var rightNN: PairNode.ID?
    var rightND: PairNode.ID?
    var rightDC: PairNode.ID?
    var rightDN: PairNode.ID?
    var rightDD: PairNode.ID?

    static let schema = ModelSchema(
        "pair",
        Self.init,
        .id("id", \.id),
        .toOne("left_cc", \.leftCC, inverse: "right_cc", onDelete: .cascade),
        .toOne("left_cn", \.leftCN, inverse: "right_cn", onDelete: .cascade),
        .toOne("left_cd", \.leftCD, inverse: "right_cd", onDelete: .cascade),
        .toOne("left_nc", \.leftNC, inverse: "right_nc", onDelete: .nullify),
        .toOne("left_nn", \.leftNN, inverse: "right_nn", onDelete: .nullify),
        .toOne("left_nd", \.leftND, inverse: "right_nd", onDelete: .nullify),
        .toOne("left_dc", \.leftDC, inverse: "right_dc", onDelete: .deny),
        .toOne("left_dn", \.leftDN, inverse: "right_dn", onDelete: .deny),
        .toOne("left_dd", \.leftDD, inverse: "right_dd", onDelete: .deny),
        .toOne("right_cc", \.rightCC, onDelete: .cascade),
        .toOne("right_cn", \.rightCN, onDelete: .nullify),
        .toOne("right_cd", \.rightCD, onDelete: .deny),
        .toOne("right_nc", \.rightNC, onDelete: .cascade),
        .toOne("right_nn", \.rightNN, onDelete: .nullify),
        .toOne("right_nd", \.rightND, onDelete: .deny),
        .toOne("right_dc", \.rightDC, onDelete: .cascade),
        .toOne("right_dn", \.rightDN, onDelete: .nullify),
        .toOne("right_dd", \.rightDD, onDelete: .deny)
    )
}

/// Edges as entries of many-to-many lists: `out_xy` of one holds the other, whose `in_xy` is derived.
struct WebNode: Model {
    var id: ID

    static let schema = RulePair.allCases.reduce(
        ModelSchema("web", Self.init, .id("id", \.id))
    ) { schema, pair in
        schema.toMany("out_\(pair)", of: WebNode.self, onDelete: pair.forward)
            .inverse("in_\(pair)", of: WebNode.self, "out_\(pair)", onDelete: pair.backward)
    }
}

/// Edges whose far side has no name: it nullifies.
struct BareNode: Model {
    var id: ID
    var cascading: BareNode.ID?
    var nullifying: BareNode.ID?
    var denying: BareNode.ID?

    static let schema = ModelSchema(
        "bare",
        Self.init,
        .id("id", \.id),
        .toOne("one_c", \.cascading, onDelete: .cascade),
        .toOne("one_n", \.nullifying, onDelete: .nullify),
        .toOne("one_d", \.denying, onDelete: .deny)
    )
    .toMany("many_c", of: BareNode.self, onDelete: .cascade)
    .toMany("many_n", of: BareNode.self, onDelete: .nullify)
    .toMany("many_d", of: BareNode.self, onDelete: .deny)
}

/// What leaves need: a list with `cascade` and one with `deny` for each rule a leaf can have, and leaves without an
/// inverse.
struct Stem: Model {
    var id: ID

    static let schema = ModelSchema("stem", Self.init, .id("id", \.id))
        .toMany("leaves_cc", of: Leaf<CascadeCascade>.self, inverse: "stem", onDelete: .cascade)
        .toMany("leaves_cn", of: Leaf<CascadeNullify>.self, inverse: "stem", onDelete: .cascade)
        .toMany("leaves_cd", of: Leaf<CascadeDeny>.self, inverse: "stem", onDelete: .cascade)
        .toMany("leaves_dc", of: Leaf<DenyCascade>.self, inverse: "stem", onDelete: .deny)
        .toMany("leaves_dn", of: Leaf<DenyNullify>.self, inverse: "stem", onDelete: .deny)
        .toMany("leaves_dd", of: Leaf<DenyDeny>.self, inverse: "stem", onDelete: .deny)
}

/// A required to-one; the kind says which rule it has itself.
struct Leaf<Kind: LeafKind>: Model {
    var id: ID
    var stem: Stem.ID

    static var schema: ModelSchema<Leaf> {
        ModelSchema(
            Kind.name,
            Self.init,
            .id("id", \.id),
            .toOne("stem", \.stem, onDelete: Kind.rule)
        )
    }
}

protocol LeafKind: Sendable {
    static var name: String { get }
    static var rule: DeleteRule { get }
}

enum CascadeCascade: LeafKind {
    static let name = "leaf_cc"
    static let rule = DeleteRule.cascade
}

enum CascadeNullify: LeafKind {
    static let name = "leaf_cn"
    static let rule = DeleteRule.nullify
}

enum CascadeDeny: LeafKind {
    static let name = "leaf_cd"
    static let rule = DeleteRule.deny
}

enum DenyCascade: LeafKind {
    static let name = "leaf_dc"
    static let rule = DeleteRule.cascade
}

enum DenyNullify: LeafKind {
    static let name = "leaf_dn"
    static let rule = DeleteRule.nullify
}

enum DenyDeny: LeafKind {
    static let name = "leaf_dd"
    static let rule = DeleteRule.deny
}

/// A required to-one whose other side has no name.
enum Loose: LeafKind {
    static let name = "leaf_loose"
    static let rule = DeleteRule.nullify
}

enum Matrix {
    static let schema = Schema(
        TreeNode.self,
        PairNode.self,
        WebNode.self,
        BareNode.self,
        Stem.self,
        Leaf<CascadeCascade>.self,
        Leaf<CascadeNullify>.self,
        Leaf<CascadeDeny>.self,
        Leaf<DenyCascade>.self,
        Leaf<DenyNullify>.self,
        Leaf<DenyDeny>.self,
        Leaf<Loose>.self
    )
}
