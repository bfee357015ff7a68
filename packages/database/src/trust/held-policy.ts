import type { Caller } from "@sealhouse/request-types";
import { saltedDigest } from "@sealhouse/events";
import { policyActor } from "@sealhouse/identity";
import type { PublishPolicy } from "@sealhouse/identity";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { revokeMadeWith, revokeOne } from "../identity/tokens.ts";
import { handleOf } from "../ownership/owner-rows.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { POLICY_COLUMNS, policyOf } from "./policy-rows.ts";

const ID = { id: param.text(36) };

/** Locks the row until the commit. */
const HOLD = defineStatement("publish-policy-hold", ID, (db, { id }, own) =>
  own.forUpdate(
    db.selectFrom("host_publish_policies as p").select(POLICY_COLUMNS).where("p.id", "=", id),
  ),
);
const DROP = defineStatement("publish-policy-drop", ID, (db, { id }) =>
  db.deleteFrom("host_publish_policies").where("id", "=", id),
);
const OPEN_TOKENS = defineStatement(
  "publish-policy-open-tokens",
  { owner: param.text(NAME_LENGTH.actor), at: param.time },
  (db, { owner, at }) =>
    db
      .selectFrom("host_tokens")
      .select("id")
      .where("owner", "=", owner)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", at),
);

/** Locks the policy until the commit. The policy lacks its owner and the state of its maker. */
export async function holdPolicy(
  { queries }: Unit,
  id: string,
): Promise<PublishPolicy | undefined> {
  const row = await queries.one(HOLD, { id });
  return row && policyOf(row);
}

/** Deletes a locked policy and revokes its tokens. */
export async function dropPolicy(
  changes: Changes,
  unit: Unit,
  { policy, by }: { readonly policy: PublishPolicy; readonly by: Caller },
): Promise<void> {
  await unit.queries.run(DROP, { id: policy.id });
  const at = changes.now();
  for (const { id } of await unit.queries.all(OPEN_TOKENS, { owner: policyActor(policy), at })) {
    await revokeOne(changes, unit, { id, at, by });
    await revokeMadeWith(changes, unit, { id, at, by });
  }
}

/** Who may publish what, as JSON with sorted claims: a member of the digests of events. */
export function policyText({ issuer, claims, protocols, patterns, scopes }: PublishPolicy): string {
  const sorted = Object.entries(claims).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ issuer, claims: sorted, protocols, patterns, scopes });
}

type PolicyNote = {
  readonly change: "added" | "removed" | "void";
  readonly policy: PublishPolicy;
  readonly by: Caller;
};

/** Writes the event of a changed policy. */
export async function notePolicy(changes: Changes, unit: Unit, note: PolicyNote): Promise<void> {
  const { change, policy, by: caller } = note;
  const { id, provider, issuer, claims, protocols, patterns, scopes, state } = policy;
  const told = { change, provider, issuer, claims, protocols, patterns, scopes, state };
  const { ownerId } = policy;
  const owner = ownerId === undefined ? undefined : await handleOf(unit, ownerId);
  const set = saltedDigest(change === "removed" ? [] : [policyText(policy)]);
  const detail = { ...told, ...(owner !== undefined && { owner }), set };
  await changes.event(unit, {
    type: "pipeline.changed",
    subject: `pipeline/${id}`,
    caller,
    detail,
  });
}
