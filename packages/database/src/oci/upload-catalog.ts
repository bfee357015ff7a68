import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type { IdleUploads, UploadCatalog, UploadSession } from "@sealhouse/oci-distribution";
import { TOKEN_VALIDITY, requireGoodToken } from "../identity/good-token.ts";
import type { Connections } from "../transactions/connections.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import type { Row, Statement } from "../raw/query-port.ts";
import { numberOf, optionalBytesOf, optionalTextOf, textOf, timeOf } from "../raw/row.ts";

const CREATE: Statement = {
  name: "upload-create",
  sql: `insert into oci_uploads (id, repository, owner, received, algorithm, bytes, writer,
    claimed_until, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
const FIND: Statement = {
  name: "upload-find",
  sql: `select id, repository, owner, received, algorithm, bytes, updated_at
    from oci_uploads where id = ?`,
};
const CLAIM: Statement = {
  name: "upload-claim",
  sql: `update oci_uploads set writer = ?, claimed_until = ?, updated_at = ?
    where id = ? and (writer is null or writer = ? or claimed_until <= ?)`,
};
/** Refuses chunks of an invalid token. Owners other than tokens have no row. */
const ENDED_OWNER = `select 1 from host_tokens t where t.id = oci_uploads.owner
  and (t.revoked_at is not null or t.expires_at <= ?)`;
const ADVANCE: Statement = {
  name: "upload-advance",
  sql: `update oci_uploads set received = ?, bytes = null, updated_at = ?
    where id = ? and writer = ? and claimed_until > ? and not exists (${ENDED_OWNER})`,
};
const OWNER_END: Statement = {
  name: "upload-owner-end",
  sql: `select t.revoked_at, t.expires_at from oci_uploads u join host_tokens t on t.id = u.owner
    where u.id = ?`,
};
const ADVANCE_LAST: Statement = {
  name: "upload-advance-last",
  sql: `update oci_uploads set received = ?, bytes = null, updated_at = ?, writer = null,
    claimed_until = null
    where id = ? and writer = ? and claimed_until > ? and not exists (${ENDED_OWNER})`,
};
const RELEASE: Statement = {
  name: "upload-release",
  sql: "update oci_uploads set writer = null, claimed_until = null where id = ? and writer = ?",
};
const REMOVE: Statement = {
  name: "upload-remove",
  sql: "delete from oci_uploads where id = ?",
};
const TAKE: Statement = {
  name: "upload-take",
  sql: `delete from oci_uploads
    where id = ? and received = ? and (writer is null or claimed_until <= ?)`,
};
const IDLE: Statement = {
  name: "upload-idle",
  sql: `select id from oci_uploads where updated_at < ?
    and (claimed_until is null or claimed_until <= ?) order by updated_at limit ?`,
};
/** Checked again for each upload, which may have been claimed since. */
const EXPIRE: Statement = {
  name: "upload-expire",
  sql: `delete from oci_uploads where id = ? and updated_at < ?
    and (claimed_until is null or claimed_until <= ?)`,
};

/** Each step is one statement, so sessions need no transactions. */
export function createUploadCatalog(
  { port, queries }: Pick<Connections, "port" | "queries">,
  now: () => Date,
): UploadCatalog & IdleUploads {
  return {
    async create({ id, repository, owner, offset, algorithm, bytes }, claim) {
      const at = now();
      const until = claim && new Date(at.getTime() + claim.leaseMs);
      const said = [id, repository, owner, offset, algorithm, bytes];
      if (bytes) refuseEnded(await queries.one(TOKEN_VALIDITY, { id: owner }), at);
      return isAdded(port.run(CREATE, [...said, claim?.writer, until, at, at]));
    },
    async find(id, idleSince) {
      const row = await port.one(FIND, [id]);
      const isGone = !row || (idleSince !== undefined && timeOf(row, "updated_at") < idleSince);
      return isGone ? undefined : sessionOf(row);
    },
    async claim(id, writer, leaseMs) {
      const at = now();
      const until = new Date(at.getTime() + leaseMs);
      return (await port.run(CLAIM, [writer, until, at, id, writer, at])) > 0;
    },
    async advance(id, writer, offset, { last = false } = {}) {
      const at = now();
      const statement = last ? ADVANCE_LAST : ADVANCE;
      if ((await port.run(statement, [offset, at, id, writer, at, at])) > 0) return true;
      refuseEnded(await port.one(OWNER_END, [id]), at);
      return false;
    },
    async release(id, writer) {
      await port.run(RELEASE, [id, writer]);
    },
    async remove(id) {
      await port.run(REMOVE, [id]);
    },
    async take(id, offset) {
      return (await port.run(TAKE, [id, offset, now()])) > 0;
    },
    async expire(idleSince, limit) {
      const at = now();
      const expired: string[] = [];
      for (const row of await port.all(IDLE, [idleSince, at, limit])) {
        const id = textOf(row, "id");
        if ((await port.run(EXPIRE, [id, idleSince, at])) > 0) expired.push(id);
      }
      return expired;
    },
  };
}

function refuseEnded(owner: Row | undefined, now: Date): void {
  if (owner) requireGoodToken([owner], now);
}

async function isAdded(adding: Promise<number>): Promise<boolean> {
  try {
    return (await adding) > 0;
  } catch (error) {
    if (error instanceof UniqueKeyError) return false;
    throw error;
  }
}

function sessionOf(row: Row): UploadSession {
  const algorithm = optionalTextOf(row, "algorithm");
  const bytes = optionalBytesOf(row, "bytes");
  return {
    id: textOf(row, "id"),
    repository: parseRepositoryName(textOf(row, "repository")),
    owner: textOf(row, "owner"),
    offset: numberOf(row, "received"),
    ...(algorithm === "sha512" && { algorithm }),
    ...(bytes && { bytes }),
  };
}
