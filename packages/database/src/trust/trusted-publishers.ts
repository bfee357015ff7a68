import { sql } from "#kysely";
import type { Caller, Protocol } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import { saltedDigest } from "@sealhouse/events";
import { pinEndOf, POLICY_LIFE_S, policyProblems, requiredClaims } from "@sealhouse/identity";
import type { PublishPolicy, Scope } from "@sealhouse/identity";
import { TRUST_PROVIDERS, trustsTwice } from "@sealhouse/npm-protocol";
import type {
  NewTrustedPublisher,
  TrustedPublisher,
  TrustedPublishers,
  TrustPermission,
} from "@sealhouse/npm-protocol";
import { HOLDER_KIND, isFullOwner, NAME_KINDS } from "../ownership/own-owner.ts";
import { ownerOfHolder } from "../ownership/owner-rows.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { dropPolicy, holdPolicy, policyText } from "./held-policy.ts";
import { insertPolicy, POLICY_COLUMNS, policyOf } from "./policy-rows.ts";

/** Policies of one name and nothing else, as the command `npm trust` manages them. */
const OF_NAME = defineStatement(
  "publish-policies-of-name",
  { protocols: param.longText, patterns: param.longText },
  (db, { protocols, patterns }) =>
    db
      .selectFrom("host_publish_policies as p")
      .select(POLICY_COLUMNS)
      .where("p.protocols", "=", protocols)
      .where("p.patterns", "=", patterns)
      .orderBy("p.created_at")
      .orderBy("p.id"),
);

type Package = { readonly protocol: Protocol; readonly name: string };
/** The owners that manage a name; `own` is 1 for those that the holder manages for. */
const MANAGERS = defineStatement(
  "name-managers",
  { ...NAME_KINDS, ...HOLDER_KIND },
  (db, { protocol, nameKey, holderId }, own) =>
    db
      .selectFrom("ownerships as o")
      .where("o.protocol", "=", protocol)
      .where("o.name_key", "=", nameKey)
      .where("o.level", "=", sql.lit("manage"))
      .select((row) => [
        "o.owner_id",
        row
          .case()
          .when(isFullOwner(own, row.ref("o.owner_id"), holderId))
          .then(sql.lit(1))
          .else(sql.lit(0))
          .end()
          .as("own"),
      ])
      .orderBy("o.owner_id"),
);

type Adding = Package & {
  readonly newPublishers: readonly NewTrustedPublisher[];
  readonly by: Caller;
  readonly most: number;
};
type Revoking = Package & { readonly id: string; readonly by: Caller };

const SCOPES: Readonly<Record<TrustPermission, Scope>> = {
  createPackage: "publish",
  createStagedPackage: "stage",
};

/** The policies of build jobs, as the command `npm trust` shows them. */
export function createTrustedPublishers(
  queries: Queries,
  changes: Changes,
  protocol: Protocol,
): TrustedPublishers {
  return {
    list: (name) => publishersOf(queries, { protocol, name }),
    add: (name, newPublishers, by, most) =>
      add(changes, { protocol, name, newPublishers, by, most }),
    revoke: (name, id, by) => revoke(changes, { protocol, name, id, by }),
  };
}

async function publishersOf(
  queries: Pick<Queries, "all">,
  named: Package,
): Promise<readonly TrustedPublisher[]> {
  return (await policiesOf(queries, named)).flatMap((policy) => publisherOf(policy) ?? []);
}

async function policiesOf(
  queries: Pick<Queries, "all">,
  { protocol, name }: Package,
): Promise<readonly PublishPolicy[]> {
  const rows = await queries.all(OF_NAME, {
    protocols: JSON.stringify([protocol]),
    patterns: JSON.stringify([name]),
  });
  return rows.map(policyOf);
}

function add(changes: Changes, adding: Adding): ReturnType<TrustedPublishers["add"]> {
  const { protocol, name, newPublishers, by, most } = adding;
  const reason = reasonAgainst(adding, changes.now());
  if (reason !== undefined) return Promise.resolve({ status: "refused", reason });
  return changes.transaction(async (unit) => {
    // Serializes additions to the same package, so that each publisher is added once.
    await changes.stale(unit, `trust/${protocol}/${name}`);
    const present = await publishersOf(unit.queries, adding);
    if (trustsTwice(present, newPublishers)) return { status: "present" };
    if (present.length + newPublishers.length > most) return { status: "crowded" };
    const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
    const createdAt = changes.now();
    const people = await peopleBehind(unit, adding);
    const publishers: TrustedPublisher[] = [];
    for (const wish of newPublishers) {
      const publisher = { ...wish, id: randomUUID(), createdAt, createdBy };
      await insertPolicy(unit, { ...policyFor(publisher, adding), ...people });
      await noteChange(changes, unit, { ...adding, change: "added", publisher });
      publishers.push(publisher);
    }
    return { status: "added", publishers };
  });
}

