import { sql } from "#kysely";
import type { Caller } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import type {
  NewSigningKey,
  NpmSigningKeys,
  SigningKeyRecord,
  UnsignedVersions,
} from "@sealhouse/npm-protocol";
import type { PortContext } from "../port-context.ts";
import { containing } from "../raw/like.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { isLike } from "../statements/like.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

/** No documents belong to it; changes of the keys wait for each other. */
const GROUP = "npm-signing-keys";

const KEY = { keyId: param.text(64) };

const LIST = defineStatement("npm-signing-keys", {}, (db) =>
  db
    .selectFrom("npm_signing_keys")
    .select(["key_id", "public_key", "sealed_key", "created_at", "announced_at", "expires_at"])
    .orderBy("created_at")
    .orderBy("key_id"),
);
const CURRENT = defineStatement("npm-signing-key-current", {}, (db) =>
  db
    .selectFrom("npm_signing_keys")
    .where("sealed_key", "is not", null)
    .where("expires_at", "is", null)
    .select("key_id"),
);
const ANNOUNCED = defineStatement("npm-signing-key-announced", {}, (db) =>
  db.selectFrom("npm_signing_keys").where("announced_at", "is not", null).select("key_id"),
);
const EXPIRE = defineStatement(
  "npm-signing-key-expire",
  { expiresAt: param.time },
  (db, { expiresAt }) =>
    db
      .updateTable("npm_signing_keys")
      .set({ expires_at: expiresAt })
      .where("sealed_key", "is not", null)
      .where("expires_at", "is", null),
);
const ANNOUNCE = defineStatement("npm-signing-keys-announce", { at: param.time }, (db, { at }) =>
  db.updateTable("npm_signing_keys").set({ announced_at: at }).where("announced_at", "is", null),
);
const WITHDRAW = defineStatement("npm-signing-keys-withdraw", {}, (db) =>
  db.updateTable("npm_signing_keys").set({ announced_at: sql.lit(null) }),
);
const OWN = defineStatement("npm-signing-key-own", KEY, (db, { keyId }) =>
  db
    .selectFrom("npm_signing_keys")
    .where("key_id", "=", keyId)
    .where("sealed_key", "is not", null)
    .select("expires_at"),
);
const REMOVE = defineStatement("npm-signing-key-remove", KEY, (db, { keyId }) =>
  db.deleteFrom("npm_signing_keys").where("key_id", "=", keyId),
);
const UNSIGN = defineStatement(
  "npm-signatures-remove",
  { pattern: param.longText },
  (db, { pattern }) =>
    db
      .updateTable("npm_versions")
      .set({ signatures: sql.lit(null) })
      .where((row) => isLike(row.ref("signatures"), pattern)),
);
const NAMES = defineStatement("npm-package-names", {}, (db) =>
  db.selectFrom("npm_packages").select("name"),
);
const KEEP = defineStatement(
  "npm-signatures-keep",
  { id: param.whole, signatures: param.longText },
  (db, { id, signatures }) =>
    db
      .updateTable("npm_versions")
      .set({ signatures })
      .where("id", "=", id)
      .where("signatures", "is", null),
);
const INSERT = defineStatement(
  "npm-signing-key-insert",
  {
    ...KEY,
    publicKey: param.longText,
    encryptedKey: param.bytes,
    createdAt: param.time,
    announcedAt: param.optional(param.time),
  },
  (db, { encryptedKey, ...row }) =>
    db.insertInto("npm_signing_keys").values({ ...inColumns(row), sealed_key: encryptedKey }),
);
const LAST_ID = defineStatement("npm-last-version-id", {}, (db) =>
  db.selectFrom("npm_versions").select("id").orderBy("id", "desc").limit(sql.lit(1)),
);
const UNSIGNED = defineStatement(
  "npm-unsigned-versions",
  { after: param.whole, upTo: param.whole },
  (db, { after, upTo }) =>
    db
      .selectFrom("npm_versions as v")
      .innerJoin("npm_packages as p", "p.id", "v.package_id")
      .where("v.id", ">", after)
      .where("v.id", "<=", upTo)
      .where("v.signatures", "is", null)
      .select(["v.id", "p.name", "v.version", "v.integrity"])
      .orderBy("v.id"),
);

