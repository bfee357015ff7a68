import { callerOfAddress } from "@sealhouse/identity";
import type { LoginDecision, LoginSession, LoginSessions } from "@sealhouse/identity";
import { LoginSession as Row } from "../entities/identity.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";

export type LoginSessionChanges = Pick<LoginSessions, "insert" | "decide" | "take">;

export function createLoginSessionChanges(changes: Changes): LoginSessionChanges {
  return {
    insert: (session, most) => insert(changes, session, most),
    decide: (code, decision, at) => decide(changes, { code, decision, at }),
    take: (pollHash) =>
      changes.transaction(
        async ({ identity }) => (await identity.nativeDelete(Row, { pollHash })) > 0,
      ),
  };
}

function insert(
  { transaction }: Changes,
  session: LoginSession,
  most: Parameters<LoginSessions["insert"]>[1],
): Promise<"inserted" | "crowded"> {
  return transaction(async ({ identity }) => {
    const { address = null, createdAt } = session;
    await identity.nativeDelete(Row, { expiresAt: { $lte: createdAt } });
    const { pollHash, code, purpose, subject, expiresAt } = session;
    // Few enough to be told apart here: no database knows what a network is.
    const alike = await identity.find(Row, { purpose }, { fields: ["address"] });
    const from = callerOfAddress(address ?? "");
    const near = alike.filter((one) => callerOfAddress(one.address ?? "") === from);
    if (alike.length >= most.ofAll || near.length >= most.ofNetwork) return "crowded";
    await identity.insert(Row, {
      pollHash,
      code,
      purpose,
      ...(subject !== undefined && { subject: storableText(subject) }),
      address,
      createdAt,
      expiresAt,
    });
    return "inserted";
  });
}

type Deciding = {
  readonly code: string;
  readonly decision: LoginDecision;
  readonly at: Date;
};

function decide(
  changes: Changes,
  { code, decision, at }: Deciding,
): Promise<"decided" | "absent" | "ended"> {
  return changes.transaction(async ({ identity, ...unit }) => {
    const open = { code, granted: null, deniedAt: null, expiresAt: { $gt: at } };
    const agreed = decision.status === "agreed";
    const decided = agreed
      ? { granted: JSON.stringify(decision.grant), expiresAt: decision.until }
      : { deniedAt: at };
    if ((await identity.nativeUpdate(Row, open, decided)) === 0) {
      return (await identity.count(Row, { code })) > 0 ? "ended" : "absent";
    }
    const owner = agreed ? decision.grant.token?.owner : undefined;
    await changes.event(unit, {
      type: agreed ? "user.signed-in" : "user.refused",
      subject: `login/${code}`,
      caller: agreed ? decision.grant.by : decision.by,
      ...(owner !== undefined && { detail: { owner } }),
    });
    return "decided";
  });
}
