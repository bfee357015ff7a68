import type { Caller } from "@sealhouse/request-types";
import { SYSTEM } from "@sealhouse/events";
import type { NewSigningKey, NpmSigningKeys, UnsignedVersions } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { containing } from "../raw/like.ts";
import type { Statement } from "../raw/query-port.ts";
import { optionalTimeOf, textOf } from "../raw/row.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";

export type NpmSigningKeyChanges = Pick<NpmSigningKeys, "add" | "replace" | "revoke" | "announce">;

/** No documents belong to it; changes of the keys wait for each other. */
const GROUP = "npm-signing-keys";

const CURRENT: Statement = {
  name: "npm-signing-key-current",
  sql: "select key_id from npm_signing_keys where sealed_key is not null and expires_at is null",
};
const ANNOUNCED: Statement = {
  name: "npm-signing-key-announced",
  sql: "select key_id from npm_signing_keys where announced_at is not null",
};
const EXPIRE: Statement = {
  name: "npm-signing-key-expire",
  sql: `update npm_signing_keys set expires_at = ?
    where sealed_key is not null and expires_at is null`,
};
const ANNOUNCE: Statement = {
  name: "npm-signing-keys-announce",
  sql: "update npm_signing_keys set announced_at = ? where announced_at is null",
};
const WITHDRAW: Statement = {
  name: "npm-signing-keys-withdraw",
  sql: "update npm_signing_keys set announced_at = null",
};
const OWN: Statement = {
  name: "npm-signing-key-own",
  sql: "select expires_at from npm_signing_keys where key_id = ? and sealed_key is not null",
};
const REMOVE: Statement = {
  name: "npm-signing-key-remove",
  sql: "delete from npm_signing_keys where key_id = ?",
};
const UNSIGN: Statement = {
  name: "npm-signatures-remove",
  sql: "update npm_versions set signatures = null where signatures like ? escape '!'",
};
const NAMES: Statement = { name: "npm-package-names", sql: "select name from npm_packages" };
const KEEP: Statement = {
  name: "npm-signatures-keep",
  sql: "update npm_versions set signatures = ? where id = ? and signatures is null",
};

const INSERT = defineStatement(
  "npm-signing-key-insert",
  {
    keyId: param.text(128),
    publicKey: param.longText,
    encryptedKey: param.bytes,
    createdAt: param.time,
    announcedAt: param.optional(param.time),
  },
  (db, { keyId, publicKey, encryptedKey, createdAt, announcedAt }) =>
    db.insertInto("npm_signing_keys").values({
      key_id: keyId,
      public_key: publicKey,
      sealed_key: encryptedKey,
      created_at: createdAt,
      announced_at: announcedAt,
    }),
);

export function createNpmSigningKeyChanges(changes: Changes): NpmSigningKeyChanges {
  return {
    add: (key) => add(changes, key),
    replace: (key, expiresAt, caller) => replace(changes, { key, expiresAt }, caller),
    revoke: (keyId, caller) => revoke(changes, keyId, caller),
    announce: (what) => announce(changes, what),
  };
}

function add(changes: Changes, key: NewSigningKey): Promise<"added" | "exists"> {
  return changes.transaction(async (unit) => {
    await changes.stale(unit, GROUP);
    if ((await unit.read(CURRENT, [])).length > 0) return "exists";
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
    const replaced = (await unit.read(CURRENT, [])).map((row) => textOf(row, "key_id"));
    const isAnnounced = (await unit.read(ANNOUNCED, [])).length > 0;
    await unit.run(EXPIRE, [expiresAt]);
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
    const [found] = await unit.read(OWN, [keyId]);
    if (!found) return "absent";
    if (!optionalTimeOf(found, "expires_at")) return "signs";
    await unit.run(WITHDRAW, []);
    await unit.run(REMOVE, [keyId]);
    await unit.run(UNSIGN, [containing(JSON.stringify(keyId))]);
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
    const shows = (await unit.read(ANNOUNCED, [])).length > 0;
    if (what === "all") await unit.run(ANNOUNCE, [changes.now()]);
    else await unit.run(WITHDRAW, []);
    // Versions show their signatures from the first key on.
    if (shows === (what === "all")) return;
    await staleAllPackages(changes, unit);
  });
}

async function staleAllPackages(changes: Changes, unit: Unit): Promise<void> {
  const names = (await unit.read(NAMES, [])).map((row) => `npm/${textOf(row, "name")}`);
  await changes.staleAll(unit, names);
}

/** Stores signatures of versions that have none. */
export function keepSignatures(
  changes: Changes,
  signed: Parameters<UnsignedVersions["keep"]>[0],
): Promise<void> {
  return changes.transaction(async (unit) => {
    const names = new Set(signed.map(({ name }) => `npm/${name}`));
    await changes.staleAll(unit, [...names]);
    for (const { id, signatures } of signed) await unit.run(KEEP, [JSON.stringify(signatures), id]);
  });
}

async function insert(
  { queries }: Unit,
  { keyId, publicKey, encryptedKey, createdAt }: NewSigningKey,
  announcedAt: Date | null,
): Promise<void> {
  await queries.run(INSERT, { keyId, publicKey, encryptedKey, createdAt, announcedAt });
}
