// swift-tools-version: 6.2
import PackageDescription

/// The settings of the engine's own package, but for strict memory safety: here is C to be called.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own, so that the peer never becomes a dependency of those who embed Reprise.
let package = Package(
    name: "reprise-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "reprise", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CSystemLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .target(name: "CFloor", dependencies: ["CSystemLMDB"]),
        .target(name: "CSession"),
        .target(
            name: "RealmMigration",
            dependencies: [
                .product(name: "LegacyMigration", package: "reprise"),
                .product(name: "MusicLibrary", package: "reprise"),
                .product(name: "RealmFile", package: "reprise"),
                .product(name: "Reprise", package: "reprise"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CFloor",
                "CSession",
                "RealmMigration",
                .product(name: "Reprise", package: "reprise"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
    ]
)
