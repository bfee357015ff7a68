import { request } from "node:http";
import { text } from "node:stream/consumers";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

/** Access by a bearer token: exactly its scopes, at every address of the registry. */
const ROOT = "packages.example";
const SEGMENT = "acme.example";
const image = buildImage({ layers: ["a layer that three repositories have"] });
const LAYER = image.blobs[1]?.digest ?? "";
const UPLOADS = "blobs/uploads/";

const cleanUp = new AsyncDisposableStack();
const hosts = new Map<string, { readonly host: TestHost; readonly credentials: string }>();

beforeAll(async () => {
  for (const [name, anonymousPull] of [
    ["closed", "false"],
    ["public", "true"],
  ] as const) {
    const env = {
      Feed__Authentication__AllowAnonymousPull: anonymousPull,
      Feed__PublicBaseUrls__0: `http://${ROOT}`,
      Feed__Oci__Acme__Enabled: "true",
      Feed__Oci__Acme__HostNames__0: SEGMENT,
    };
    const host = cleanUp.use(await startHost({ env }));
    const owner = basic(await host.makeToken({ scopes: "read,write" }));
    const patterns = "team/**,acme/**,fresh/**";
    const member = await host.makeToken({ scopes: "read,write", patterns });
    hosts.set(name, { host, credentials: basic(member) });
    for (const repository of ["team/app", "acme/app", "hidden/app"]) {
      await push(host, repository, owner);
    }
  }
}, 120_000);
afterAll(() => cleanUp.disposeAsync());

const PULL_PUSH = "pull,push";
const fresh = `repository:fresh/app:${PULL_PUSH}`;
const mountTo = (name: string, from?: string) =>
  `POST /v2/${name}/${UPLOADS}?mount=${LAYER}${from === undefined ? "" : `&from=${from}`}`;

type Row = readonly [
  host: "closed" | "public",
  /** Where the token is asked for, and for what. */
  tokenAt: string,
  scopes: string,
  /** Where it is used. */
  at: string,
  asked: string,
  status: number,
  /** Scope of the challenge. */
  scope?: string,
];

const MORE = `${fresh} repository:team/app:pull`;
const ROWS: readonly Row[] = [
  // A mount needs pull in the source, too.
  ["closed", ROOT, fresh, ROOT, mountTo("fresh/app", "team/app"), 401, MORE],
  ["public", ROOT, fresh, ROOT, mountTo("fresh/app", "team/app"), 401, MORE],
  [
    "closed",
    ROOT,
    fresh,
    ROOT,
    mountTo("fresh/app", "team/none"),
    401,
    `${fresh} repository:team/none:pull`,
  ],
  [
    "closed",
    ROOT,
    `${fresh} repository:team/app:push`,
    ROOT,
    mountTo("fresh/app", "team/app"),
    401,
    MORE,
  ],
  ["closed", ROOT, MORE, ROOT, mountTo("fresh/app", "team/app"), 201],
  // There is no challenge for a name that no token can open, whether or not it exists.
  [
    "closed",
    ROOT,
    `${fresh} repository:hidden/app:pull`,
    ROOT,
    mountTo("fresh/app", "hidden/app"),
    202,
  ],
  ["closed", ROOT, fresh, ROOT, mountTo("fresh/app", "hidden/none"), 202],
  ["closed", ROOT, MORE, ROOT, mountTo("fresh/app", "hidden/app"), 202],
  // Without a source: the names of the token, and public names.
  ["closed", ROOT, fresh, ROOT, mountTo("fresh/unnamed"), 401],
  ["closed", ROOT, `repository:fresh/a:${PULL_PUSH}`, ROOT, mountTo("fresh/a"), 202],
  [
    "closed",
    ROOT,
    `repository:fresh/b:${PULL_PUSH} repository:team/app:pull`,
    ROOT,
    mountTo("fresh/b"),
    201,
  ],
  ["public", ROOT, `repository:fresh/c:${PULL_PUSH}`, ROOT, mountTo("fresh/c"), 201],
  // The catalog has its own scope.
  ["closed", ROOT, MORE, ROOT, "GET /v2/_catalog", 401, "registry:catalog:*"],
  ["public", ROOT, MORE, ROOT, "GET /v2/_catalog", 401, "registry:catalog:*"],
  ["closed", ROOT, "registry:catalog:*", ROOT, "GET /v2/_catalog", 200],
  ["closed", ROOT, "registry:catalog:pull", ROOT, "GET /v2/_catalog", 401],
  ["closed", ROOT, "repository:catalog:*", ROOT, "GET /v2/_catalog", 401],
  [
    "closed",
    ROOT,
    "registry:catalog:*",
    ROOT,
    "GET /v2/team/app/tags/list",
    401,
    "repository:team/app:pull",
  ],
  // A name means the same repository at every address: `app` of the segment is `acme/app`.
  ["closed", `${ROOT}/acme`, "repository:app:pull", ROOT, "GET /v2/acme/app/tags/list", 200],
  ["closed", SEGMENT, "repository:app:pull", ROOT, "GET /v2/acme/app/tags/list", 200],
  ["closed", ROOT, "repository:acme/app:pull", SEGMENT, "GET /v2/app/tags/list", 200],
  ["closed", ROOT, "repository:acme/app:pull", ROOT, "GET /acme/v2/app/tags/list", 200],
  ["closed", `${ROOT}/acme`, "repository:app:pull", ROOT, "GET /v2/app/tags/list", 403],
  [
    "closed",
    ROOT,
    "repository:app:pull",
    SEGMENT,
    "GET /v2/app/tags/list",
    401,
    "repository:app:pull",
  ],
  [
    "closed",
    `${ROOT}/acme`,
    "repository:team/app:pull",
    ROOT,
    "GET /v2/team/app/tags/list",
    401,
    "repository:team/app:pull",
  ],
  [
    "closed",
    SEGMENT,
    `repository:new:${PULL_PUSH}`,
    SEGMENT,
    mountTo("new", "app"),
    401,
    `repository:new:${PULL_PUSH} repository:app:pull`,
  ],
  [
    "closed",
    SEGMENT,
    `repository:new:${PULL_PUSH} repository:app:pull`,
    ROOT,
    mountTo("acme/new", "acme/app"),
    201,
  ],
  // `from` is also a name of the segment, never one outside it.
  [
    "closed",
    ROOT,
    `repository:acme/new2:${PULL_PUSH} repository:team/app:pull`,
    SEGMENT,
    mountTo("new2", "team/app"),
    401,
    `repository:new2:${PULL_PUSH} repository:team/app:pull`,
  ],
];

