// swift-tools-version: 6.2
import PackageDescription

/// Warnings end the build of continuous integration (`.ci/run`), and nobody else's: a newer compiler has newer ones.
let warningsAreErrors = Context.environment["REPRISE_WARNINGS"] == "errors"

/// Every target is built with the same strictness: no implicit existentials, imports stay internal unless said
/// otherwise, members are visible only through a direct import, and each unsafe expression is marked.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Whether the targets whose work takes most of the time of the tests are optimised, with all their checks
/// (`Tools/test`). Not for anybody who depends on the package: flags like these are for the root package alone.
///
/// What other targets import of them is written first, so that those are built at the same time. Functions that take a
/// closure are not copied for each closure: that takes a quarter of the compiler's time for the engine.
let isBuiltForTests = Context.environment["REPRISE_BUILD"] == "tests"
let fast = [
    "-O", "-assert-config", "Debug", "-disable-cmo", "-emit-module-separately-wmo",
    "-Xllvm", "-sil-disable-pass=closure-specialize",
]
let strictAndFast = strict + (isBuiltForTests ? [.unsafeFlags(fast)] : [])

/// What nobody imports is type-checked once for its code, and not once more for its module.
let atTheEnd = strict + (isBuiltForTests ? [.unsafeFlags(["-no-emit-module-separately-wmo"])] : [])

/// Ten versions of one app, each a target, as its releases would be (Tools/examples/README.md).
let exampleVersions = (1...10).map { "TodoV\($0)" }
let examples = exampleVersions.map { name in
    Target.target(
        name: name,
        dependencies: ["Reprise"],
        path: "Tools/examples/\(name)",
        swiftSettings: strict
    )
}

/// The app of the README, with its tests. It also has a manifest of its own, as a new app would.
let todo = [
    Target.target(
        name: "TodoApp",
        dependencies: ["Reprise"],
        path: "Tools/examples/todo/Sources"
    ),
    .testTarget(
        name: "TodoAppTests",
        dependencies: ["Reprise", "TodoApp"],
        path: "Tools/examples/todo/Tests"
    ),
    .testTarget(
        name: "ReadmeTests",
        dependencies: ["Reprise", "TestSupport", "TodoApp"],
        swiftSettings: atTheEnd
    ),
]

/// A target of the migrator: who changes one compiles it and those that stand below it here.
///
/// - Parameter isFast: Whether tests spend so much time in it that they gain more than its optimisation takes.
func migratorTarget(_ name: String, _ dependencies: Target.Dependency..., isFast: Bool = false) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: isFast ? strictAndFast : strict)
}

/// What the product LegacyMigration consists of, each using only those that stand before it.
let migrator = [
    // JSON, property lists, tables and archives: knows nothing of Reprise.
    migratorTarget("ExportFormats", isFast: true),
    // What a source of records is, what it says and warns of, and how it remembers much with little memory.
    migratorTarget("LegacyRecords", "ExportFormats", "Reprise", "RepriseLog", "SQLiteFile", isFast: true),
    // What the names of classes and fields mean in a music library.
    migratorTarget("MusicVocabulary", "LegacyRecords", "Reprise"),
    migratorTarget("ITunesSources", "ExportFormats", "LegacyRecords", "MusicLibrary", "MusicVocabulary", "Reprise"),
    migratorTarget("TableSources", "ExportFormats", "LegacyRecords", "MusicVocabulary", "Reprise", "SQLiteFile"),
    migratorTarget(
        "PlaylistSources",
        "ExportFormats", "LegacyRecords", "MusicLibrary", "MusicVocabulary", "Reprise", "TableSources"
    ),
    migratorTarget(
        "RealmSources",
        "ExportFormats", "LegacyRecords", "MusicLibrary", "MusicVocabulary", "RealmFile", "Reprise"
    ),
    migratorTarget("SQLiteSources", "ExportFormats", "LegacyRecords", "Reprise", "RepriseLog", "SQLiteFile"),
    // Other names and values on the way into a store, without a word about music.
    migratorTarget("LegacyMapping", "ExportFormats", "LegacyRecords", "Reprise"),
    migratorTarget("MusicMapping", "LegacyMapping", "LegacyRecords", "MusicLibrary", "MusicVocabulary", "Reprise"),
    migratorTarget(
        "LegacyMigrator",
        "ExportFormats", "LegacyMapping", "LegacyRecords", "Reprise", "SQLiteFile", isFast: true
    ),
    // The opposite job: a store as a file of another program.
    migratorTarget("LegacyExport", "ExportFormats", "LegacyRecords", "Reprise", "RepriseLMDB", "SQLiteFile"),
]

