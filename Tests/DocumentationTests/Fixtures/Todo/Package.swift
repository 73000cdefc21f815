// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Todo",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "reprise", path: "../reprise")
    ],
    targets: [
        .target(name: "Todo", dependencies: [.product(name: "Reprise", package: "reprise")]),
        .testTarget(
            name: "TodoTests",
            dependencies: ["Todo", .product(name: "RepriseTestSupport", package: "reprise")]
        ),
    ]
)
