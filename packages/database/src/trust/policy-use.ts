import type { Caller } from "@sealhouse/request-types";
import {
  ID_TOKEN_DAYS_MAX,
  judgeToken,
  pinsOf,
  policyActor,
  policyEnd,
  runClaims,
} from "@sealhouse/identity";
import type { PolicyUse, PolicyUseOutcome, PublishPolicy, TokenRecord } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { revokeMadeWith, writeToken } from "../identity/tokens.ts";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { isAnyName, isName } from "./existing-names.ts";
import { holdPolicy, notePolicy } from "./held-policy.ts";

const ID = { id: param.text(36) };
const USED_ID = {
  fingerprint: param.text(64),
  surface: param.text(NAME_LENGTH.protocol),
  subject: param.text(255),
};

const USES = defineStatement(
  "used-id-tokens",
  { fingerprint: param.text(64) },
  (db, { fingerprint }) =>
    db
      .selectFrom("host_used_id_tokens")
      .select(["surface", "subject"])
      .where("fingerprint", "=", fingerprint),
);
const USE = defineStatement(
  "used-id-token-insert",
  { ...USED_ID, policyId: param.text(36), tokenId: param.text(36), endsAt: param.time },
  (db, parameters) => db.insertInto("host_used_id_tokens").values(inColumns(parameters)),
);
const DROP_USE = defineStatement(
  "used-id-token-drop",
  USED_ID,
  (db, { fingerprint, surface, subject }) =>
    db
      .deleteFrom("host_used_id_tokens")
      .where("fingerprint", "=", fingerprint)
      .where("surface", "=", surface)
      .where("subject", "=", subject),
);
const DROP_ENDED = defineStatement("used-id-tokens-drop-ended", { at: param.time }, (db, { at }) =>
  db.deleteFrom("host_used_id_tokens").where("ends_at", "<", at),
);
const STAMP = defineStatement(
  "publish-policy-stamp",
  { ...ID, at: param.time, state: param.text(16), pinned: param.longText },
  (db, { id, at, state, pinned }) =>
    db
      .updateTable("host_publish_policies")
      .set({ used_at: at, state, pinned })
      .where("id", "=", id),
);
const END = defineStatement("publish-policy-void", ID, (db, { id }) =>
  db.updateTable("host_publish_policies").set({ state: "void" }).where("id", "=", id),
);
/** Locks the row, so that the former token makes no token until the commit. */
const FORMER_TOKEN = defineStatement("publish-policy-token", ID, (db, { id }, own) =>
  own.forUpdate(
    db
      .selectFrom("host_tokens")
      .select(["id", "policy_id", "expires_at", "revoked_at"])
      .where("id", "=", id),
  ),
);
const DROP_TOKEN = defineStatement("publish-policy-token-drop", ID, (db, { id }) =>
  db.deleteFrom("host_tokens").where("id", "=", id),
);
const DROP_REFRESH_TOKENS = defineStatement("publish-policy-refresh-drop", ID, (db, { id }) =>
  db.deleteFrom("host_refresh_tokens").where("token_id", "=", id),
);
const DROP_OLD_TOKENS = defineStatement(
  "publish-policy-tokens-drop-old",
  { owner: param.text(NAME_LENGTH.actor), before: param.time },
  (db, { owner, before }) =>
    db.deleteFrom("host_tokens").where("owner", "=", owner).where("created_at", "<", before),
);

type Using = {
  readonly use: PolicyUse;
  readonly token: TokenRecord;
  readonly by: Caller;
};

/** Longer than the validity of any ID token, so that each one keeps its single token. */
const FORGOTTEN_MS = (ID_TOKEN_DAYS_MAX + 1) * 24 * 60 * 60_000;

/** Stores the token of an ID token, so that instances never give two. */
export function usePolicy(changes: Changes, using: Using): Promise<PolicyUseOutcome> {
  const { use, token } = using;
  return changes.transaction(async (unit) => {
    // All uses of the same ID token wait for each other, whatever their policy. Few groups, because
    // groups stay.
    await changes.stale(unit, `id-token/${use.idToken.fingerprint.slice(0, 2)}`);
    const policy = await holdPolicy(unit, use.policyId);
    const isGood = policy && judgeToken(policy, use.idToken).fits;
    if (!isGood || policyEnd(policy, changes.now())) return "distrusted";
    const { fingerprint } = use.idToken;
    const uses = await unit.queries.all(USES, { fingerprint });
    if (uses.some(({ surface }) => surface !== use.surface)) return "elsewhere";
    const former = await unit.queries.one(FORMER_TOKEN, { id: token.id });
    if (former?.revoked_at) return "revoked";
    const isValid = former?.expires_at && former.expires_at > changes.now();
    if (use.keepsValid && isValid && former.policy_id === policy.id) return "same";
    const obstacle = await obstacleTo(changes, unit, policy, using);
    if (obstacle) return obstacle;
    await replaceToken(changes, unit, { ...using, policy, isReplaced: former !== undefined });
    return former ? "replaced" : "issued";
  });
}

async function obstacleTo(
  changes: Changes,
  unit: Unit,
  policy: PublishPolicy,
  { use: { surface, subject }, by }: Using,
): Promise<"taken" | "absent-name" | undefined> {
  if (policy.state === "pending" && (await isAnyName(unit, policy))) {
    await unit.queries.run(END, { id: policy.id });
    await notePolicy(changes, unit, { change: "void", policy: { ...policy, state: "void" }, by });
    return "taken";
  }
  if (policy.mayCreate || subject === "") return undefined;
  return (await isName(unit, surface, subject)) ? undefined : "absent-name";
}

async function replaceToken(
  changes: Changes,
  unit: Unit,
  using: Using & { readonly policy: PublishPolicy; readonly isReplaced: boolean },
): Promise<void> {
  const { use, token, by, policy, isReplaced } = using;
  const { queries } = unit;
  const { fingerprint, endsAt } = use.idToken;
  const [now, owner, { id }] = [changes.now(), policyActor(policy), token];
  const key = { fingerprint, surface: use.surface, subject: use.subject };
  const pinned = JSON.stringify(policy.pinned ?? pinsOf(policy, use.idToken));
  await queries.run(STAMP, { id: policy.id, at: now, state: "active", pinned });
  await queries.run(DROP_OLD_TOKENS, { owner, before: new Date(now.getTime() - FORGOTTEN_MS) });
  await queries.run(DROP_ENDED, { at: now });
  await queries.run(DROP_USE, key);
  await queries.run(USE, { ...key, policyId: policy.id, tokenId: id, endsAt });
  // The same id: the former token and the new one are never good at the same time.
  if (isReplaced) {
    await revokeMadeWith(changes, unit, { id, at: now, by });
    await queries.run(DROP_REFRESH_TOKENS, { id });
    await queries.run(DROP_TOKEN, { id });
  }
  const trustedPublisher = { id: policy.id, ...runClaims(use.idToken.claims) };
  const more = { trustedPublisher, ...(isReplaced && { replaces: id }) };
  await writeToken(changes, unit, { token: { ...token, owner, policyId: policy.id }, by, more });
}
