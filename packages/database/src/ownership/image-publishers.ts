import type { RegistryEvent } from "@sealhouse/events";
import type { Owner } from "@sealhouse/identity";
import { createAuditLog } from "../events/audit-log.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { findOwner, ownerOfHolder } from "./owner-rows.ts";

const EVENTS_AT_ONCE = 1_000;

const HOLDER = defineStatement("token-holder", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("host_tokens")
    .where("id", "=", id)
    .select(["user_id", "service_account_id", "policy_id"]),
);

/** Reads from the audit log who published each repository, earliest publisher first. */
export async function imagePublishers(
  queries: Queries,
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  const publishers = new Map<string, Owner[]>();
  const owners = new Map<string, Owner | undefined>();
  for await (const event of publishedImages(queries)) {
    const { actor, tokenId } = event.caller;
    const key = JSON.stringify([actor, tokenId]);
    if (!owners.has(key)) owners.set(key, await publisherOf(queries, event.caller));
    const owner = owners.get(key);
    const [, repository] = /^oci\/([^:@]+)[:@]/.exec(event.subject) ?? [];
    if (!owner || repository === undefined) continue;
    const present = publishers.get(repository) ?? [];
    if (!present.some(({ id }) => id === owner.id)) {
      publishers.set(repository, [...present, owner]);
    }
  }
  return publishers;
}

/** The holder of the token decides; of a token without a holder, its name. */
async function publisherOf(
  queries: Queries,
  { actor, tokenId }: RegistryEvent["caller"],
): Promise<Owner | undefined> {
  const token = tokenId === undefined ? undefined : await queries.one(HOLDER, { id: tokenId });
  const holderId = token?.user_id ?? token?.service_account_id ?? token?.policy_id;
  if (typeof holderId === "string") return ownerOfHolder({ queries }, holderId);
  return findOwner({ queries }, actor);
}

/** Mirrored images have no publisher. */
async function* publishedImages(queries: Queries): AsyncGenerator<RegistryEvent> {
  const log = createAuditLog(queries);
  const query = { types: ["package.published"], subject: "oci/*", order: "oldest-first" } as const;
  for (let after: string | undefined; ;) {
    const page = { ...query, limit: EVENTS_AT_ONCE, ...(after !== undefined && { after }) };
    const events = await log.read(page);
    yield* events.filter(({ detail }) => detail?.["origin"] === undefined);
    after = events.at(-1)?.id;
    if (after === undefined) return;
  }
}
