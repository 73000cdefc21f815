// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "todo", platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "reprise", path: "../../..")],
    targets: [
        .target(name: "TodoApp", dependencies: [.product(name: "Reprise", package: "reprise")], path: "Sources"),
        .testTarget(name: "TodoAppTests", dependencies: ["TodoApp"], path: "Tests"),
    ])