describe("a bearer token", () => {
  const cases = ROWS.map((row) => [row.slice(0, 6).join(" "), row] as const);

  test.each(cases)(
    "%s",
    async (_, [hostName, tokenAt, scopes, authority, requestLine, status, scope]) => {
      const { host, credentials } = hostOf(hostName);
      const bearer = await bearerFor(host, { tokenAt, scopes, credentials });
      const [method = "", path = ""] = requestLine.split(" ");
      const answer = await ask(host, { method, path, at: authority, authorization: bearer });
      expect(answer.status).toBe(status);
      if (scope !== undefined) expect(answer.challenge).toContain(`scope="${scope}"`);
      if (status === 401) expect(answer.challenge).toContain('error="insufficient_scope"');
    },
  );
});

function hostOf(name: string) {
  const entry = hosts.get(name);
  if (!entry) throw new RangeError(`there is no host ${name}`);
  return entry;
}

type TokenQuery = {
  readonly tokenAt: string;
  readonly scopes: string;
  readonly credentials: string;
};

async function bearerFor(host: TestHost, { tokenAt, scopes, credentials }: TokenQuery) {
  const [authority = "", segment] = tokenAt.split("/");
  const query = scopes.split(" ").map((scope) => `scope=${encodeURIComponent(scope)}`);
  const path = `${segment === undefined ? "" : `/${segment}`}/token?service=default&${query.join("&")}`;
  const { body } = await ask(host, {
    method: "GET",
    path,
    at: authority,
    authorization: credentials,
  });
  return `Bearer ${(JSON.parse(body) as { readonly token: string }).token}`;
}

type TestRequest = {
  readonly method: string;
  readonly path: string;
  /** The host name that the client uses. */
  readonly at: string;
  readonly authorization: string;
};

function ask(host: TestHost, { method, path, at: authority, authorization }: TestRequest) {
  return new Promise<{ status: number; challenge: string; body: string }>((resolve, reject) => {
    const headers = { host: authority, authorization };
    const sent = request(`${host.url}${path}`, { method, headers }, (answer) => {
      const { statusCode: status = 0 } = answer;
      const challenge = answer.headers["www-authenticate"] ?? "";
      text(answer).then((body) => resolve({ status, challenge, body }), reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}

async function push(host: TestHost, repository: string, authorization: string): Promise<void> {
  for (const { digest, bytes: body } of image.blobs) {
    const path = `/v2/${repository}/${UPLOADS}?digest=${digest}`;
    const init = { method: "POST", headers: { authorization }, body };
    expect((await host.fetch(path, init)).status).toBe(201);
  }
  const headers = { authorization, "content-type": image.mediaType };
  const path = `/v2/${repository}/manifests/1`;
  const put = await host.fetch(path, { method: "PUT", headers, body: image.bytes });
  expect(put.status).toBe(201);
}

function basic(token: string): string {
  return `Basic ${btoa(`me:${token}`)}`;
}
