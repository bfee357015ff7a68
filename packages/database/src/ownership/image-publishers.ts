import { auditRecords } from "@sealhouse/events";
import type { RegistryEvent } from "@sealhouse/events";
import type { Owner } from "@sealhouse/identity";
import { createAuditLog } from "../events/audit-log.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { findOwner, ownerOfHolder } from "./owner-rows.ts";

const HOLDER = defineStatement("token-holder", { id: param.text(36) }, (db, { id }) =>
  db
    .selectFrom("host_tokens")
    .where("id", "=", id)
    .select(["user_id", "service_account_id", "policy_id"]),
);

/** Instances of one registry have different clocks. */
const CLOCK_SKEW_MS = 10_000;

const CREATED = defineStatement("oci-repositories-created", {}, (db) =>
  db.selectFrom("oci_repositories").select(["name", "created_at"]),
);

/**
 * Reads from the audit log who published each repository, earliest publisher first. Events from
 * before a repository was created are about a former one of the same name.
 */
export async function imagePublishers(
  queries: Queries,
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  const created = new Map(
    (await queries.all(CREATED, {})).map((row) => [row.name, row.created_at.getTime()]),
  );
  const publishers = new Map<string, Owner[]>();
  const owners = new Map<string, Owner | undefined>();
  for await (const event of publishedImages(queries)) {
    const [, repository] = /^oci\/([^:@]+)[:@]/.exec(event.subject) ?? [];
    const createdAt = repository === undefined ? undefined : created.get(repository);
    if (repository === undefined || createdAt === undefined) continue;
    if (event.at.getTime() < createdAt - CLOCK_SKEW_MS) continue;
    const { actor, tokenId } = event.caller;
    const key = JSON.stringify([actor, tokenId]);
    if (!owners.has(key)) owners.set(key, await publisherOf(queries, event.caller));
    const owner = owners.get(key);
    if (!owner) continue;
    const present = publishers.get(repository) ?? [];
    if (!present.some(({ id }) => id === owner.id)) {
      publishers.set(repository, [...present, owner]);
    }
  }
  return publishers;
}

/**
 * The holder of the token decides. The name of a token without a holder is free text of the
 * operators, and no handle.
 */
async function publisherOf(
  queries: Queries,
  { actor, tokenId }: RegistryEvent["caller"],
): Promise<Owner | undefined> {
  if (tokenId === undefined) return findOwner({ queries }, actor);
  const token = await queries.one(HOLDER, { id: tokenId });
  const holderId = token?.user_id ?? token?.service_account_id ?? token?.policy_id;
  return typeof holderId === "string" ? ownerOfHolder({ queries }, holderId) : undefined;
}

/** Mirrored images have no publisher. */
async function* publishedImages(queries: Queries): AsyncGenerator<RegistryEvent> {
  const log = createAuditLog(queries);
  const query = { types: ["package.published"], subject: "oci/*", order: "oldest-first" } as const;
  for await (const event of auditRecords(log, query)) {
    if (event.detail?.["origin"] === undefined) yield event;
  }
}