export function createNpmSigningKeys({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): NpmSigningKeys {
  const list = async () => (await queries.all(LIST, {})).map(keyOf);
  return {
    list,
    announced: async () => (await list()).filter(({ announcedAt }) => announcedAt !== undefined),
    add: (key) => add(changes, key),
    replace: (key, expiresAt, caller) => replace(changes, { key, expiresAt }, caller),
    revoke: (keyId, caller) => revoke(changes, keyId, caller),
    announce: (what) => announce(changes, what),
  };
}

export function createUnsignedVersions({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): UnsignedVersions {
  return {
    lastId: async () => (await queries.one(LAST_ID, {}))?.id ?? 0,
    between: (range) => queries.all(UNSIGNED, range),
    keep: (signed) => keepSignatures(changes, signed),
  };
}

function keyOf(row: RowOf<typeof LIST>): SigningKeyRecord {
  const { sealed_key: encryptedKey, announced_at: announcedAt, expires_at: expiresAt } = row;
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    createdAt: row.created_at,
    ...(encryptedKey && { encryptedKey }),
    ...(announcedAt && { announcedAt }),
    ...(expiresAt && { expiresAt }),
  };
}

function add(changes: Changes, key: NewSigningKey): Promise<"added" | "exists"> {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    if (await unit.queries.one(CURRENT, {})) return "exists";
    await insert(unit, key, null);
    const subject = `npm-key/${key.keyId}`;
    await changes.event(unit, { type: "npm-key.created", subject, caller: SYSTEM });
    return "added";
  });
}

function replace(
  changes: Changes,
  { key, expiresAt }: { readonly key: NewSigningKey; readonly expiresAt: Date },
  caller: Caller,
): Promise<void> {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    const replaced = (await unit.queries.all(CURRENT, {})).map((row) => row.key_id);
    const isAnnounced = (await unit.queries.one(ANNOUNCED, {})) !== undefined;
    await unit.queries.run(EXPIRE, { expiresAt });
    await insert(unit, key, isAnnounced ? changes.now() : null);
    const subject = `npm-key/${key.keyId}`;
    const detail = { replaced, expiresAt: expiresAt.toISOString() };
    await changes.event(unit, { type: "npm-key.created", subject, caller, detail });
  });
}

function revoke(
  changes: Changes,
  keyId: string,
  caller: Caller,
): ReturnType<NpmSigningKeys["revoke"]> {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    const row = await unit.queries.one(OWN, { keyId });
    if (!row) return "absent";
    if (!row.expires_at) return "signs";
    await unit.queries.run(WITHDRAW, {});
    await unit.queries.run(REMOVE, { keyId });
    await unit.queries.run(UNSIGN, { pattern: containing(JSON.stringify(keyId)) });
    await staleAllPackages(changes, unit);
    const subject = `npm-key/${keyId}`;
    await changes.event(unit, { type: "npm-key.revoked", subject, caller });
    return "revoked";
  });
}

/**
 * Publishes or withdraws keys in one transaction: no document may show a signature of an
 * unpublished key, or lack one of a published key.
 */
function announce(changes: Changes, what: "all" | "none"): Promise<void> {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    const shows = (await unit.queries.one(ANNOUNCED, {})) !== undefined;
    if (what === "all") await unit.queries.run(ANNOUNCE, { at: changes.now() });
    else await unit.queries.run(WITHDRAW, {});
    // Versions show their signatures from the first key on.
    if (shows === (what === "all")) return;
    await staleAllPackages(changes, unit);
  });
}

async function staleAllPackages(changes: Changes, unit: Unit): Promise<void> {
  const names = (await unit.queries.all(NAMES, {})).map(({ name }) => `npm/${name}`);
  await changes.staleAll(unit, names);
}

/** Stores signatures of versions that have none. */
function keepSignatures(
  changes: Changes,
  signed: Parameters<UnsignedVersions["keep"]>[0],
): Promise<void> {
  return changes.transaction(async (unit) => {
    const names = new Set(signed.map(({ name }) => `npm/${name}`));
    await changes.staleAll(unit, [...names]);
    for (const { id, signatures } of signed) {
      await unit.queries.run(KEEP, { id, signatures: JSON.stringify(signatures) });
    }
  });
}

async function insert(
  { queries }: Unit,
  { keyId, publicKey, encryptedKey, createdAt }: NewSigningKey,
  announcedAt: Date | null,
): Promise<void> {
  await queries.run(INSERT, { keyId, publicKey, encryptedKey, createdAt, announcedAt });
}
