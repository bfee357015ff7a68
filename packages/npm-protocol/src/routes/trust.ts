import { NpmError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import { parseNewPackageName } from "../package-name.ts";
import type {
  NewTrustedPublisher,
  TrustedPublisher,
  TrustPermission,
  TrustProvider,
} from "../trust/ports.ts";
import { TRUST_PERMISSIONS, TRUST_PROVIDERS } from "../trust/ports.ts";
import { describeJob, parseTrustClaims } from "../trust/trust-claims.ts";
import type { Call } from "./call.ts";
import {
  authorizeCall,
  authorizeNamed,
  isRead,
  json,
  methodUnknown,
  notFound,
  tooManyFailures,
} from "./call.ts";
import { readJson } from "./json-body.ts";
import { requireStepUp } from "./step-up.ts";

const BODY_BYTES_MAX = 64 * 1024;
/** Maximum number of publishers per package. */
const PUBLISHERS_MAX = 20;

/** `/-/package/{package}/trust` and `/-/package/{package}/trust/{id}`: what `npm trust` asks. */
export async function answerTrust(
  call: Call,
  name: PackageName,
  id: string | undefined,
): Promise<Response> {
  const { method } = call.c.req;
  if (id !== undefined) {
    if (method !== "DELETE") throw methodUnknown(call.c, "DELETE");
    return revokeTrust(call, name, id);
  }
  if (method === "POST") return addTrust(call, name);
  if (!isRead(method)) throw methodUnknown(call.c, "GET, POST");
  await authorizeNamed(call, { action: "write", name });
  const publishers = await call.ports.trust.publishers.list(name);
  return json(call, publishers.map(documentOf));
}

async function addTrust(call: Call, name: PackageName): Promise<Response> {
  // The name may not exist yet; then its reservation decides who prepares it.
  await authorizeCall(call, { action: "publish", name });
  const caller = await authorizeCall(call, { action: "manage", name });
  requirePublishable(name);
  const { issuers, publishers } = call.ports.trust;
  const wishes = wishesIn(await readJson(call, BODY_BYTES_MAX), issuers);
  await requireStepUp(call, caller, "trust-change");
  const outcome = await publishers.add(name, wishes, caller, PUBLISHERS_MAX);
  switch (outcome.status) {
    case "present": {
      const text = `${name} trusts this already: revoke it first to change what it may do.`;
      throw new NpmError("revision-conflict", text);
    }
    case "crowded": {
      const text = `A package trusts at most ${PUBLISHERS_MAX} publishers; revoke one first.`;
      throw new NpmError("forbidden", text);
    }
    case "refused":
      throw invalid(`The publisher cannot be trusted. ${outcome.reason}`);
    case "added":
      return json(call, outcome.publishers.map(documentOf));
  }
}

async function revokeTrust(call: Call, name: PackageName, id: string): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "manage", name });
  await requireStepUp(call, caller, "trust-change");
  const outcome = await call.ports.trust.publishers.revoke(name, id, caller);
  if (outcome === "absent") throw notFound(`${name} has no trusted publisher of this id.`);
  return call.c.body(null, 204, { "cache-control": "no-store" });
}

/** `POST /-/npm/v1/oidc/token/exchange/package/{package}` with an ID token as bearer token. */
export async function exchangeIdToken(call: Call, name: PackageName): Promise<Response> {
  if (call.c.req.method !== "POST") throw methodUnknown(call.c, "POST");
  const { trust } = call.ports;
  if (Object.keys(trust.issuers).length === 0) {
    throw notFound("Publishing without a secret is switched off in this registry.");
  }
  requirePublishable(name);
  const outcome = await trust.exchange({ request: call.c.req.raw, env: call.c.env, name });
  switch (outcome.status) {
    case "refused":
      throw new NpmError("login-required", outcome.reason);
    case "limited":
      throw tooManyFailures(outcome);
    case "distrusted":
      throw distrusted(name, outcome);
    case "revoked": {
      const text = `The token that this ID token gave for ${name} was revoked.`;
      throw new NpmError("login-required", text);
    }
    case "issued": {
      const { token, createdAt: created, expiresAt: expires } = outcome;
      return json(call, { token_type: "oidc", token, created, expires }, 201);
    }
  }
}

/** The same text for an absent package: the answer must not reveal who may publish it. */
function distrusted(
  name: string,
  {
    claims,
    reason,
  }: { readonly claims: Readonly<Record<string, unknown>>; readonly reason?: string },
): NpmError {
  const more = reason === undefined ? "" : ` ${reason}`;
  return notFound(
    `No trusted publisher of ${name} fits ${describeJob(claims)}. npm trust list shows what is ` +
      `trusted; an environment is part of it.${more}`,
  );
}

/** A token is made for one name, which must not read as a pattern. */
function requirePublishable(name: PackageName): void {
  if (parseNewPackageName(name)) return;
  const text = `${name} has a name of the old kind, which cannot be published without a secret.`;
  throw new NpmError("name-invalid", text);
}

function wishesIn(
  bytes: Buffer,
  issuers: Readonly<Partial<Record<TrustProvider, string>>>,
): readonly NewTrustedPublisher[] {
  const list = listIn(bytes);
  if (list.length === 0 || list.length > PUBLISHERS_MAX) {
    throw invalid(`The body must be a list of 1 to ${PUBLISHERS_MAX} publishers.`);
  }
  return list.map((wish) => wishIn(wish, issuers));
}

function wishIn(
  value: unknown,
  issuers: Readonly<Partial<Record<TrustProvider, string>>>,
): NewTrustedPublisher {
  const { type, claims, permissions = ["createPackage"] } = isObject(value) ? value : {};
  const provider = TRUST_PROVIDERS.find((candidate) => candidate === type);
  const issuer = provider && issuers[provider];
  if (!provider || issuer === undefined) {
    const knownProviders = TRUST_PROVIDERS.filter(
      (candidate) => issuers[candidate] !== undefined,
    ).join(", ");
    const shown = JSON.stringify(type ?? "").slice(0, 80);
    throw invalid(
      `This registry cannot trust publishers of ${shown}, but of ${knownProviders || "none"}; ` +
        "its operator decides that with Feed__Npm__TrustedPublishing.",
    );
  }
  const parsed = parseTrustClaims(provider, claims);
  if (typeof parsed === "string") throw invalid(`The publisher cannot be trusted: ${parsed}.`);
  return { provider, issuer, claims: parsed, permissions: permissionsIn(permissions) };
}

function permissionsIn(value: unknown): readonly TrustPermission[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const permissions = TRUST_PERMISSIONS.filter((permission) => entries.includes(permission));
  if (permissions.length > 0 && entries.every((entry) => permissions.some((two) => entry === two)))
    return permissions;
  throw invalid(`The permissions of a publisher are any of ${TRUST_PERMISSIONS.join(", ")}.`);
}

function listIn(bytes: Buffer): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch (cause) {
    throw new NpmError("document-invalid", "The body is not valid JSON.", { cause });
  }
}

function documentOf({ id, provider, claims, permissions }: TrustedPublisher) {
  return { id, type: provider, claims, permissions };
}

function invalid(text: string): NpmError {
  return new NpmError("document-invalid", text);
}