/** The rules of all policies: what is refused here could never fit an ID token. */
function reasonAgainst(adding: Adding, createdAt: Date): string | undefined {
  const problems = adding.newPublishers.flatMap((wish) =>
    policyProblems(policyFor({ ...wish, id: "", createdAt, createdBy: "" }, adding)),
  );
  return problems.length > 0 ? problems.join(" ") : undefined;
}

function revoke(changes: Changes, revoking: Revoking): Promise<"revoked" | "absent"> {
  return changes.transaction(async (unit) => {
    const { id, by, protocol, name } = revoking;
    const policy = await holdPolicy(unit, id);
    const publisher = policy && publisherOf(policy);
    if (!publisher || !isOnlyFor(policy, { protocol, name })) return "absent";
    await dropPolicy(changes, unit, { policy, by });
    await noteChange(changes, unit, { ...revoking, change: "revoked", publisher });
    return "revoked";
  });
}

function isOnlyFor({ protocols, patterns }: PublishPolicy, { protocol, name }: Package): boolean {
  const [only, ...more] = [...protocols, ...patterns];
  return only === protocol && more.length === 1 && more[0] === name;
}

/**
 * The owner that the pipeline publishes for, and the user that trusted it. Without them the rights
 * of the pipeline would outlive theirs. Pipelines of operators have neither.
 */
async function peopleBehind(
  unit: Unit,
  { protocol, name, by }: Adding,
): Promise<Pick<PublishPolicy, "ownerId" | "makerId">> {
  if (by.holderId === undefined) return {};
  const holder = await ownerOfHolder(unit, by.holderId);
  const managers = await unit.queries.all(MANAGERS, {
    protocol,
    nameKey: name,
    holderId: by.holderId,
  });
  const own = managers.find((manager) => manager.own === 1);
  // An administrator acts for the owners of the name.
  const ownerId = own?.owner_id ?? managers[0]?.owner_id ?? holder?.id;
  const isForOwnName = own !== undefined || managers.length === 0;
  return {
    ...(ownerId !== undefined && { ownerId }),
    ...(isForOwnName && holder?.kind === "user" && { makerId: holder.id }),
  };
}

function policyFor(publisher: TrustedPublisher, { protocol, name }: Package): PublishPolicy {
  const { id, provider, issuer, claims, permissions, createdAt, createdBy } = publisher;
  const pinEndsAt = pinEndOf({ provider, claims }, createdAt);
  return {
    id,
    provider,
    issuer,
    claims,
    protocols: [protocol],
    patterns: [name],
    scopes: permissions.map((permission) => SCOPES[permission]),
    lifeSeconds: POLICY_LIFE_S.otherwise,
    mayCreate: true,
    events: [],
    state: "active",
    createdAt,
    createdBy,
    ...(pinEndsAt && { pinEndsAt }),
  };
}

/** Undefined for a provider that the command does not know. */
function publisherOf(policy: PublishPolicy): TrustedPublisher | undefined {
  const provider = TRUST_PROVIDERS.find((known) => known === policy.provider);
  if (!provider) return undefined;
  const { id, issuer, scopes, createdAt, createdBy } = policy;
  const permissions: TrustPermission[] = [
    ...(scopes.some((scope) => scope === "publish" || scope === "write")
      ? (["createPackage"] as const)
      : []),
    ...(scopes.includes("stage") ? (["createStagedPackage"] as const) : []),
  ];
  const claims = requiredClaims(policy);
  return { id, provider, issuer, claims, permissions, createdAt, createdBy };
}

type PublisherChange = Package & {
  readonly change: "added" | "revoked";
  readonly publisher: TrustedPublisher;
  readonly by: Caller;
};

async function noteChange(changes: Changes, unit: Unit, noted: PublisherChange): Promise<void> {
  const { protocol, name, change, publisher, by: caller } = noted;
  const { id, provider, issuer, claims, permissions } = publisher;
  const present = await policiesOf(unit.queries, { protocol, name });
  const set = saltedDigest(present.map(policyText));
  const detail = { change, id, provider, issuer, claims, permissions, set };
  const subject = `${protocol}/${name}`;
  await changes.event(unit, { type: "package.trust-changed", subject, caller, detail });
}
