import type { Caller } from "@sealhouse/request-types";
import { CHILDREN_MAX } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { HostToken, RefreshToken } from "../entities/identity.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { optionalTextOf, optionalTimeOf, textOf } from "../raw/row.ts";
import { TOKEN_END, requireGoodToken } from "./good-token.ts";

/** Inserts the token with its event: one transaction over both contexts. */
export function insertToken(
  changes: Changes,
  token: TokenRecord,
  by: Caller,
): Promise<"inserted" | "orphan" | "crowded"> {
  return changes.transaction(async (unit) => {
    const { id, parentId, createdAt } = token;
    if ((await unit.identity.count(HostToken, { id })) > 0) {
      throw new Error(`A token with the id ${id} exists already.`);
    }
    if (parentId !== undefined) {
      // Who makes tokens with the same parent waits here.
      if (!(await holdUnrevoked(unit, parentId))) return "orphan";
      const valid = {
        revokedAt: null,
        $or: [{ expiresAt: null }, { expiresAt: { $gt: createdAt } }],
      };
      const children = await unit.identity.count(HostToken, { parentId, ...valid });
      if (children >= CHILDREN_MAX) return "crowded";
    }
    await writeToken(changes, unit, { token, by });
    return "inserted";
  });
}

/** The parent is locked before the token, as a revocation locks them. */
export function replaceToken(
  changes: Changes,
  { id, token, by }: { readonly id: string; readonly token: TokenRecord; readonly by: Caller },
): Promise<"replaced" | "absent"> {
  return changes.transaction(async (unit) => {
    const [known] = await unit.read({ sql: "select parent_id from host_tokens where id = ?" }, [
      id,
    ]);
    const parentId = known && optionalTextOf(known, "parent_id");
    if (parentId !== undefined && !(await holdUnrevoked(unit, parentId))) return "absent";
    if (!(await holdUnrevoked(unit, id))) return "absent";
    const { parentId: _, ...rest } = token;
    const replacement = { ...rest, ...(parentId !== undefined && { parentId }) };
    await writeToken(changes, unit, { token: replacement, by, more: { replaces: id } });
    await unit.identity.nativeUpdate(HostToken, { parentId: id }, { parentId: token.id });
    const detail = { replacement: token.id };
    const subject = `token/${id}`;
    await changes.event(unit, { type: "token.replaced", subject, caller: by, detail });
    return "replaced";
  });
}

/** `more` is what else its event tells. */
export async function writeToken(
  changes: Changes,
  unit: Unit,
  { token, by, more }: WrittenToken,
): Promise<void> {
  const { id, owner, parentId, scopes, protocols, patterns, networks, expiresAt } = token;
  await unit.identity.insert(HostToken, {
    ...token,
    name: storableText(token.name),
    ...(owner !== undefined && { owner: storableText(owner) }),
    scopes: JSON.stringify(scopes),
    protocols: JSON.stringify(protocols),
    patterns: JSON.stringify(patterns),
    networks: JSON.stringify(networks),
  });
  await changes.event(unit, {
    type: "token.created",
    subject: `token/${id}`,
    caller: by,
    detail: {
      name: token.name,
      ...(owner !== undefined && { owner }),
      ...(parentId !== undefined && { parentId }),
      scopes,
      protocols,
      patterns,
      networks,
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      ...more,
    },
  });
}

type WrittenToken = {
  readonly token: TokenRecord;
  readonly by: Caller;
  readonly more?: Readonly<Record<string, unknown>>;
};

/** Until the commit nobody revokes it. */
async function holdUnrevoked({ read, forUpdate }: Unit, id: string): Promise<boolean> {
  const sql = `select id from host_tokens where id = ? and revoked_at is null${forUpdate}`;
  return (await read({ sql }, [id])).length > 0;
}

type Revoking = {
  readonly id: string;
  readonly at: Date;
  readonly by: Caller;
};

export function revokeToken(
  changes: Changes,
  revoking: Revoking,
): Promise<"revoked" | "unchanged" | "absent"> {
  const { id, by } = revoking;
  return changes.transaction(async (unit) => {
    // A token ends itself, and may have ended already. To end another one it must be good.
    if (by.tokenId !== undefined && by.tokenId !== id) {
      requireGoodToken(await unit.read(TOKEN_END, [by.tokenId]), changes.now());
    }
    const revoked = await revokeOne(changes, unit, revoking);
    if (!revoked && (await unit.identity.count(HostToken, { id })) === 0) return "absent";
    await revokeMadeWith(changes, unit, revoking);
    return revoked ? "revoked" : "unchanged";
  });
}

/** True when it was not revoked before. */
export async function revokeOne(
  changes: Changes,
  unit: Unit,
  { id, at, by }: Pick<Revoking, "id" | "at" | "by">,
): Promise<boolean> {
  const open = { id, revokedAt: null };
  if ((await unit.identity.nativeUpdate(HostToken, open, { revokedAt: at })) === 0) return false;
  await unit.identity.nativeDelete(RefreshToken, { tokenId: id });
  await changes.event(unit, { type: "token.revoked", subject: `token/${id}`, caller: by });
  return true;
}

/** Generation after generation; what is revoked already may have been handed on before. */
async function revokeMadeWith(changes: Changes, unit: Unit, revoking: Revoking): Promise<void> {
  // The newest state of the rows: with one of them locked, nobody hands it on meanwhile.
  const sql = `select id, revoked_at from host_tokens where parent_id = ?${unit.forUpdate}`;
  const waiting = [revoking.id];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const row of await unit.read({ sql }, [parent])) {
      const id = textOf(row, "id");
      if (!optionalTimeOf(row, "revoked_at")) await revokeOne(changes, unit, { ...revoking, id });
      waiting.push(id);
    }
  }
}
