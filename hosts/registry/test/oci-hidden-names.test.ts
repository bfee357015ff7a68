import { OCI_ENDPOINTS } from "@sealhouse/oci-distribution";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../src/testing/index.ts";
import type { AskedTwins, TwinHost } from "./hidden-twins.ts";
import { COMPARABLE, openTwinHost, shownAnswer, viewTime } from "./hidden-twins.ts";

const TWINS: AskedTwins = {
  healthy: ["veiled/app", "absent/app"],
  failing: ["masked/app", "vacant/app"],
};
const [HIDDEN, ABSENT] = TWINS.healthy;
const SHOWN = "public/app";
const image = buildImage({ layers: ["a layer of both repositories"] });
const LAYER = image.blobs[1]?.digest ?? "";
const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/** To push to a hidden name, or to prepare that, is refused as for a name of others. */
const PUSHES = new Set(["POST uploads", "PUT manifest"]);

/** Values of the fields of each endpoint. */
const FIELDS = {
  digest: [LAYER, image.digest],
  reference: ["1", image.digest],
  id: [UUID],
};

/** Requests for a repository at each endpoint. */
const ROUTED = Object.entries(OCI_ENDPOINTS).flatMap(([endpoint, { path, methods }]) => {
  if (!path.includes("{name}")) return [];
  const [, field] = /\{(digest|reference|id)\}/.exec(path) ?? [];
  const values = field === undefined ? [""] : FIELDS[field as keyof typeof FIELDS];
  return methods
    .filter((method) => !PUSHES.has(`${method} ${endpoint}`))
    .flatMap((method) =>
      values.map((value) => `${method} ${path.replace(`{${field}}`, value).replace("{id}", UUID)}`),
    );
});

const PAGES = ["GET /images/{name}", `GET /images/{name}@${image.digest}`];
const REQUESTS = [...ROUTED, "GET /v2/{name}/tags/list?n=1", ...PAGES];

const cleanUp = new AsyncDisposableStack();
let twins: TwinHost;
let host: TestHost;
let view = "";
const credentials = new Map<string, string | undefined>([
  ["callers without credentials", undefined],
]);

beforeAll(async () => {
  const publish = (on: TestHost, token: string, name: string) => push(on, name, basic(token));
  twins = cleanUp.use(await openTwinHost("oci", TWINS, { anonymousReading: true, publish }));
  ({ host } = twins);
  await push(host, SHOWN, basic(twins.operator));
  credentials.set("operator", basic(twins.operator));
  // Pages ignore Basic credentials.
  credentials.set("operator of pages", `Bearer ${twins.operator}`);
  const narrow = basic(await twins.narrow(["read"], ["public/**"]));
  credentials.set("a token of other names", narrow);
  credentials.set("a bearer token", await bearerFor(narrow));
  credentials.set("an anonymous bearer token", await bearerFor(undefined));
  credentials.set("a stranger", basic(twins.stranger));
  await twins.hide();
  view = `as-of-${viewTime().replaceAll(/[-:]/g, "").toLowerCase()}`;
}, 60_000);
afterAll(() => cleanUp.disposeAsync());

const STRANGERS = [
  "callers without credentials",
  "an anonymous bearer token",
  "a stranger",
  "a token of other names",
  "a bearer token",
];

test.each(STRANGERS)("answers %s for a private repository as for an unknown one", async (who) => {
  await compare(who, "healthy");
  expect(await repositories(who)).toEqual([SHOWN]);
});

describe("a read of an unknown or a private repository", () => {
  const reads = ROUTED.filter(
    (request) => /^(?:GET|HEAD) /.test(request) && !request.includes(UUID),
  );

  test("without credentials is challenged, and gets the 404 with an anonymous token", async () => {
    for (const name of [HIDDEN, ABSENT]) {
      for (const read of reads) {
        const answer = await fetchAs(read, name, "callers without credentials");
        expect([read, answer.status]).toEqual([read, 401]);
        const challenge = answer.headers.get("www-authenticate") ?? "";
        expect(challenge).toMatch(
          /^Bearer realm="[^"]+\/token",service="[^"]+",scope="repository:/,
        );
        const [, scope = ""] = /scope="([^"]+)"/.exec(challenge) ?? [];
        const token = await bearerOf(scope);
        const again = await fetchWith(read, name, `Bearer ${token}`);
        const isList = read.includes("/referrers/");
        expect([read, again.status]).toEqual([read, isList ? 200 : 404]);
      }
    }
  });

  test("with the credentials of an owner succeeds after the challenge", async () => {
    const token = await bearerOf(`repository:${HIDDEN}:pull`, basic(twins.owner));
    for (const read of reads.filter((one) => !one.includes(`manifests/${LAYER}`))) {
      const isMissing = read.includes(`blobs/${image.digest}`);
      const answer = await fetchWith(read, HIDDEN, `Bearer ${token}`);
      expect([read, answer.status]).toEqual([read, isMissing ? 404 : 200]);
    }
  });

  test("of a public repository without credentials gets 404 for what it does not have", async () => {
    const absent = `sha256:${"0".repeat(64)}`;
    for (const read of [
      "GET /v2/{name}/manifests/none",
      "HEAD /v2/{name}/manifests/none",
      `GET /v2/{name}/manifests/${absent}`,
      `GET /v2/{name}/blobs/${absent}`,
      `HEAD /v2/{name}/blobs/${absent}`,
    ]) {
      const answer = await fetchAs(read, SHOWN, "callers without credentials");
      expect([read, answer.status]).toEqual([read, 404]);
      expect(answer.headers.get("www-authenticate")).toBeNull();
    }
  });
});

