import { sql } from "#kysely";
import type { Expression, Kysely } from "#kysely";
import { PUBLISHED_STATES } from "@sealhouse/promotion";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";

const ID = { id: param.text(36) };
/** After the release of this time and id, the newest first. */
const PAGE = { ...ID, before: param.time, limit: param.whole };

const COLUMNS = [
  "id",
  "number",
  "group_name",
  "kind",
  "state",
  "targets",
  "actor",
  "token_id",
  "created_at",
  "frozen_at",
  "pivot_at",
  "attempts_since",
  "ended_at",
  "next_at",
  "reason",
] as const;

export const FIND = defineStatement("release-find", ID, (db, { id }) =>
  db.selectFrom("releases").where("id", "=", id).select(COLUMNS),
);
export const FIND_BY_REQUEST = defineStatement(
  "release-find-by-request",
  { requestKey: param.text(128) },
  (db, { requestKey }) =>
    db.selectFrom("releases").where("request_key", "=", requestKey).select(COLUMNS),
);
export const ACTIVE = defineStatement(
  "release-active",
  { activeKey: param.text(128) },
  (db, { activeKey }) => db.selectFrom("releases").where("active_key", "=", activeKey).select("id"),
);
export const NEWEST_NUMBER = defineStatement(
  "release-newest-number",
  { groupKey: param.text(64) },
  (db, { groupKey }) =>
    db
      .selectFrom("releases")
      .where("group_key", "=", groupKey)
      .select((release) => release.fn.max("number").as("number")),
);
export const INSERT = defineStatement(
  "release-insert",
  {
    ...ID,
    number: param.whole,
    groupKey: param.text(64),
    groupName: param.text(64),
    kind: param.text(16),
    state: param.text(16),
    requestKey: param.text(128),
    activeKey: param.text(128),
    lane: param.text(64),
    targets: param.longText,
    actor: param.longText,
    tokenId: param.optional(param.text(NAME_LENGTH.tokenId)),
    createdAt: param.time,
  },
  (db, { groupKey, groupName, requestKey, activeKey, tokenId, createdAt, ...rest }) =>
    db.insertInto("releases").values({
      ...rest,
      group_key: groupKey,
      group_name: groupName,
      request_key: requestKey,
      active_key: activeKey,
      token_id: tokenId,
      created_at: createdAt,
      attempts_since: createdAt,
    }),
);
const newestBefore = (db: Kysely<Tables>, before: Expression<Date>, id: Expression<string>) =>
  db
    .selectFrom("releases")
    .where((release) =>
      release.or([
        release("created_at", "<", before),
        release.and([release("created_at", "=", before), release("id", "<", id)]),
      ]),
    )
    .select(COLUMNS)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