let package = Package(
    name: "reprise",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Reprise", targets: ["Reprise"]),
        .library(name: "RepriseFoundation", targets: ["RepriseFoundation"]),
        .library(name: "RepriseTestSupport", targets: ["RepriseTestSupport"]),
        .library(name: "MusicLibrary", targets: ["MusicLibrary"]),
        .library(name: "LegacyMigration", targets: ["LegacyMigration"]),
        .library(name: "RealmFile", targets: ["RealmFile"]),
        .executable(name: "reprise", targets: ["RepriseTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        // SHA-256 where the system has no CryptoKit.
        .target(
            name: "CSHA256",
            cSettings: [.enableWarning("all"), .enableWarning("extra")]
                + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])
                + (isBuiltForTests ? [.unsafeFlags(["-O2"])] : [])
        ),
        .target(name: "RepriseLMDB", dependencies: ["CLMDB"], swiftSettings: strictAndFast),
        .target(
            name: "RepriseLog",
            dependencies: ["CSHA256", "RepriseLMDB"],
            swiftSettings: strictAndFast
        ),
        .target(
            name: "Reprise",
            dependencies: [
                "RepriseLog", "RepriseLMDB", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictAndFast
        ),
        // Foundation's predicates and sort descriptors: apart, because they bring the whole of Foundation.
        .target(name: "RepriseFoundation", dependencies: ["Reprise"], swiftSettings: strict),
        // For the tests of programs that use Reprise; knows no test framework.
        .target(name: "RepriseTestSupport", dependencies: ["Reprise"], swiftSettings: strict),
        .target(name: "MusicLibrary", dependencies: ["Reprise"], swiftSettings: strict),
        // Knows nothing of Reprise, and needs nothing but the standard library.
        .target(name: "RealmFile", swiftSettings: strictAndFast),
        // Knows nothing of Reprise either: SQLite databases that are not to be trusted, read only.
        .target(name: "SQLiteFile", dependencies: ["CSQLite"], swiftSettings: strictAndFast),
        .target(
            name: "LegacyMigration",
            dependencies: ["Reprise"] + migrator.map { .target(name: $0.name) },
            swiftSettings: strict
        ),
        .target(
            name: "RepriseCLI",
            dependencies: [
                "LegacyMigration", "MusicLibrary", "RealmFile", "Reprise", "RepriseLMDB",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        // Not named "reprise": on a file system that ignores case its module would collide with Reprise.
        .executableTarget(
            name: "RepriseTool",
            dependencies: ["RepriseCLI"],
            path: "Tools/reprise",
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["CSQLite", "MusicLibrary", "Reprise"],
            path: "Tests/TestSupport",
            swiftSettings: strictAndFast
        ),
        // What the tests of crashes and damage share with the process that they kill.
        .target(
            name: "FaultSupport",
            dependencies: ["Reprise", "RepriseLog", "RepriseLMDB"],
            path: "Tests/FaultSupport",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "FaultWorker",
            dependencies: ["FaultSupport", "Reprise"],
            path: "Tests/FaultWorker",
            swiftSettings: strict,
            // LMDB shall find the functions of DiskCalls.swift in the place of those of the C library.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--export-dynamic"], .when(platforms: [.linux]))
            ]
        ),
        // Models as an app declares them whose module belongs to the main actor, which is what Xcode makes.
        .target(
            name: "MainActorApp",
            dependencies: ["Reprise"],
            path: "Tests/MainActorApp",
            swiftSettings: strict + [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(
            name: "RepriseLMDBTests",
            dependencies: ["RepriseLMDB", "TestSupport"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "RepriseLogTests",
            dependencies: ["CSHA256", "RepriseLog", "RepriseLMDB", "TestSupport"],
            exclude: ["Golden"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "RepriseTests",
            dependencies: [
                "Reprise", "RepriseFoundation", "RepriseLMDB", "RepriseLog", "FaultSupport",
                "FaultWorker", "MainActorApp",
                "TestSupport", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "RepriseTestSupportTests",
            dependencies: ["Reprise", "RepriseTestSupport"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "MusicLibraryTests",
            dependencies: ["MusicLibrary", "Reprise", "TestSupport"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "LegacyMigrationTests",
            dependencies: [
                "LegacyMigration", "MusicLibrary", "Reprise", "SQLiteFile", "TestSupport",
            ],
            exclude: ["Golden"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "SQLiteFileTests",
            dependencies: ["SQLiteFile", "TestSupport"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "RealmFileTests",
            dependencies: ["RealmFile", "TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "RepriseCLITests",
            dependencies: [
                "RepriseCLI", "LegacyMigration", "MusicLibrary", "RealmFile", "Reprise",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: atTheEnd
        ),
        // Files as users have them, through the command, each with what must come of it.
        .testTarget(
            name: "MigrationCaseTests",
            dependencies: ["LegacyMigration", "Reprise", "RepriseCLI", "TestSupport"],
            exclude: ["Cases"],
            swiftSettings: atTheEnd
        ),
        // Compiles and runs the samples of the documentation pages.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Reprise", "RepriseTestSupport", "TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: atTheEnd
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: exampleVersions.map { .target(name: $0) } + ["Reprise", "TestSupport"],
            exclude: ["Golden"],
            swiftSettings: atTheEnd
        ),
    ] + migrator + examples + todo
)