test("mounts no layer of a private repository for others", async () => {
  const authorization = basic(await twins.narrow(["read", "write"], ["new/**"]));
  const mount = async (more: string) => {
    const path = `/v2/new/app/blobs/uploads/?mount=${image.blobs[0]?.digest}${more}`;
    return (await host.fetch(path, { method: "POST", headers: { authorization } })).status;
  };
  expect(await mount(`&from=${HIDDEN}`)).toBe(202);
  expect(await mount(`&from=${ABSENT}`)).toBe(202);
  expect(await mount(`&from=${SHOWN}`)).toBe(201);
});

test("shows a private repository to a token of the operators", async () => {
  expect(await repositories("operator")).toEqual(expect.arrayContaining([SHOWN, HIDDEN]));
  const read = "GET /v2/{name}/manifests/1";
  expect((await fetchAs(read, HIDDEN, "operator")).status).toBe(200);
  for (const page of PAGES) {
    expect([page, (await fetchAs(page, HIDDEN, "operator of pages")).status]).toEqual([page, 200]);
  }
});

describe("while the source of all names fails", () => {
  beforeAll(() => twins.failSource());

  test.each(STRANGERS)("%s gets the same for a private and an unknown repository", (who) =>
    compare(who, "failing"),
  );
});

async function compare(who: string, state: keyof AskedTwins): Promise<void> {
  const differences: string[] = [];
  const [hiddenName, absentName] = TWINS[state];
  for (const request of REQUESTS) {
    const isViewed = /^(?:GET|HEAD) \/v2/.test(request);
    const viewed = request.replace("{name}", `${view}/{name}`);
    for (const form of isViewed ? [request, viewed] : [request]) {
      const hidden = await answerTo(form, hiddenName, who);
      const absent = await answerTo(form, absentName, who);
      if (hidden !== absent) differences.push(`${form}: ${hidden} but ${absent}`);
    }
  }
  expect(differences).toEqual([]);
}

function fetchAs(request: string, name: string, who: string): Promise<Response> {
  return fetchWith(request, name, credentials.get(who));
}

function fetchWith(request: string, name: string, authorization?: string): Promise<Response> {
  const [method = "", path = ""] = request.split(" ");
  return host.fetch(path.replace("{name}", name), {
    method,
    headers: { ...(authorization !== undefined && { authorization }) },
  });
}

async function answerTo(request: string, name: string, who: string): Promise<string> {
  const [method = "", path = ""] = request.split(" ");
  const authorization = credentials.get(who);
  const answer = await host.fetch(path.replace("{name}", name), {
    method,
    headers: {
      ...COMPARABLE,
      ...(authorization !== undefined && { authorization }),
      // The entity tags of manifests and layers.
      "if-none-match": `"${image.digest}", "${LAYER}"`,
    },
  });
  return shownAnswer(answer, name);
}

async function repositories(who: string): Promise<readonly string[]> {
  // A bearer token for one repository does not open the catalog.
  if (credentials.get(who)?.startsWith("Bearer ") === true) return [SHOWN];
  const answer = await fetchAs("GET /v2/_catalog", "", who);
  return ((await answer.json()) as { repositories: string[] }).repositories;
}

async function bearerOf(scope: string, authorization?: string): Promise<string> {
  const headers = authorization === undefined ? undefined : { authorization };
  const scopes = scope.split(" ").map((one) => `scope=${one}`);
  const path = `/token?service=default&${scopes.join("&")}`;
  const answer = await host.fetch(path, headers ? { headers } : {});
  return ((await answer.json()) as { token: string }).token;
}

async function bearerFor(authorization: string | undefined): Promise<string> {
  const names = [...TWINS.healthy, ...TWINS.failing];
  const scope = names.map((name) => `repository:${name}:pull`).join(" ");
  return `Bearer ${await bearerOf(scope, authorization)}`;
}

async function push(to: TestHost, repository: string, authorization: string): Promise<void> {
  for (const { digest, bytes: body } of image.blobs) {
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    const sent = await to.fetch(path, { method: "POST", headers: { authorization }, body });
    expect(sent.status).toBe(201);
  }
  const headers = { authorization, "content-type": image.mediaType };
  const path = `/v2/${repository}/manifests/1`;
  const put = await to.fetch(path, { method: "PUT", headers, body: image.bytes });
  expect(put.status).toBe(201);
}

function basic(token: string): string {
  return `Basic ${btoa(`me:${token}`)}`;
}