export const LIST = defineStatement("release-list", PAGE, (db, { before, id, limit }, own) =>
  own.limit(newestBefore(db, before, id), limit),
);
export const LIST_OF_GROUP = defineStatement(
  "release-list-of-group",
  { ...PAGE, groupKey: param.text(64) },
  (db, { groupKey, before, id, limit }, own) =>
    own.limit(newestBefore(db, before, id).where("group_key", "=", groupKey), limit),
);
/** The targets of running releases, as JSON. */
export const RUNNING_TARGETS = defineStatement("releases-running-targets", {}, (db) =>
  db.selectFrom("releases").where("ended_at", "is", null).select("targets"),
);
/** The first running release of each lane, when it is due. */
export const DUE = defineStatement(
  "release-due",
  { now: param.time, limit: param.whole },
  (db, { now, limit }, own) =>
    own.limit(
      db
        .selectFrom("releases as due")
        .where("due.ended_at", "is", null)
        .where((release) =>
          release.or([release("due.next_at", "is", null), release("due.next_at", "<=", now)]),
        )
        .where((release) =>
          release.not(
            release.exists(
              release
                .selectFrom("releases as earlier")
                .whereRef("earlier.lane", "=", "due.lane")
                .where("earlier.ended_at", "is", null)
                .where((other) =>
                  other.or([
                    other("earlier.created_at", "<", other.ref("due.created_at")),
                    // Uploads of one moment are in the order of their numbers.
                    other.and([
                      other("earlier.created_at", "=", other.ref("due.created_at")),
                      other("earlier.number", "<", other.ref("due.number")),
                    ]),
                  ]),
                )
                .select("earlier.id"),
            ),
          ),
        )
        .select("due.id as id")
        .orderBy("due.created_at")
        .orderBy("due.id"),
      limit,
    ),
);
/** Makes other changes of the release wait for the end of the transaction. */
export const LOCK = defineStatement("release-lock", ID, (db, { id }) =>
  db
    .updateTable("releases")
    .set((release) => ({ state: release.ref("state") }))
    .where("id", "=", id),
);
export const MOVE = defineStatement(
  "release-move",
  {
    ...ID,
    state: param.text(16),
    activeKey: param.text(128),
    frozenAt: param.optional(param.time),
    pivotAt: param.optional(param.time),
    attemptsSince: param.time,
    endedAt: param.optional(param.time),
    nextAt: param.optional(param.time),
    reason: param.optional(param.longText),
  },
  (db, { id, ...row }) => db.updateTable("releases").set(inColumns(row)).where("id", "=", id),
);
export const SET_STATEMENT = defineStatement(
  "release-statement",
  { ...ID, statement: param.longText, digest: param.text(64) },
  (db, { id, statement, digest }) =>
    db.updateTable("releases").set({ statement, statement_digest: digest }).where("id", "=", id),
);
export const FIND_STATEMENT = defineStatement("release-find-statement", ID, (db, { id }) =>
  db.selectFrom("releases").where("id", "=", id).select("statement"),
);
export const SET_OUTCOME = defineStatement(
  "release-outcome",
  { ...ID, outcome: param.longText },
  (db, { id, outcome }) => db.updateTable("releases").set({ outcome }).where("id", "=", id),
);
export const FIND_OUTCOME = defineStatement("release-find-outcome", ID, (db, { id }) =>
  db.selectFrom("releases").where("id", "=", id).select("outcome"),
);
export const NEWEST_STATEMENT = defineStatement(
  "release-newest-statement",
  { groupKey: param.text(64) },
  (db, { groupKey }) =>
    db
      .selectFrom("releases")
      .where("group_key", "=", groupKey)
      .where("statement_digest", "is not", null)
      .select("statement_digest")
      .orderBy("number", "desc")
      .limit(sql.lit(1)),
);

export const ITEMS = defineStatement("release-items", ID, (db, { id }) =>
  db
    .selectFrom("release_items")
    .where("release_id", "=", id)
    .select([
      "id",
      "target",
      "member",
      "state",
      "found_before",
      "was_there",
      "attempts",
      "next_at",
      "pending_since",
      "stage_id",
      "note",
      "served",
    ])
    .orderBy("position"),
);
export const ITEM = {
  id: param.text(64),
  state: param.text(24),
  foundBefore: param.optional(param.longText),
  wasThere: param.flag,
  attempts: param.whole,
  nextAt: param.optional(param.time),
  pendingSince: param.optional(param.time),
  stageId: param.optional(param.text(255)),
  note: param.optional(param.longText),
  served: param.optional(param.longText),
};
export const NEW_ITEM = {
  ...ITEM,
  releaseId: param.text(36),
  position: param.whole,
  target: param.text(64),
  member: param.longText,
};
export const INSERT_ITEM = defineStatement("release-item-insert", NEW_ITEM, (db, parameters) =>
  db.insertInto("release_items").values(inColumns(parameters)),
);
export const SAVE_ITEM = defineStatement("release-item-save", ITEM, (db, { id, ...row }) =>
  db.updateTable("release_items").set(inColumns(row)).where("id", "=", id),
);
export const DROP_ITEMS = defineStatement("release-items-drop", ID, (db, { id }) =>
  db.deleteFrom("release_items").where("release_id", "=", id),
);

const PUBLISHED = PUBLISHED_STATES.map((state) => sql.lit(state));
export const TARGETS_OF = defineStatement(
  "release-targets-of",
  { protocol: param.longText, name: param.longText },
  (db, { protocol, name }) =>
    db
      .selectFrom("release_items")
      .where("state", "in", PUBLISHED)
      .where(sql<boolean>`member like ${protocol} escape '!'`)
      .where(sql<boolean>`lower(member) like ${name} escape '!'`)
      .select("target")
      .distinct()
      .orderBy("target"),
);
