// Storage type `Sqlite`: one database file holds all objects. For one host process.
// An example of a storage driver; see docs/storage/own-driver.md.
import { DatabaseSync } from "node:sqlite";
import { guardedBody, StorageError, StorageSettingError } from "@sealhouse/storage-providers";

const PATH = "Storage__Sqlite__Path";
const CHUNK_BYTES = 256 * 1024;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS bodies (id INTEGER PRIMARY KEY AUTOINCREMENT);
  CREATE TABLE IF NOT EXISTS chunks (
    body INTEGER, position INTEGER, bytes BLOB, PRIMARY KEY (body, position)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS objects (
    key TEXT PRIMARY KEY, body INTEGER, size INTEGER, modified INTEGER) WITHOUT ROWID;
  DELETE FROM chunks WHERE body NOT IN (SELECT body FROM objects);
  DELETE FROM bodies WHERE id NOT IN (SELECT body FROM objects);
`;

function openDatabase(path) {
  try {
    const database = new DatabaseSync(path);
    database.exec(SCHEMA);
    return database;
  } catch (cause) {
    const reason = `${path} is not a usable database file: ${cause.message}.`;
    throw new StorageSettingError(PATH, reason, { cause });
  }
}

const STATEMENTS = {
  find: "SELECT * FROM objects WHERE key = ?",
  put: "REPLACE INTO objects VALUES (?, ?, ?, ?)",
  remove: "DELETE FROM objects WHERE key = ?",
  listAfter: "SELECT * FROM objects WHERE key > ? AND key >= ? ORDER BY key LIMIT 100",
  newBody: "INSERT INTO bodies DEFAULT VALUES RETURNING id",
  dropBody: "DELETE FROM bodies WHERE id = ?",
  addChunk: "INSERT INTO chunks VALUES (?, ?, ?)",
  chunk: "SELECT bytes FROM chunks WHERE body = ? AND position = ?",
  dropChunks: "DELETE FROM chunks WHERE body = ?",
};

function prepare(database) {
  const entries = Object.entries(STATEMENTS);
  return Object.fromEntries(entries.map(([name, sql]) => [name, database.prepare(sql)]));
}

/** Chunks of one size. A read of a replaced body continues; its last reader deletes the body. */
function createBodies(sql) {
  const readers = new Map();
  const replaced = new Set();

  function discard(body) {
    if (readers.has(body)) return void replaced.add(body);
    replaced.delete(body);
    sql.dropChunks.run(body);
    sql.dropBody.run(body);
  }

  function release(body) {
    const count = readers.get(body) - 1;
    if (count > 0) return void readers.set(body, count);
    readers.delete(body);
    if (replaced.has(body)) discard(body);
  }

  async function* read({ body, size }, range) {
    const end = Math.min(range?.end ?? size - 1, size - 1);
    readers.set(body, (readers.get(body) ?? 0) + 1);
    try {
      for (let offset = range?.start ?? 0; offset <= end;) {
        const position = Math.floor(offset / CHUNK_BYTES);
        const first = position * CHUNK_BYTES;
        yield sql.chunk.get(body, position).bytes.subarray(offset - first, end + 1 - first);
        offset = first + CHUNK_BYTES;
      }
    } finally {
      release(body);
    }
  }

  async function write(source) {
    const { id } = sql.newBody.get();
    let size = 0;
    try {
      for await (const bytes of inChunks(source)) {
        sql.addChunk.run(id, size / CHUNK_BYTES, bytes);
        size += bytes.length;
      }
    } catch (error) {
      discard(id);
      throw error;
    }
    return { id, size };
  }

  return { discard, read, write };
}

/** Joins and splits the source's chunks. All but the last have the same size. */
async function* inChunks(source) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let used = 0;
  for await (const bytes of source) {
    for (let offset = 0; offset < bytes.length;) {
      const part = bytes.subarray(offset, offset + CHUNK_BYTES - used);
      buffer.set(part, used);
      offset += part.length;
      used += part.length;
      if (used < CHUNK_BYTES) continue;
      yield buffer;
      used = 0;
    }
  }
  if (used > 0) yield buffer.subarray(0, used);
}

function inTransaction(database, work) {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

const infoOf = ({ key, size, modified }) => ({ key, size, modifiedAt: new Date(modified) });

function notFound(key) {
  return new StorageError("storage-not-found", `the object ${key} does not exist`);
}

function openStore(path) {
  const database = openDatabase(path);
  const sql = prepare(database);
  const bodies = createBodies(sql);

  async function* bytes(key, range) {
    const found = sql.find.get(key);
    if (!found) throw notFound(key);
    yield* bodies.read(found, range);
  }

  return {
    bytes,
    async stat(key) {
      const found = sql.find.get(key);
      return found && infoOf(found);
    },
    async read(key, range) {
      const found = sql.find.get(key);
      return found && { info: infoOf(found), body: bytes(key, range) };
    },
    async write(key, body, options) {
      const { id, size } = await bodies.write(guardedBody(body, options));
      return inTransaction(database, () => {
        const existing = sql.find.get(key);
        const keeps = existing !== undefined && options.existing === "keep";
        if (!keeps) sql.put.run(key, id, size, Date.now());
        if (existing) bodies.discard(keeps ? id : existing.body);
        return keeps ? { status: "exists" } : { status: "written", size };
      });
    },
    async move(from, to) {
      inTransaction(database, () => {
        const found = sql.find.get(from);
        if (!found) throw notFound(from);
        const existing = sql.find.get(to);
        sql.remove.run(from);
        sql.put.run(to, found.body, found.size, Date.now());
        if (existing && to !== from) bodies.discard(existing.body);
      });
    },
    async delete(key) {
      inTransaction(database, () => {
        const found = sql.find.get(key);
        sql.remove.run(key);
        if (found) bodies.discard(found.body);
      });
    },
    async *list(prefix) {
      for (let last = ""; ;) {
        const page = sql.listAfter.all(last, prefix);
        for (const found of page) {
          if (!found.key.startsWith(prefix)) return;
          yield infoOf(found);
        }
        if (page.length < 100) return;
        last = page.at(-1).key;
      }
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

/** @type {import("@sealhouse/storage-providers").StorageExtension} */
export const extension = {
  name: "storage-sqlite",
  storageTypes: {
    Sqlite: {
      settings: {
        [PATH]: { kind: { type: "path" }, required: true, about: "Database file of the objects." },
      },
      open: async ({ values }) => openStore(values[PATH]),
    },
  },
};
