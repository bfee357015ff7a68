import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import { parseOldPackageName } from "../package-name.ts";
import type { RequestPath } from "../request-path.ts";
import { EXCHANGE_PATH } from "../trust/exchange-path.ts";
import {
  answerAccess,
  listCollaborators,
  listPackagesOf,
  listStars,
  printVisibility,
} from "./access.ts";
import { answerOrganisation } from "./organisations.ts";
import { readAttestations } from "./attestations.ts";
import { accountEndpoint } from "./accounts.ts";
import type { Call } from "./call.ts";
import { authorizeCall, isRead, json, methodUnknown, notFound } from "./call.ts";
import { removeDistTag, setDistTag } from "./dist-tags.ts";
import { readDocument } from "./documents.ts";
import { search } from "./search.ts";
import { auditTree, printAdvisories } from "./security.ts";
import { sendJson } from "./send-json.ts";

type EndpointPath = Extract<RequestPath, { readonly type: "endpoint" }>;

/** Everything below `/-/`. */
export async function answerEndpoint(call: Call, path: EndpointPath): Promise<Response> {
  if (path.segments[0] === "stage") {
    const { answerStage } = await import("./stage.ts");
    return answerStage(call, path);
  }
  if (path.name) return answerPackageEndpoint(call, path.name, path);
  if (isExchange(path.segments)) return answerExchange(call, path.segments);
  const endpoint = path.segments.join("/");
  const method = isRead(call.c.req.method) ? "GET" : call.c.req.method;
  const [kind, who = "", what] = path.segments;
  if (kind === "org" || kind === "team") return answerOrganisation(call, path.segments);
  if (kind === "user" && what === "package") return listPackagesOf(call, who);
  // pnpm goes on to star in the way of old npm, which is taken.
  if (/^user\/(?:v1\/star$|package\/)/.test(endpoint)) throw noEndpoint(path);
  const account = accountEndpoint(path.segments);
  if (account) return account(call);
  if (endpoint.startsWith(ATTESTATIONS)) {
    if (method !== "GET") throw methodUnknown(call.c, "GET");
    return readAttestations(call, path.segments.slice(3));
  }
  return answerKnown(call, path, method);
}

function answerKnown(call: Call, path: EndpointPath, method: string): Promise<Response> {
  const endpoint = ENDPOINTS.get(path.segments.join("/"));
  if (!endpoint) throw noEndpoint(path);
  if (endpoint.method !== method) throw methodUnknown(call.c, endpoint.method);
  return endpoint.answer(call);
}

const ATTESTATIONS = "npm/v1/attestations/";

const ENDPOINTS: ReadonlyMap<
  string,
  { readonly method: "GET" | "POST" | "PUT"; readonly answer: (call: Call) => Promise<Response> }
> = new Map([
  ["_view/starredByUser", { method: "GET", answer: listStars }],
  ["ping", { method: "GET", answer: ping }],
  ["v1/search", { method: "GET", answer: search }],
  ["npm/v1/keys", { method: "GET", answer: listKeys }],
  ["npm/v1/security/advisories/bulk", { method: "POST", answer: printAdvisories }],
  ["npm/v1/security/audits", { method: "POST", answer: auditTree }],
  ["npm/v1/security/audits/quick", { method: "POST", answer: auditTree }],
  ["pnpm/v1/publish", { method: "PUT", answer: answerBatch }],
  ["pnpr/v0/publish", { method: "PUT", answer: answerBatch }],
]);

/** `/-/package/{package}/…` */
async function answerPackageEndpoint(
  call: Call,
  name: PackageName,
  path: EndpointPath,
): Promise<Response> {
  const [, , what, ...rest] = path.segments;
  if (what === "dist-tags" && rest.length <= 1) return answerDistTags(call, path, name);
  if (what === "trust" && rest.length <= 1) {
    const { answerTrust } = await import("./trust.ts");
    return answerTrust(call, name, rest[0]);
  }
  const answer = what !== undefined && rest.length === 0 && PACKAGE_ENDPOINTS.get(what);
  if (!answer) throw noEndpoint(path);
  return answer(call, name);
}

const PACKAGE_ENDPOINTS: ReadonlyMap<string, (call: Call, name: PackageName) => Promise<Response>> =
  new Map([
    ["access", answerAccess],
    ["collaborators", listCollaborators],
    ["visibility", printVisibility],
  ]);

function isExchange(segments: readonly string[]): boolean {
  return `/-/${segments.join("/")}`.startsWith(EXCHANGE_PATH);
}

async function answerExchange(call: Call, segments: readonly string[]): Promise<Response> {
  const { exchangeIdToken } = await import("./trust.ts");
  const text = segments.slice(6).join("/");
  const name = parseOldPackageName(text);
  if (!name) throw new NpmError("name-invalid", `${JSON.stringify(text)} is not a package name.`);
  return exchangeIdToken(call, name);
}

async function answerDistTags(
  call: Call,
  path: EndpointPath,
  name: PackageName,
): Promise<Response> {
  const tag = path.segments[3];
  const { method } = call.c.req;
  if (tag === undefined) {
    const answer = isRead(method) ? await readDocument(call, path) : undefined;
    if (!answer) throw methodUnknown(call.c, "GET");
    return answer;
  }
  if (method === "PUT" || method === "POST") return setDistTag(call, name, tag);
  if (method === "DELETE") return removeDistTag(call, name, tag);
  throw methodUnknown(call.c, "PUT, DELETE");
}

async function answerBatch(call: Call): Promise<Response> {
  const { putBatch } = await import("./publish-batch.ts");
  return putBatch(call);
}

async function ping(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  return json(call, {});
}

/** The first segments identify the endpoint; later segments may contain a token. */
export function noEndpoint({ segments }: EndpointPath): NpmError {
  const shown = segments.slice(0, segments[1] === "token" ? 2 : 3).join("/");
  return notFound(`This registry has no /-/${shown.slice(0, 100)}`);
}

const KIND = "ecdsa-sha2-nistp256";

/** `/-/npm/v1/keys`. Clients that get 404 take it that nothing is signed here. */
async function listKeys(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  const own = await call.ports.signingKeys.announced();
  const known = new Set(own.map(({ keyId }) => keyId));
  const others = (await call.ports.upstream.keys()).filter(({ keyId }) => !known.has(keyId));
  const announced = [...own, ...others];
  if (announced.length === 0) throw notFound("This registry does not sign packages.");
  const keys = announced.map(({ keyId, publicKey, expiresAt }) => ({
    expires: expiresAt?.toISOString() ?? null,
    keyid: keyId,
    keytype: KIND,
    scheme: KIND,
    key: publicKey,
  }));
  // A key that is new must be known as soon as there is a version that it signed.
  return sendJson(call, JSON.stringify({ keys }), { isSameForAll: true });
}
