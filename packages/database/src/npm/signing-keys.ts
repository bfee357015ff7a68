import type { NpmSigningKeys, SigningKeyRecord, UnsignedVersions } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalBytesOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { createNpmSigningKeyChanges, keepSignatures } from "./signing-key-changes.ts";

const COLUMNS = "key_id, public_key, sealed_key, created_at, announced_at, expires_at";
const LIST: Statement = {
  name: "npm-signing-keys",
  sql: `select ${COLUMNS} from npm_signing_keys order by created_at, key_id`,
};
const LAST_ID: Statement = {
  name: "npm-last-version-id",
  sql: "select id from npm_versions order by id desc limit 1",
};
const UNSIGNED: Statement = {
  name: "npm-unsigned-versions",
  sql: `select v.id, p.name, v.version, v.integrity
    from npm_versions v join npm_packages p on p.id = v.package_id
    where v.id > ? and v.id <= ? and v.signatures is null order by v.id`,
};

export function createNpmSigningKeys(port: QueryPort, changes: Changes): NpmSigningKeys {
  const list = async () => (await port.all(LIST, [])).map(keyOf);
  return {
    list,
    announced: async () => (await list()).filter(({ announcedAt }) => announcedAt !== undefined),
    ...createNpmSigningKeyChanges(changes),
  };
}

export function createUnsignedVersions(port: QueryPort, changes: Changes): UnsignedVersions {
  return {
    async lastId() {
      const row = await port.one(LAST_ID, []);
      return row ? numberOf(row, "id") : 0;
    },
    async between({ after, upTo }) {
      const rows = await port.all(UNSIGNED, [after, upTo]);
      return rows.map((row) => ({
        id: numberOf(row, "id"),
        name: textOf(row, "name"),
        version: textOf(row, "version"),
        integrity: textOf(row, "integrity"),
      }));
    },
    keep: (signed) => keepSignatures(changes, signed),
  };
}

function keyOf(row: Row): SigningKeyRecord {
  const encryptedKey = optionalBytesOf(row, "sealed_key");
  const announcedAt = optionalTimeOf(row, "announced_at");
  const expiresAt = optionalTimeOf(row, "expires_at");
  return {
    keyId: textOf(row, "key_id"),
    publicKey: textOf(row, "public_key"),
    createdAt: timeOf(row, "created_at"),
    ...(encryptedKey && { encryptedKey }),
    ...(announcedAt && { announcedAt }),
    ...(expiresAt && { expiresAt }),
  };
}
