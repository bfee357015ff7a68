import type { Kysely } from "#kysely";
import type {
  DigestKeeper,
  FileDigests,
  KnownDigests,
  ProvenanceLookup,
  Seal,
  SignedFile,
  StoredPackage,
} from "@sealhouse/nuget-protocol";
import { SYSTEM } from "@sealhouse/events";
import type { NewEvent } from "@sealhouse/events";
import { digestOfSha256, sha256Of } from "../blobs/digest.ts";
import { STORED, servedVersion, storedOf } from "../nuget/statements/package-lookup.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Tables } from "../statements/tables.ts";

const NAMED = { id: param.text(128), version: param.text(256) };

const FIND = defineStatement("provenance-find", NAMED, (db, parameters) =>
  servedVersion(db, parameters).select([
    "v.id",
    "v.display_id",
    "v.version",
    "v.size",
    "v.sha512",
    "v.content_hash",
    "b.digest",
    "v.seal_fingerprint",
    "v.seal_size",
    "v.seal_signed_at",
    "v.seal_sha256",
    "v.seal_sha512",
  ]),
);
const REPLACED = defineStatement(
  "provenance-replaced",
  { version: param.whole },
  (db, { version }) =>
    db
      .selectFrom("nuget_replaced_seals")
      .where("version_id", "=", version)
      .orderBy("id")
      .select(["fingerprint", "size", "signed_at", "replaced_at", "sha256", "sha512"]),
);
const UNHASHED = defineStatement("provenance-unhashed", NAMED, (db, parameters) =>
  servedVersion(db, parameters).select(["v.id", ...STORED, "v.content_hash", "v.seal_sha256"]),
);
const UNHASHED_REPLACED = defineStatement(
  "provenance-unhashed-replaced",
  { version: param.whole },
  (db, { version }) =>
    db
      .selectFrom("nuget_replaced_seals")
      .where("version_id", "=", version)
      .where("plan", "is not", null)
      .orderBy("id")
      .select(["plan", "fingerprint", "size", "signed_at"])
      .$narrowType<{ plan: Uint8Array }>(),
);

const BYTES = { ...NAMED, digest: param.text(128) };
const DIGESTS = { ...BYTES, sha256: param.text(64), sha512: param.text(88), plan: param.bytes };

/** The version whose bytes are those that were read. MySQL refuses to read the table that it
 * changes, except in a derived table. */
const versionOfBytes = (db: Kysely<Tables>, parameters: Parameters<typeof BYTES>) =>
  db
    .selectFrom(
      servedVersion(db, parameters)
        .where("b.digest", "=", parameters.digest)
        .select("v.id")
        .as("named"),
    )
    .select("named.id");

const KEEP_CONTENT_HASH = defineStatement(
  "provenance-keep-content-hash",
  { ...BYTES, contentHash: param.text(88) },
  (db, parameters) =>
    db
      .updateTable("nuget_versions")
      .set({ content_hash: parameters.contentHash })
      .where("content_hash", "is", null)
      .where("id", "in", versionOfBytes(db, parameters)),
);
const KEEP_CURRENT = defineStatement("provenance-keep-signed", DIGESTS, (db, parameters) =>
  db
    .updateTable("nuget_versions")
    .set({ seal_sha256: parameters.sha256, seal_sha512: parameters.sha512 })
    .where("id", "in", versionOfBytes(db, parameters))
    .where("seal_plan", "=", parameters.plan)
    .where("seal_sha256", "is", null),
);
const KEEP_REPLACED = defineStatement("provenance-keep-replaced", DIGESTS, (db, parameters) =>
  db
    .updateTable("nuget_replaced_seals")
    .set({ sha256: parameters.sha256, sha512: parameters.sha512, plan: null })
    .where("version_id", "in", versionOfBytes(db, parameters))
    .where("plan", "=", parameters.plan),
);

/** Reads and keeps the digests of every file that a version has been. */
export function createProvenance(
  queries: Queries,
  changes: Changes,
): {
  readonly provenance: ProvenanceLookup;
  readonly digests: DigestKeeper;
} {
  return {
    provenance: {
      async find(id, version) {
        const row = await queries.one(FIND, { id, version });
        return row && provenanceOf(row, await queries.all(REPLACED, { version: row.id }));
      },
    },
    digests: {
      async unhashed(id, version) {
        const row = await queries.one(UNHASHED, { id, version });
        if (!row) return undefined;
        const stored = storedOf(row);
        const replaced = await queries.all(UNHASHED_REPLACED, { version: row.id });
        const isHashed = row.seal_sha256 !== null;
        return {
          stored,
          lacksContentHash: row.content_hash === null,
          seals: [...replaced.map(sealOf), ...(stored.seal && !isHashed ? [stored.seal] : [])],
        };
      },
      keep: (stored, knownDigests) => keep(changes, stored, knownDigests),
    },
  };
}

/** The event comes once for each digest: a repeated computation changes no row. */
function keep(changes: Changes, stored: StoredPackage, known: KnownDigests): Promise<void> {
  const { id, version, blob } = stored;
  const digest = digestOfSha256(blob.sha256);
  const names = { id: id.toLowerCase(), version: version.toLowerCase(), digest };
  const subject = `nuget/${id}@${version}`;
  return changes.transaction(async (unit) => {
    const note = (detail: NonNullable<NewEvent["detail"]>) =>
      changes.event(unit, { type: "package.hashed", subject, caller: SYSTEM, detail });
    if (known.type === "content-hash") {
      const { contentHash } = known;
      const kept = await unit.queries.run(KEEP_CONTENT_HASH, { ...names, contentHash });
      if (kept > 0) await note({ contentHash });
      return;
    }
    const { digests, seal } = known;
    const values = { ...names, ...digests, plan: seal.plan };
    // It may have been replaced while it was read.
    const kept =
      (await unit.queries.run(KEEP_CURRENT, values)) ||
      (await unit.queries.run(KEEP_REPLACED, values));
    if (kept > 0) await note({ signedBy: seal.fingerprint, servedSha256: digests.sha256 });
  });
}

function provenanceOf(row: RowOf<typeof FIND>, replaced: readonly RowOf<typeof REPLACED>[]) {
  const { seal_fingerprint: fingerprint, seal_size: size, seal_signed_at: signedAt } = row;
  const isSealed = fingerprint !== null && size !== null && signedAt !== null;
  const digests = digestsOf(row.seal_sha256, row.seal_sha512);
  const current = { replacedAt: undefined, digests };
  return {
    id: row.display_id,
    version: row.version,
    received: { sha256: sha256Of(row.digest), sha512: row.sha512, size: row.size },
    contentHash: row.content_hash ?? undefined,
    signed: [
      ...replaced.map(signedOf),
      ...(isSealed ? [{ fingerprint, size, signedAt, ...current }] : []),
    ],
  };
}

function signedOf(row: RowOf<typeof REPLACED>): SignedFile {
  return {
    fingerprint: row.fingerprint,
    size: row.size,
    signedAt: row.signed_at,
    replacedAt: row.replaced_at,
    digests: digestsOf(row.sha256, row.sha512),
  };
}

function digestsOf(sha256: string | null, sha512: string | null): FileDigests | undefined {
  return sha256 === null || sha512 === null ? undefined : { sha256, sha512 };
}

function sealOf(row: RowOf<typeof UNHASHED_REPLACED>): Seal {
  return {
    plan: row.plan,
    fingerprint: row.fingerprint,
    size: row.size,
    signedAt: row.signed_at,
  };
}
