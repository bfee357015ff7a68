import type {
  DigestKeeper,
  FileDigests,
  KnownDigests,
  ProvenanceLookup,
  Seal,
  SignedFile,
  StoredPackage,
} from "@sealhouse/nuget-protocol";
import { digestOfSha256, sha256Of } from "../blobs/digest.ts";
import { SERVED_VERSION, STORED_COLUMNS, storedOf } from "../nuget/package-lookup.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";

const FIND: Statement = {
  name: "provenance-find",
  sql: `select v.id, v.display_id, v.version, v.size, v.sha512, v.content_hash, b.digest,
      v.seal_fingerprint as fingerprint, v.seal_size, v.seal_signed_at as signed_at,
      v.seal_sha256, v.seal_sha512
    ${SERVED_VERSION}`,
};
const REPLACED: Statement = {
  name: "provenance-replaced",
  sql: `select fingerprint, size as seal_size, signed_at, replaced_at,
      sha256 as seal_sha256, sha512 as seal_sha512
    from nuget_replaced_seals where version_id = ? order by id`,
};
const UNHASHED: Statement = {
  name: "provenance-unhashed",
  sql: `select v.id, ${STORED_COLUMNS}, v.content_hash, v.seal_sha256 ${SERVED_VERSION}`,
};
const UNHASHED_REPLACED: Statement = {
  name: "provenance-unhashed-replaced",
  sql: `select plan, fingerprint, size, signed_at
    from nuget_replaced_seals where version_id = ? and plan is not null order by id`,
};

/** The version whose bytes are those that were read. */
const OF_THESE_BYTES = `id in (select id from (select v.id from nuget_packages p
  join nuget_versions v on v.package_id = p.id join blobs b on b.id = v.blob_id
  where p.lower_id = ? and v.lower_version = ? and b.digest = ?) as named)`;
const KEEP_CONTENT_HASH: Statement = {
  name: "provenance-keep-content-hash",
  sql: `update nuget_versions set content_hash = ? where ${OF_THESE_BYTES}`,
};
const KEEP_TODAYS: Statement = {
  name: "provenance-keep-signed",
  sql: `update nuget_versions set seal_sha256 = ?, seal_sha512 = ?
    where ${OF_THESE_BYTES} and seal_plan = ?`,
};
const KEEP_REPLACED: Statement = {
  name: "provenance-keep-replaced",
  sql: `update nuget_replaced_seals set sha256 = ?, sha512 = ?, plan = null
    where version_${OF_THESE_BYTES} and plan = ?`,
};

/** The digests of every file a version has been. */
export function createProvenance(port: QueryPort): {
  readonly provenance: ProvenanceLookup;
  readonly digests: DigestKeeper;
} {
  return {
    provenance: {
      async find(id, version) {
        const row = await port.one(FIND, [id, version]);
        return row && provenanceOf(row, await port.all(REPLACED, [numberOf(row, "id")]));
      },
    },
    digests: {
      async unhashed(id, version) {
        const row = await port.one(UNHASHED, [id, version]);
        if (!row) return undefined;
        const stored = storedOf(row);
        const replaced = await port.all(UNHASHED_REPLACED, [numberOf(row, "id")]);
        const isHashed = optionalTextOf(row, "seal_sha256") !== undefined;
        return {
          stored,
          lacksContentHash: optionalTextOf(row, "content_hash") === undefined,
          seals: [...replaced.map(sealOf), ...(stored.seal && !isHashed ? [stored.seal] : [])],
        };
      },
      keep: (stored, known) => keep(port, stored, known),
    },
  };
}

async function keep(port: QueryPort, stored: StoredPackage, known: KnownDigests): Promise<void> {
  const { id, version, blob } = stored;
  const bytes = [id.toLowerCase(), version.toLowerCase(), digestOfSha256(blob.sha256)];
  if (known.type === "content-hash") {
    await port.run(KEEP_CONTENT_HASH, [known.contentHash, ...bytes]);
    return;
  }
  const { digests, seal } = known;
  const parameters = [digests.sha256, digests.sha512, ...bytes, seal.plan];
  // It may have been replaced while it was read.
  if ((await port.run(KEEP_TODAYS, parameters)) === 0) await port.run(KEEP_REPLACED, parameters);
}

function provenanceOf(row: Row, replaced: readonly Row[]) {
  const isSealed = optionalTextOf(row, "fingerprint") !== undefined;
  return {
    id: textOf(row, "display_id"),
    version: textOf(row, "version"),
    received: {
      sha256: sha256Of(textOf(row, "digest")),
      sha512: textOf(row, "sha512"),
      size: numberOf(row, "size"),
    },
    contentHash: optionalTextOf(row, "content_hash"),
    signed: [...replaced, ...(isSealed ? [row] : [])].map(signedOf),
  };
}

function signedOf(row: Row): SignedFile {
  return {
    fingerprint: textOf(row, "fingerprint"),
    size: numberOf(row, "seal_size"),
    signedAt: timeOf(row, "signed_at"),
    replacedAt: optionalTimeOf(row, "replaced_at"),
    digests: digestsOf(row),
  };
}

function digestsOf(row: Row): FileDigests | undefined {
  const sha256 = optionalTextOf(row, "seal_sha256");
  return sha256 === undefined ? undefined : { sha256, sha512: textOf(row, "seal_sha512") };
}

function sealOf(row: Row): Seal {
  return {
    plan: bytesOf(row, "plan"),
    fingerprint: textOf(row, "fingerprint"),
    size: numberOf(row, "size"),
    signedAt: timeOf(row, "signed_at"),
  };
}
