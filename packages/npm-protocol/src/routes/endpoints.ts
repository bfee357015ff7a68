import { requestBody } from "@sealhouse/http-responses";
import { parseSearchQuery, searchResults } from "../documents/search-results.ts";
import { NpmError } from "../errors.ts";
import type { PackageName } from "../package-name.ts";
import type { NpmSearchHit } from "../ports.ts";
import type { RequestPath } from "../request-path.ts";
import {
  answerOrganisation,
  listCollaborators,
  listPackagesOf,
  listStars,
  setAccess,
  tellVisibility,
} from "./access.ts";
import { readAttestations } from "./attestations.ts";
import type { Call } from "./call.ts";
import { admit, isRead, json, loginRequired, methodUnknown, notFound } from "./call.ts";
import { removeDistTag, setDistTag } from "./dist-tags.ts";
import { readDocument } from "./documents.ts";
import { listKeys } from "./keys.ts";

type EndpointPath = Extract<RequestPath, { readonly type: "endpoint" }>;

/** Everything below `/-/`. */
export async function answerEndpoint(call: Call, path: EndpointPath): Promise<Response> {
  if (path.name) return answerPackageEndpoint(call, path.name, path);
  const endpoint = path.segments.join("/");
  const method = isRead(call.c.req.method) ? "GET" : call.c.req.method;
  const [kind, who = "", what] = path.segments;
  if (kind === "org" || kind === "team") return answerOrganisation(call, path.segments);
  if (kind === "user" && what === "package") return listPackagesOf(call, who);
  // pnpm goes on to star in the way of old npm, which is taken.
  if (/^user\/(?:v1\/star$|package\/)/.test(endpoint)) throw noEndpoint(path);
  if (endpoint.startsWith("user/token/")) throw noRevocation();
  if (endpoint.startsWith("user/")) throw noAccounts();
  if (endpoint.startsWith(ATTESTATIONS)) {
    if (method !== "GET") throw methodUnknown(call.c, "GET");
    return readAttestations(call, path.segments.slice(3));
  }
  const known = ENDPOINTS.get(endpoint);
  if (!known) throw noEndpoint(path);
  if (known.method !== method) throw methodUnknown(call.c, known.method);
  return known.answer(call);
}

const ATTESTATIONS = "npm/v1/attestations/";

const ENDPOINTS: ReadonlyMap<
  string,
  { readonly method: "GET" | "POST"; readonly answer: (call: Call) => Promise<Response> }
> = new Map([
  ["_view/starredByUser", { method: "GET", answer: listStars }],
  ["ping", { method: "GET", answer: ping }],
  ["whoami", { method: "GET", answer: whoami }],
  ["v1/search", { method: "GET", answer: search }],
  ["v1/login", { method: "POST", answer: noWebLogin }],
  ["npm/v1/keys", { method: "GET", answer: listKeys }],
  ["npm/v1/security/advisories/bulk", { method: "POST", answer: advisories }],
]);

/** `/-/package/{package}/…` */
async function answerPackageEndpoint(
  call: Call,
  name: PackageName,
  path: EndpointPath,
): Promise<Response> {
  const [, , what, ...rest] = path.segments;
  if (what === "dist-tags" && rest.length <= 1) return answerDistTags(call, path, name);
  const answer = what !== undefined && rest.length === 0 && PACKAGE_ENDPOINTS.get(what);
  if (!answer) throw noEndpoint(path);
  return answer(call, name);
}

const PACKAGE_ENDPOINTS: ReadonlyMap<string, (call: Call, name: PackageName) => Promise<Response>> =
  new Map([
    ["access", setAccess],
    ["collaborators", listCollaborators],
    ["visibility", tellVisibility],
  ]);

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

async function ping(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  return json(call, {});
}

async function whoami(call: Call): Promise<Response> {
  const { actor, tokenId } = await admit(call, { action: "read" });
  if (tokenId === undefined) throw loginRequired(call.c);
  return json(call, { username: actor });
}

async function search(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  const query = parseSearchQuery(new URL(call.c.req.url).searchParams);
  const { total, hits } = await call.ports.search.search(query);
  const shown = await visible(call, hits);
  // What a caller may not see must not show in the number either, as far as this page knows.
  const found = { total: total - (hits.length - shown.length), hits: shown };
  return json(call, searchResults(found, call.settings.now()));
}

/** The hits that the caller may read: a token may be narrowed to some names. */
async function visible(
  call: Call,
  hits: readonly NpmSearchHit[],
): Promise<readonly NpmSearchHit[]> {
  const { c, ports } = call;
  const verdicts = await Promise.all(
    hits.map(({ name }) => ports.authorize(c.req.raw, c.env, { action: "read", name })),
  );
  return hits.filter((_, index) => verdicts[index]?.status === "granted");
}

/** `{}` says "nothing known", which is the truth: the registry has no source of advisories. npm
 * asks with every install, and goes on without a word only when it gets an answer. */
async function advisories(call: Call): Promise<Response> {
  await admit(call, { action: "read" });
  const bodyBytesMax = 16 * 1024 * 1024;
  for await (const _ of requestBody(call.c, { maxBytes: bodyBytesMax }));
  return json(call, {});
}

/** npm and pnpm go on to ask for a password, and then get to read the text of `noAccounts`. */
async function noWebLogin(): Promise<Response> {
  throw notFound("This registry has no login page yet.");
}

function noAccounts(): NpmError {
  return new NpmError(
    "no-accounts",
    "This registry has no accounts to log in to. Its operator makes tokens with " +
      "`sealhouse token create`; put yours into .npmrc as //<registry>/:_authToken=<token>.",
  );
}

function noRevocation(): NpmError {
  return new NpmError(
    "unsupported",
    "This token still works: the registry's operator revokes it with `sealhouse token revoke`.",
  );
}

/** The first segments tell which it is; later ones may hold a token. */
function noEndpoint({ segments }: EndpointPath): NpmError {
  return notFound(`This registry has no /-/${segments.slice(0, 3).join("/").slice(0, 100)}`);
}
