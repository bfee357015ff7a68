import { expressionBuilder, sql } from "#kysely";
import type { Kysely } from "#kysely";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import type {
  IdleUploads,
  OpenUploads,
  UploadCatalog,
  UploadSession,
} from "@sealhouse/oci-distribution";
import { TOKEN_VALIDITY, requireGoodToken } from "../identity/good-token.ts";
import type { PortContext } from "../port-context.ts";
import { UniqueKeyError } from "../raw/query-port.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";
import type { Tables } from "../statements/tables.ts";
import { ociParam } from "./oci-param.ts";

const ID = { id: param.text(64) };
const CLAIMED = { ...ID, writer: param.text(128), until: param.time, now: param.time };

const CREATE = defineStatement(
  "upload-create",
  {
    ...ID,
    repository: ociParam.repositoryName,
    owner: param.text(255),
    received: param.whole,
    algorithm: param.optional(param.text(16)),
    bytes: param.optional(param.bytes),
    writer: param.optional(param.text(128)),
    until: param.optional(param.time),
    now: param.time,
  },
  (db, { now, until, ...row }) =>
    db
      .insertInto("oci_uploads")
      .values({ ...inColumns(row), claimed_until: until, created_at: now, updated_at: now }),
);
const FIND = defineStatement("upload-find", ID, (db, { id }) =>
  db
    .selectFrom("oci_uploads")
    .where("id", "=", id)
    .select(["id", "repository", "owner", "received", "algorithm", "bytes", "updated_at"]),
);
const COUNT_OPEN = defineStatement(
  "upload-count-open",
  { owner: param.text(255), idleSince: param.time },
  (db, { owner, idleSince }) =>
    db
      .selectFrom("oci_uploads")
      .where("owner", "=", owner)
      .where("updated_at", ">=", idleSince)
      .select(({ fn }) => fn.countAll<number>().as("open")),
);
const CLAIM = defineStatement("upload-claim", CLAIMED, (db, { id, writer, until, now }) =>
  db
    .updateTable("oci_uploads")
    .set({ writer, claimed_until: until, updated_at: now })
    .where("id", "=", id)
    .where((upload) =>
      upload.or([
        upload("writer", "is", null),
        upload("writer", "=", writer),
        upload("claimed_until", "<=", now),
      ]),
    ),
);

const ADVANCED = {
  ...ID,
  writer: param.text(128),
  received: param.whole,
  now: param.time,
};

/** Scopes, one of which an upload needs. */
const NEEDS = ["write", "admin"];

/** Refuses chunks of an invalid token, or of one whose user may only read by now. Owners other than
 * tokens have no row. */
const advance = (db: Kysely<Tables>, parameters: Parameters<typeof ADVANCED>) =>
  db
    .updateTable("oci_uploads")
    .set({ received: parameters.received, bytes: sql.lit(null), updated_at: parameters.now })
    .where("id", "=", parameters.id)
    .where("writer", "=", parameters.writer)
    .where("claimed_until", ">", parameters.now)
    .where((upload) =>
      upload.not(
        upload.exists(
          upload
            .selectFrom("host_tokens as t")
            .leftJoin("host_users as u", "u.id", "t.user_id")
            .leftJoin("host_service_accounts as a", "a.id", "t.service_account_id")
            .whereRef("t.id", "=", "oci_uploads.owner")
            .where((token) =>
              token.or([
                token("t.revoked_at", "is not", null),
                token("t.expires_at", "<=", parameters.now),
                token("u.state", "<>", sql.lit("active")),
                token("u.role", "=", sql.lit("consumer")),
                token("a.state", "<>", sql.lit("active")),
              ]),
            )
            .select("t.id"),
        ),
      ),
    );
const ADVANCE = defineStatement("upload-advance", ADVANCED, advance);
const ADVANCE_LAST = defineStatement("upload-advance-last", ADVANCED, (db, parameters) =>
  advance(db, parameters).set({ writer: sql.lit(null), claimed_until: sql.lit(null) }),
);
const OWNER_END = defineStatement("upload-owner-end", ID, (db, { id }) =>
  db
    .selectFrom("oci_uploads as upload")
    .innerJoin("host_tokens as t", "t.id", "upload.owner")
    .leftJoin("host_users as u", "u.id", "t.user_id")
    .leftJoin("host_service_accounts as a", "a.id", "t.service_account_id")
    .where("upload.id", "=", id)
    .select([
      "t.revoked_at",
      "t.expires_at",
      "u.state as user_state",
      "u.role as user_role",
      "a.state as account_state",
    ]),
);
const RELEASE = defineStatement(
  "upload-release",
  { ...ID, writer: param.text(128) },
  (db, { id, writer }) =>
    db
      .updateTable("oci_uploads")
      .set({ writer: sql.lit(null), claimed_until: sql.lit(null) })
      .where("id", "=", id)
      .where("writer", "=", writer),
);
const REMOVE = defineStatement("upload-remove", ID, (db, { id }) =>
  db.deleteFrom("oci_uploads").where("id", "=", id),
);
const TAKE = defineStatement(
  "upload-take",
  { ...ID, received: param.whole, now: param.time },
  (db, { id, received, now }) =>
    db
      .deleteFrom("oci_uploads")
      .where("id", "=", id)
      .where("received", "=", received)
      .where((upload) =>
        upload.or([upload("writer", "is", null), upload("claimed_until", "<=", now)]),
      ),
);

