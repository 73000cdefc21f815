#include <sqlite3.h>

/* What Swift cannot call itself: functions with a variable number of arguments, and destructors that are numbers. */

/* Switches one thing on or off. Returns SQLITE_ERROR where this SQLite does not know it. */
static inline int reprise_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

/* Binds text of `count` bytes, of which SQLite makes a copy. */
static inline int reprise_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Binds bytes, of which SQLite makes a copy. */
static inline int reprise_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes,
                                           sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT);
}
