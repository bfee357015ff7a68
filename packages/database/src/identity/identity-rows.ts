import type { Kysely } from "#kysely";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Parameters } from "../statements/parameter.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Tables } from "../statements/tables.ts";

/** The key of an account at an identity provider. */
export const ACCOUNT = { issuer: param.text(160), subject: param.text(255) };

export const IDENTITY = defineStatement("external-identity", ACCOUNT, (db, parameters) =>
  db
    .selectFrom("host_external_identities")
    .select(["user_id", "claimed_until"])
    .where("issuer", "=", parameters.issuer)
    .where("subject", "=", parameters.subject),
);
export const GONE_IDENTITIES = defineStatement(
  "external-identities-gone",
  { userId: param.text(36) },
  (db, { userId }) =>
    db
      .selectFrom("host_external_identities")
      .select("subject")
      .where("user_id", "=", userId)
      .where("outcome", "=", "gone"),
);
/** A sign-in ends the claim of a check that began before. */
export const SET_IDENTITY = defineStatement(
  "external-identity-set",
  {
    ...ACCOUNT,
    userId: param.text(36),
    shown: param.longText,
    sealedGrant: param.optional(param.bytes),
    at: param.time,
  },
  (db, parameters) =>
    db
      .updateTable("host_external_identities")
      .set({
        user_id: parameters.userId,
        shown: parameters.shown,
        sealed_grant: parameters.sealedGrant,
        outcome: "member",
        checked_at: parameters.at,
        claimed_until: null,
      })
      .where("issuer", "=", parameters.issuer)
      .where("subject", "=", parameters.subject),
);
export const INSERT_IDENTITY = defineStatement(
  "external-identity-insert",
  {
    ...ACCOUNT,
    userId: param.text(36),
    shown: param.longText,
    sealedGrant: param.optional(param.bytes),
    at: param.time,
  },
  (db, { at, ...row }) =>
    db
      .insertInto("host_external_identities")
      .values({ ...inColumns(row), outcome: "member", checked_at: at }),
);
const DUE = { before: param.time, now: param.time };
const DUE_COLUMNS = [
  "i.issuer",
  "i.subject",
  "i.user_id",
  "i.sealed_grant",
  "u.role_source",
  "u.validated_at",
] as const;
const dueChecks = (db: Kysely<Tables>, { before, now }: Parameters<typeof DUE>) =>
  db
    .selectFrom("host_external_identities as i")
    .innerJoin("host_users as u", "u.id", "i.user_id")
    .select(DUE_COLUMNS)
    .where("u.state", "=", "active")
    .where("i.checked_at", "<", before)
    .where((row) => row.or([row("i.claimed_until", "is", null), row("i.claimed_until", "<=", now)]))
    .orderBy("i.checked_at");
export const DUE_CHECKS = defineStatement(
  "membership-checks-due",
  { ...DUE, most: param.whole },
  (db, { most, ...due }, own) => own.limit(dueChecks(db, due), most),
);
export const DUE_CHECKS_OF = defineStatement(
  "membership-checks-due-of",
  { ...DUE, most: param.whole, userIds: param.texts },
  (db, { most, userIds, ...due }, own) =>
    own.limit(dueChecks(db, due).where("i.user_id", "in", own.textsIn(userIds)), most),
);
/** Changes no row when another instance has claimed the check, or has finished it. */
export const CLAIM_CHECK = defineStatement(
  "membership-check-claim",
  { ...ACCOUNT, ...DUE, until: param.time },
  (db, { issuer, subject, before, now, until }) =>
    db
      .updateTable("host_external_identities")
      .set({ claimed_until: until })
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .where("checked_at", "<", before)
      .where((row) => row.or([row("claimed_until", "is", null), row("claimed_until", "<=", now)])),
);
export const SET_UNKNOWN = defineStatement("membership-unknown", ACCOUNT, (db, parameters) =>
  db
    .updateTable("host_external_identities")
    .set({ outcome: "unknown" })
    .where("issuer", "=", parameters.issuer)
    .where("subject", "=", parameters.subject),
);
/** Ends the claim, and keeps the grant when there is no new one. */
export const SET_MEMBER = defineStatement(
  "membership-member",
  { ...ACCOUNT, sealedGrant: param.optional(param.bytes), at: param.time },
  (db, { issuer, subject, sealedGrant, at }) =>
    db
      .updateTable("host_external_identities")
      .set((row) => ({
        outcome: "member",
        checked_at: at,
        claimed_until: null,
        sealed_grant: row.fn.coalesce(sealedGrant, "sealed_grant"),
      }))
      .where("issuer", "=", issuer)
      .where("subject", "=", subject),
);
/** Ends the claim, and drops the grant: the user signs in again. */
export const SET_GONE = defineStatement(
  "membership-gone",
  { ...ACCOUNT, at: param.time },
  (db, { issuer, subject, at }) =>
    db
      .updateTable("host_external_identities")
      .set({ outcome: "gone", checked_at: at, claimed_until: null, sealed_grant: null })
      .where("issuer", "=", issuer)
      .where("subject", "=", subject),
);
