/// Thrown by whoever gets the pieces of a file and has seen enough. The reading ends without an error.
package struct EnoughRead: Error {
    package init() {}
}
