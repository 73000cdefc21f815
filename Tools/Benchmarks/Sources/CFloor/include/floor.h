#ifndef REPRISE_BENCHMARKS_FLOOR_H
#define REPRISE_BENCHMARKS_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/// Raw LMDB as the floor under every engine that is built on it: the least that could be done for the same bytes.
///
/// What it does for an insert of n rows in batches:
///  1. For each batch: `floor_append_log` appends the batch's log blocks (at most 64 KiB of events in one value, as in
///     Reprise) to the table "log" with MDB_APPEND, in one transaction that is synced to the disk.
///  2. Once, at the end: `floor_load_table` for "rows", for the index of genres and for that of dates: sorts the
///     entries by key and appends them with MDB_APPEND, one synced transaction for each table.
/// For single-row commits: `floor_commit_row`, into the tables that the load has filled. For point reads:
/// `floor_read_rows`, which looks rows up and reads a byte of every line of memory that they take.
///
/// Keys and values are byte for byte as long as Reprise's, and are handed over ready-made: the floor encodes nothing,
/// hashes nothing, checks nothing, and its rows can only be read after the last batch.
///
/// Every function returns 0 or the error of LMDB.
struct floor_store;

/// One entry: `key_size` bytes of key, followed at once by `value_size` bytes of value.
struct floor_entry {
    const uint8_t *bytes;
    uint32_t key_size;
    uint32_t value_size;
};

/// Opens a store in an existing empty directory.
int floor_open(const char *directory, struct floor_store **store);
void floor_close(struct floor_store *store);

/// Appends blocks to the log as one synced transaction. The keys are `first_key`, `first_key` + 1 and so on.
int floor_append_log(struct floor_store *store, uint64_t first_key, const struct floor_entry *blocks, size_t count);

/// Sorts the entries in place and appends them to the table, which is made and was empty, as one synced transaction.
int floor_load_table(struct floor_store *store, const char *table, struct floor_entry *entries, size_t count);

/// Commits one row with its log block and its two index entries, synced: `entries` are those of the tables "log",
/// "rows", "genre" and "releaseDate", in this order. The log's key is `log_key`.
int floor_commit_row(struct floor_store *store, uint64_t log_key, const struct floor_entry entries[4]);

/// Looks up the rows under the keys (their values are not used) in one read transaction, or renewing it for each, and
/// adds up a byte of every 64 of what it finds.
int floor_read_rows(struct floor_store *store, const struct floor_entry *keys, size_t count, int separately,
                    uint64_t *sum);

/// How many entries a table has.
int floor_count(struct floor_store *store, const char *table, size_t *count);

const char *floor_message(int error);

#endif
