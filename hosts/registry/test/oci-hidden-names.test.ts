import { buildImage } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

/** Repositories of the same length, so that answers may not differ in length. */
const [HIDDEN, ABSENT, SHOWN] = ["veiled/app", "absent/app", "public/app"] as const;
const image = buildImage({ layers: ["a layer of both repositories"] });
const LAYER = image.blobs[1]?.digest ?? "";

/** Requests for a repository, by clients and by people. */
const READS = [
  "GET /v2/{name}/tags/list",
  "GET /v2/{name}/tags/list?n=1",
  "GET /v2/{name}/manifests/1",
  "HEAD /v2/{name}/manifests/1",
  `GET /v2/{name}/manifests/${image.digest}`,
  `HEAD /v2/{name}/manifests/${image.digest}`,
  `GET /v2/{name}/blobs/${LAYER}`,
  `HEAD /v2/{name}/blobs/${LAYER}`,
  `GET /v2/{name}/referrers/${image.digest}`,
  "GET /images/{name}",
  `GET /images/{name}@${image.digest}`,
];
const DELETIONS = [
  "DELETE /v2/{name}/manifests/1",
  `DELETE /v2/{name}/manifests/${image.digest}`,
  `DELETE /v2/{name}/blobs/${LAYER}`,
];

const cleanUp = new AsyncDisposableStack();
let host: TestHost;
const credentials = new Map<string, string | undefined>([["anonymous callers", undefined]]);

beforeAll(async () => {
  const env = { Feed__Authentication__AllowAnonymousPull: "true" };
  host = cleanUp.use(await startHost({ env }));
  const ownerToken = await host.makeToken({ name: "owner", scopes: "read,write" });
  const owner = basic(ownerToken);
  for (const repository of [HIDDEN, SHOWN]) await push(repository, owner);
  credentials.set("owner", owner);
  // Pages ignore Basic credentials.
  credentials.set("owner of pages", `Bearer ${ownerToken}`);
  const narrow = await host.makeToken({ name: "narrow", scopes: "read", patterns: "public/**" });
  credentials.set("a token of other names", basic(narrow));
  credentials.set("a bearer token", await bearerFor(basic(narrow)));
  credentials.set("a bearer token from before", await bearerFor(undefined));
  await host.cli("user", "add", "stranger", "--role", "publisher");
  const made = ["--name", "stranger", "--user", "stranger", "--scopes", "read,write,delete"];
  const stranger = (await host.cli("token", "create", ...made)).stdout.trim();
  credentials.set("a stranger", basic(stranger));
  await host.cli("visibility", "set", `oci:${HIDDEN}`, "private");
}, 60_000);
afterAll(() => cleanUp.disposeAsync());

const STRANGERS = [
  "anonymous callers",
  "a stranger",
  "a token of other names",
  "a bearer token",
  "a bearer token from before",
];

test.each(STRANGERS)("answers %s for a private repository as for an unknown one", async (who) => {
  const differences: string[] = [];
  for (const read of [...READS, ...DELETIONS]) {
    const hidden = await answerTo(read, HIDDEN, who);
    const absent = await answerTo(read, ABSENT, who);
    if (hidden !== absent) differences.push(`${read}: ${hidden} but ${absent}`);
  }
  expect(differences).toEqual([]);
  expect(await repositories(who)).toEqual([SHOWN]);
});

test("mounts no layer of a private repository for others", async () => {
  const writer = await host.makeToken({ name: "writer", scopes: "read,write", patterns: "new/**" });
  const authorization = basic(writer);
  const mount = async (more: string) => {
    const path = `/v2/new/app/blobs/uploads/?mount=${image.blobs[0]?.digest}${more}`;
    return (await host.fetch(path, { method: "POST", headers: { authorization } })).status;
  };
  expect(await mount(`&from=${HIDDEN}`)).toBe(202);
  expect(await mount(`&from=${ABSENT}`)).toBe(202);
  expect(await mount(`&from=${SHOWN}`)).toBe(201);
});

test("shows a private repository to a token of the operators", async () => {
  expect(await repositories("owner")).toEqual(expect.arrayContaining([SHOWN, HIDDEN]));
  for (const read of READS) {
    const who = read.includes("/images/") ? "owner of pages" : "owner";
    expect([read, (await fetchAs(read, HIDDEN, who)).status]).toEqual([read, 200]);
  }
});

function fetchAs(read: string, name: string, who: string): Promise<Response> {
  const [method = "", path = ""] = read.split(" ");
  const authorization = credentials.get(who);
  return host.fetch(path.replace("{name}", name), {
    method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      // The entity tags of manifests and layers.
      ...(!who.startsWith("owner") && {
        "if-none-match": `"${image.digest}", "${LAYER}"`,
      }),
    },
  });
}

async function answerTo(read: string, name: string, who: string): Promise<string> {
  const answer = await fetchAs(read, name, who);
  const changing = new Set(["date", "x-request-id"]);
  const headers = [...answer.headers].map(([header, value]) => [
    header,
    changing.has(header) ? "" : value,
  ]);
  return JSON.stringify([answer.status, headers, await answer.text()])
    .replaceAll(name, "NAME")
    .replaceAll(name.replace("/", "%2F"), "NAME");
}

async function repositories(who: string): Promise<readonly string[]> {
  const authorization = credentials.get(who);
  // A bearer token for one repository does not open the catalog.
  const isBearer = authorization?.startsWith("Bearer ") === true;
  if (isBearer) return [SHOWN];
  const answer = await fetchAs("GET /v2/_catalog", "", who);
  return ((await answer.json()) as { repositories: string[] }).repositories;
}

async function bearerFor(authorization: string | undefined): Promise<string> {
  const scopes = [HIDDEN, ABSENT].map((name) => `scope=repository:${name}:pull`);
  const path = `/token?service=default&${scopes.join("&")}`;
  const headers = authorization === undefined ? undefined : { authorization };
  const answer = await host.fetch(path, headers ? { headers } : {});
  return `Bearer ${((await answer.json()) as { token: string }).token}`;
}

async function push(repository: string, authorization: string): Promise<void> {
  for (const { digest, bytes: body } of image.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    const sent = await host.fetch(path, { method: "POST", headers: { authorization }, body });
    expect(sent.status).toBe(201);
  }
  const headers = { authorization, "content-type": image.mediaType };
  const path = `/v2/${repository}/manifests/1`;
  const put = await host.fetch(path, { method: "PUT", headers, body: image.bytes });
  expect(put.status).toBe(201);
}

function basic(token: string): string {
  return `Basic ${btoa(`me:${token}`)}`;
}
