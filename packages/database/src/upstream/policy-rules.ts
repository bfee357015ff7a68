import type { PolicyRule, PolicyRules } from "@sealhouse/upstream-sources";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { UnexpectedRowError } from "../errors.ts";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { RowOf } from "../statements/typed-statement.ts";

const ID = { id: param.text(36) };

const ALL = defineStatement("policy-rules", {}, (db) =>
  db
    .selectFrom("policy_rules")
    .select([
      "id",
      "effect",
      "protocol",
      "pattern",
      "versions",
      "conditions",
      "reason",
      "created_by",
      "created_at",
      "expires_at",
    ])
    .orderBy("created_at")
    .orderBy("id"),
);
const INSERT = defineStatement(
  "policy-rule-insert",
  {
    ...ID,
    effect: param.text(16),
    protocol: param.text(NAME_LENGTH.protocol),
    pattern: param.text(256),
    versions: param.longText,
    conditions: param.longText,
    reason: param.longText,
    createdBy: param.longText,
    createdAt: param.time,
    expiresAt: param.optional(param.time),
  },
  (db, { createdBy, createdAt, expiresAt, ...parameters }) =>
    db.insertInto("policy_rules").values({
      ...parameters,
      created_by: createdBy,
      created_at: createdAt,
      expires_at: expiresAt,
    }),
);
const REMOVE = defineStatement("policy-rule-remove", ID, (db, { id }) =>
  db.deleteFrom("policy_rules").where("id", "=", id),
);

/** Each change and its event are one transaction. */
export function createPolicyRules({
  queries,
  changes,
}: Pick<PortContext, "queries" | "changes">): PolicyRules {
  return {
    list: async () => (await queries.all(ALL, {})).map(ruleOf),
    add: (rule, caller) =>
      changes.transaction(async (unit) => {
        const { id, effect, protocol, pattern, versions, conditions, reason, expiresAt } = rule;
        await unit.queries.run(INSERT, {
          ...rule,
          conditions: JSON.stringify(conditions),
          expiresAt,
        });
        const until = expiresAt && { until: expiresAt.toISOString() };
        const detail = { effect, protocol, pattern, versions, conditions, reason, ...until };
        await changes.event(unit, { type: "policy.changed", subject: id, caller, detail });
      }),
    remove: (id, caller) =>
      changes.transaction(async (unit) => {
        if ((await unit.queries.run(REMOVE, { id })) === 0) return "absent";
        const detail = { removed: true };
        await changes.event(unit, { type: "policy.changed", subject: id, caller, detail });
        return "removed";
      }),
  };
}

function ruleOf(row: RowOf<typeof ALL>): PolicyRule {
  const { effect, protocol } = row;
  if (effect !== "deny" && effect !== "allow") {
    throw new UnexpectedRowError("the effect of a rule", effect);
  }
  if (protocol !== "nuget" && protocol !== "npm" && protocol !== "oci") {
    throw new UnexpectedRowError("the protocol of a rule", protocol);
  }
  return {
    id: row.id,
    effect,
    protocol,
    pattern: row.pattern,
    versions: row.versions,
    conditions: JSON.parse(row.conditions) as PolicyRule["conditions"],
    reason: row.reason,
    createdBy: row.created_by,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}
