import type { Caller, Protocol } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import { ID_TOKEN_DAYS_MAX } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { actorOf, isTrusted, pinnedClaims, trustsTwice } from "@sealhouse/npm-protocol";
import type {
  NewTrustedPublisher,
  TrustedPublisher,
  TrustedPublishers,
} from "@sealhouse/npm-protocol";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { revokeMadeWith, revokeOne, writeToken } from "../identity/tokens.ts";
import { storableText } from "../transactions/changes.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { claimsText, PUBLISHER_COLUMNS, publisherOf } from "./trusted-publisher-rows.ts";
import type { PublisherTokens, PublisherUse } from "./publisher-tokens.ts";

const ID = { id: param.text(36) };
const PACKAGE = { protocol: param.text(NAME_LENGTH.protocol), name: param.text(214) };
const OWNER = { owner: param.text(NAME_LENGTH.actor) };

const LIST = defineStatement(
  "trusted-publishers",
  { protocol: param.text(NAME_LENGTH.protocol), name: param.text(214) },
  (db, { protocol, name }) =>
    db
      .selectFrom("trusted_publishers")
      .select(PUBLISHER_COLUMNS)
      .where("protocol", "=", protocol)
      .where("package_name", "=", name)
      .orderBy("created_at")
      .orderBy("id"),
);
const INSERT = defineStatement(
  "trusted-publisher-insert",
  {
    ...ID,
    ...PACKAGE,
    provider: param.text(32),
    claims: param.longText,
    permissions: param.longText,
    createdAt: param.time,
    createdBy: param.text(NAME_LENGTH.actor),
  },
  (db, parameters) =>
    db.insertInto("trusted_publishers").values({
      id: parameters.id,
      protocol: parameters.protocol,
      package_name: parameters.name,
      provider: parameters.provider,
      claims: parameters.claims,
      permissions: parameters.permissions,
      created_at: parameters.createdAt,
      created_by: parameters.createdBy,
    }),
);
const DROP = defineStatement("trusted-publisher-drop", ID, (db, { id }) =>
  db.deleteFrom("trusted_publishers").where("id", "=", id),
);
const PIN = defineStatement(
  "trusted-publisher-pin",
  { ...ID, claims: param.longText },
  (db, { id, claims }) => db.updateTable("trusted_publishers").set({ claims }).where("id", "=", id),
);
const OF_PACKAGE = defineStatement(
  "trusted-publishers-of-package",
  PACKAGE,
  (db, { protocol, name }) =>
    db
      .selectFrom("trusted_publishers")
      .select(PUBLISHER_COLUMNS)
      .where("protocol", "=", protocol)
      .where("package_name", "=", name),
);
/** Locks the row until the commit. */
const HOLD = defineStatement(
  "trusted-publisher-hold",
  { ...ID, ...PACKAGE },
  (db, { id, protocol, name }, own) =>
    own.forUpdate(
      db
        .selectFrom("trusted_publishers")
        .select(PUBLISHER_COLUMNS)
        .where("id", "=", id)
        .where("protocol", "=", protocol)
        .where("package_name", "=", name),
    ),
);
const OPEN_TOKENS = defineStatement(
  "trusted-publisher-open-tokens",
  { ...OWNER, at: param.time },
  (db, { owner, at }) =>
    db
      .selectFrom("host_tokens")
      .select("id")
      .where("owner", "=", owner)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", at),
);
/** Locks the row, so that the former token makes no token until the commit. */
const FORMER_TOKEN = defineStatement("trusted-publisher-token", ID, (db, { id }, own) =>
  own.forUpdate(db.selectFrom("host_tokens").select(["id", "revoked_at"]).where("id", "=", id)),
);
const DROP_TOKEN = defineStatement("trusted-publisher-token-drop", ID, (db, { id }) =>
  db.deleteFrom("host_tokens").where("id", "=", id),
);
const DROP_OLD_TOKENS = defineStatement(
  "trusted-publisher-tokens-drop-old",
  { ...OWNER, before: param.time },
  (db, { owner, before }) =>
    db.deleteFrom("host_tokens").where("owner", "=", owner).where("created_at", "<", before),
);

type Package = { readonly protocol: string; readonly name: string };
type Adding = Package & {
  readonly newPublishers: readonly NewTrustedPublisher[];
  readonly by: Caller;
  readonly most: number;
};
type Revoking = Package & { readonly id: string; readonly by: Caller };
type Issuing = Package & PublisherUse & { readonly token: TokenRecord; readonly by: Caller };

/** Longer than the validity of any ID token, so that each one keeps its single token. */
const FORGOTTEN_MS = (ID_TOKEN_DAYS_MAX + 1) * 24 * 60 * 60_000;

export function createTrustedPublishers(
  queries: Queries,
  changes: Changes,
  protocol: Protocol,
): TrustedPublishers & PublisherTokens {
  return {
    async list(name) {
      return (await queries.all(LIST, { protocol, name })).map(publisherOf);
    },
    add: (name, newPublishers, by, most) =>
      add(changes, { protocol, name, newPublishers, by, most }),
    revoke: (name, id, by) => revoke(changes, { protocol, name, id, by }),
    issue: (use, token, by) => issue(changes, { protocol, ...use, token, by }),
  };
}