const IDLE_AT = { idleSince: param.time, now: param.time };

/** Whether an upload is idle and has no current claim. */
function isIdle({ idleSince, now }: Parameters<typeof IDLE_AT>) {
  const upload = expressionBuilder<Tables, "oci_uploads">();
  return upload.and([
    upload("updated_at", "<", idleSince),
    upload.or([upload("claimed_until", "is", null), upload("claimed_until", "<=", now)]),
  ]);
}

const IDLE = defineStatement(
  "upload-idle",
  { ...IDLE_AT, limit: param.whole },
  (db, parameters, own) =>
    own.limit(
      db.selectFrom("oci_uploads").where(isIdle(parameters)).select("id").orderBy("updated_at"),
      parameters.limit,
    ),
);
/** Checked again for each upload, which may have been claimed since. */
const EXPIRE = defineStatement("upload-expire", { ...ID, ...IDLE_AT }, (db, parameters) =>
  db.deleteFrom("oci_uploads").where("id", "=", parameters.id).where(isIdle(parameters)),
);

/** Each step is one statement, so sessions need no transactions. */
export function createUploadCatalog({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): UploadCatalog & OpenUploads & IdleUploads {
  const { now: currentTime } = changes;
  return {
    async create({ id, repository, owner, offset, algorithm, bytes }, claim) {
      const now = currentTime();
      const until = claim && new Date(now.getTime() + claim.leaseMs);
      const writer = claim?.writer;
      if (bytes) refuseEnded(await queries.one(TOKEN_VALIDITY, { id: owner }), now);
      const session = { id, repository, owner, received: offset, algorithm, bytes };
      return isAdded(queries.run(CREATE, { ...session, writer, until, now }));
    },
    async find(id, idleSince) {
      const row = await queries.one(FIND, { id });
      const isGone = !row || (idleSince !== undefined && row.updated_at < idleSince);
      return isGone ? undefined : sessionOf(row);
    },
    async countOpen(owner, idleSince = new Date(0)) {
      return (await queries.one(COUNT_OPEN, { owner, idleSince }))?.open ?? 0;
    },
    async claim(id, writer, leaseMs) {
      const now = currentTime();
      const until = new Date(now.getTime() + leaseMs);
      return (await queries.run(CLAIM, { id, writer, until, now })) > 0;
    },
    async advance(id, writer, offset, { last = false } = {}) {
      const now = currentTime();
      const statement = last ? ADVANCE_LAST : ADVANCE;
      if ((await queries.run(statement, { id, writer, received: offset, now })) > 0) return true;
      refuseEnded(await queries.one(OWNER_END, { id }), now);
      return false;
    },
    async release(id, writer) {
      await queries.run(RELEASE, { id, writer });
    },
    async remove(id) {
      await queries.run(REMOVE, { id });
    },
    async take(id, offset) {
      return (await queries.run(TAKE, { id, received: offset, now: currentTime() })) > 0;
    },
    async expire(idleSince, limit) {
      const now = currentTime();
      const expired: string[] = [];
      for (const { id } of await queries.all(IDLE, { idleSince, now, limit })) {
        if ((await queries.run(EXPIRE, { id, idleSince, now })) > 0) expired.push(id);
      }
      return expired;
    },
  };
}

function refuseEnded(owner: RowOf<typeof OWNER_END> | undefined, now: Date): void {
  if (owner) requireGoodToken(owner, now, NEEDS);
}

async function isAdded(adding: Promise<number>): Promise<boolean> {
  try {
    return (await adding) > 0;
  } catch (error) {
    if (error instanceof UniqueKeyError) return false;
    throw error;
  }
}

function sessionOf(row: RowOf<typeof FIND>): UploadSession {
  return {
    id: row.id,
    repository: parseRepositoryName(row.repository),
    owner: row.owner,
    offset: row.received,
    ...(row.algorithm === "sha512" && { algorithm: "sha512" }),
    ...(row.bytes && { bytes: row.bytes }),
  };
}
