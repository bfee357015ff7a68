import type { Caller } from "@sealhouse/request-types";
import { randomUUID } from "node:crypto";
import { ID_TOKEN_DAYS_MAX } from "@sealhouse/identity";
import type { TokenRecord } from "@sealhouse/identity";
import { actorOf, isTrusted, pinnedClaims, trustsTwice } from "@sealhouse/npm-protocol";
import type {
  NewTrustedPublisher,
  TrustedPublisher,
  TrustedPublishers,
} from "@sealhouse/npm-protocol";
import { HostToken } from "../entities/identity.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { TrustedPublisher as Publisher } from "../entities/trusted-publisher.ts";
import { revokeOne, writeToken } from "../identity/token-changes.ts";
import { storableText } from "../orm/changes.ts";
import type { Changes } from "../orm/changes.ts";
import type { Unit } from "../orm/unit-of-work.ts";
import { claimsText, PUBLISHER_COLUMNS, publisherOf } from "./trusted-publisher-rows.ts";
import type { PublisherTokens, PublisherUse } from "./publisher-tokens.ts";

export type TrustChanges = {
  add(adding: Adding): ReturnType<TrustedPublishers["add"]>;
  revoke(revoking: Revoking): ReturnType<TrustedPublishers["revoke"]>;
  issue(issuing: Issuing): ReturnType<PublisherTokens["issue"]>;
};

type Package = { readonly protocol: string; readonly name: string };
type Adding = Package & {
  readonly wanted: readonly NewTrustedPublisher[];
  readonly by: Caller;
  readonly most: number;
};
type Revoking = Package & { readonly id: string; readonly by: Caller };
type Issuing = Package & PublisherUse & { readonly token: TokenRecord; readonly by: Caller };

/** Longer than any ID token is good for: until then it is known which token it gave. */
const FORGOTTEN_MS = (ID_TOKEN_DAYS_MAX + 1) * 24 * 60 * 60_000;

export function createTrustChanges(changes: Changes): TrustChanges {
  return {
    add: (adding) => add(changes, adding),
    revoke: (revoking) => revoke(changes, revoking),
    issue: (issuing) => issue(changes, issuing),
  };
}

function add(changes: Changes, adding: Adding): ReturnType<TrustedPublishers["add"]> {
  const { protocol, name: packageName, wanted, by, most } = adding;
  return changes.transaction(async (unit) => {
    // Who adds to the same package waits here, so that nobody is trusted twice.
    await changes.stale(unit, `trust/${protocol}/${packageName}`);
    const present = await heldBy(unit, adding);
    if (trustsTwice(present, wanted)) return { status: "present" };
    if (present.length + wanted.length > most) return { status: "crowded" };
    const createdBy = storableText(by.actor).slice(0, NAME_LENGTH.actor);
    const made = { createdAt: changes.now(), createdBy };
    const publishers = wanted.map((one) => ({ ...one, id: randomUUID(), ...made }));
    for (const publisher of publishers) {
      const { id, provider, issuer, claims, permissions } = publisher;
      await unit.catalog.insert(Publisher, {
        id,
        protocol,
        packageName,
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
    await unit.catalog.nativeDelete(Publisher, { id });
    const at = changes.now();
    const open = { owner: actorOf(publisher), revokedAt: null, expiresAt: { $gt: at } };
    for (const token of await unit.identity.find(HostToken, open, { fields: ["id"] })) {
      await revokeOne(changes, unit, { id: token.id, at, by });
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
    const former = await unit.identity.findOne(HostToken, token.id, { fields: ["revokedAt"] });
    if (former?.revokedAt) return "revoked";
    await pin(unit, publisher, idToken);
    const before = new Date(changes.now().getTime() - FORGOTTEN_MS);
    const owner = actorOf(publisher);
    await unit.identity.nativeDelete(HostToken, { owner, createdAt: { $lt: before } });
    // The same id: the former token and the new one are never good at the same time.
    if (former) await unit.identity.nativeDelete(HostToken, { id: token.id });
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
  await unit.catalog.nativeUpdate(Publisher, { id }, { claims: claimsText(issuer, pinned) });
}

async function heldBy(
  { read }: Unit,
  { protocol, name }: Package,
): Promise<readonly TrustedPublisher[]> {
  const sql = `select ${PUBLISHER_COLUMNS} from trusted_publishers
    where protocol = ? and package_name = ?`;
  return (await read({ sql }, [protocol, name])).map(publisherOf);
}

/** Until the commit nobody else changes it. */
async function findHeld(
  { read, forUpdate }: Unit,
  { protocol, name, id }: Package & { readonly id: string },
): Promise<TrustedPublisher | undefined> {
  const sql = `select ${PUBLISHER_COLUMNS} from trusted_publishers
    where id = ? and protocol = ? and package_name = ?${forUpdate}`;
  const [row] = await read({ sql }, [id, protocol, name]);
  return row && publisherOf(row);
}

type Noted = Package & {
  readonly change: "added" | "revoked";
  readonly publisher: TrustedPublisher;
  readonly by: Caller;
};

function noteChange(changes: Changes, unit: Unit, noted: Noted): Promise<void> {
  const { protocol, name, change, publisher, by: caller } = noted;
  const { id, provider, issuer, claims, permissions } = publisher;
  const detail = { change, id, provider, issuer, claims, permissions };
  const subject = `${protocol}/${name}`;
  return changes.event(unit, { type: "package.trust-changed", subject, caller, detail });
}

/** Which run of which build it was, for whoever has to find out later. */
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