function add(changes: Changes, adding: Adding): ReturnType<TrustedPublishers["add"]> {
  const { protocol, name: packageName, newPublishers, by, most } = adding;
  return changes.transaction(async (unit) => {
    // Serializes additions to the same package, so that each publisher is added once.
    await changes.stale(unit, `trust/${protocol}/${packageName}`);
    const present = await heldBy(unit, adding);
    if (trustsTwice(present, newPublishers)) return { status: "present" };
    if (present.length + newPublishers.length > most) return { status: "crowded" };
    const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
    const made = { createdAt: changes.now(), createdBy };
    const publishers = newPublishers.map((publisher) => ({
      ...publisher,
      id: randomUUID(),
      ...made,
    }));
    for (const publisher of publishers) {
      const { id, provider, issuer, claims, permissions } = publisher;
      await unit.queries.run(INSERT, {
        id,
        protocol,
        name: packageName,
        provider,
        claims: claimsText(issuer, claims),
        permissions: JSON.stringify(permissions),
        ...made,
      });
      await noteChange(changes, unit, { ...adding, change: "added", publisher });
    }
    return { status: "added", publishers };
  });
}

function revoke(changes: Changes, revoking: Revoking): Promise<"revoked" | "absent"> {
  return changes.transaction(async (unit) => {
    const { id, by } = revoking;
    const publisher = await findHeld(unit, revoking);
    if (!publisher) return "absent";
    await unit.queries.run(DROP, { id });
    const time = changes.now();
    const owner = actorOf(publisher);
    for (const token of await unit.queries.all(OPEN_TOKENS, { owner, at: time })) {
      await revokeOne(changes, unit, { id: token.id, at: time, by });
    }
    await noteChange(changes, unit, { ...revoking, change: "revoked", publisher });
    return "revoked";
  });
}

function issue(changes: Changes, issuing: Issuing): ReturnType<PublisherTokens["issue"]> {
  const { publisherId, idToken, token, by } = issuing;
  return changes.transaction(async (unit) => {
    const publisher = await findHeld(unit, { ...issuing, id: publisherId });
    if (!publisher || !isTrusted(publisher, idToken)) return "distrusted";
    const former = await unit.queries.one(FORMER_TOKEN, { id: token.id });
    if (former?.revoked_at) return "revoked";
    await pin(unit, publisher, idToken);
    const before = new Date(changes.now().getTime() - FORGOTTEN_MS);
    const owner = actorOf(publisher);
    await unit.queries.run(DROP_OLD_TOKENS, { owner, before });
    // The same id: the former token and the new one are never good at the same time.
    if (former) {
      await revokeMadeWith(changes, unit, { id: token.id, at: changes.now(), by });
      await unit.queries.run(DROP_TOKEN, { id: token.id });
    }
    const trustedPublisher = { id: publisherId, ...saidOfRun(idToken.claims) };
    const more = { trustedPublisher, ...(former && { replaces: token.id }) };
    await writeToken(changes, unit, { token: { ...token, owner }, by, more });
    return "issued";
  });
}

async function pin(
  unit: Unit,
  { id, provider, issuer, claims }: TrustedPublisher,
  idToken: Issuing["idToken"],
): Promise<void> {
  const pinned = { ...pinnedClaims(provider, idToken.claims), ...claims };
  if (Object.keys(pinned).length === Object.keys(claims).length) return;
  await unit.queries.run(PIN, { id, claims: claimsText(issuer, pinned) });
}

async function heldBy(
  { queries }: Unit,
  { protocol, name }: Package,
): Promise<readonly TrustedPublisher[]> {
  return (await queries.all(OF_PACKAGE, { protocol, name })).map(publisherOf);
}

async function findHeld(
  { queries }: Unit,
  { protocol, name, id }: Package & { readonly id: string },
): Promise<TrustedPublisher | undefined> {
  const row = await queries.one(HOLD, { id, protocol, name });
  return row && publisherOf(row);
}

type PublisherChange = Package & {
  readonly change: "added" | "revoked";
  readonly publisher: TrustedPublisher;
  readonly by: Caller;
};

function noteChange(changes: Changes, unit: Unit, noted: PublisherChange): Promise<void> {
  const { protocol, name, change, publisher, by: caller } = noted;
  const { id, provider, issuer, claims, permissions } = publisher;
  const detail = { change, id, provider, issuer, claims, permissions };
  const subject = `${protocol}/${name}`;
  return changes.event(unit, { type: "package.trust-changed", subject, caller, detail });
}

/** Claims about the build run, for later investigation. */
function saidOfRun(claims: Readonly<Record<string, unknown>>) {
  const entries = RUN_CLAIMS.map((key) => [key, claims[key]] as const);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts.map(([key, text]) => [key, text.slice(0, 500)]));
}

const RUN_CLAIMS = [
  "iss",
  "sub",
  "repository",
  "repository_id",
  "workflow_ref",
  "project_path",
  "project_id",
  "ci_config_ref_uri",
  "pipeline_id",
  "job_id",
  "run_id",
  "run_attempt",
  "ref",
  "sha",
  "actor",
  "user_login",
  "environment",
];
