import type { LeakPlace, TokenLeaks } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { requireGoodCaller } from "./good-token.ts";
import { revokeMadeWith, revokeOne } from "./tokens.ts";

const ID = { id: param.text(36) };
const MARK = defineStatement("token-leaked", { ...ID, at: param.time }, (db, { id, at }) =>
  db
    .updateTable("host_tokens")
    .set({ leaked_at: at })
    .where("id", "=", id)
    .where("leaked_at", "is", null),
);
const KNOWN = defineStatement("token-known", ID, (db, { id }) =>
  db.selectFrom("host_tokens").select("id").where("id", "=", id),
);
const REPLACEMENTS = defineStatement("token-replacements", ID, (db, { id }) =>
  db.selectFrom("host_tokens").select(["id", "created_at"]).where("replaces", "=", id),
);
const OLDER_CHILDREN = defineStatement(
  "token-older-children",
  { ...ID, before: param.time },
  (db, { id, before }, own) =>
    own.forUpdate(
      db
        .selectFrom("host_tokens")
        .select("id")
        .where("parent_id", "=", id)
        .where("created_at", "<", before),
    ),
);

type Report = {
  readonly id: string;
  readonly leak: LeakPlace & { readonly at: Date };
  readonly by: Caller;
};

/** Tokens that scanners report. */
export function createTokenLeaks(changes: Changes): TokenLeaks {
  return { reportLeak: (id, leak, by) => report(changes, { id, leak, by }) };
}

function report(
  changes: Changes,
  { id, leak, by }: Report,
): Promise<"reported" | "unchanged" | "absent"> {
  const { at, ...place } = leak;
  return changes.transaction(async (unit) => {
    // A token may report itself, and may have ended already.
    if (by.tokenId !== id) await requireGoodCaller(unit.queries, by, changes.now());
    const isFirst = (await unit.queries.run(MARK, { id, at })) > 0;
    if (!isFirst && !(await unit.queries.one(KNOWN, { id }))) return "absent";
    if (isFirst) {
      const subject = `token/${id}`;
      await changes.event(unit, { type: "token.leaked", subject, caller: by, detail: place });
    }
    await revokeOne(changes, unit, { id, at, by });
    await revokeMadeWith(changes, unit, { id, at, by });
    await revokeMadeBefore(changes, unit, { id, at, by });
    return isFirst ? "reported" : "unchanged";
  });
}

type Revoking = { readonly id: string; readonly at: Date; readonly by: Caller };

/** A replacement is the parent of tokens that the reported token may have created for a thief. */
async function revokeMadeBefore(changes: Changes, unit: Unit, revoking: Revoking): Promise<void> {
  const waiting: { readonly id: string; readonly before?: Date }[] = [{ id: revoking.id }];
  for (let replaced = waiting.pop(); replaced; replaced = waiting.pop()) {
    for (const { id, created_at } of await unit.queries.all(REPLACEMENTS, { id: replaced.id })) {
      const before = replaced.before ?? created_at;
      for (const child of await unit.queries.all(OLDER_CHILDREN, { id, before })) {
        await revokeOne(changes, unit, { ...revoking, id: child.id });
        await revokeMadeWith(changes, unit, { ...revoking, id: child.id });
      }
      waiting.push({ id, before });
    }
  }
}
