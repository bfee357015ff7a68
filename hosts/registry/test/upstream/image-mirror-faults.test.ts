import { buildImage, buildIndex } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { imageOf, startMirrorHost } from "./mirror-host.ts";
import type { ImageSource, MirrorHost } from "./mirror-host.ts";
import { openScriptedImages } from "./scripted-images.ts";
import type { ImageFault, ScriptedImages } from "./scripted-images.ts";

/** Answers of sources that fail. A name that is not there may be the reason of a 401 alone. */
const answering =
  (status: number, headers: Record<string, string> = {}): ImageFault =>
  (_, response) => {
    response.writeHead(status, headers).end();
    return true;
  };
const cut: ImageFault = (_, response) => {
  response.destroy();
  return true;
};
const FAULTS: readonly (readonly [string, ImageFault])[] = [
  ["503", answering(503)],
  ["403", answering(403)],
  ["401", answering(401)],
  ["401 of a token service that is out", answering(401, { "www-authenticate": "" })],
  [
    "a page for people",
    (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      return true;
    },
  ],
  ["a reset", cut],
  [
    "redirects without an end",
    (request, response) => {
      response.writeHead(302, { location: `${request.url}a` }).end();
      return true;
    },
  ],
];

const nameOf = (what: string) => `fault/${what.replaceAll(/[^a-z0-9]+/g, "-")}`;
const cleanUp = new AsyncDisposableStack();
const faulty = new Map<string, ScriptedImages>();
let host: MirrorHost;

beforeAll(async () => {
  const sources: ImageSource[] = [];
  for (const name of [...FAULTS.map(([what]) => nameOf(what)), "private", "moved"]) {
    const registry = cleanUp.use(await openScriptedImages());
    faulty.set(name, registry);
    const allow = [name, `${name}/**`];
    sources.push({ name: name.replace("/", "-"), url: registry.url, settings: { allow } });
  }
  // For all other names.
  const hub = cleanUp.use(await openScriptedImages());
  faulty.set("hub", hub);
  sources.push({ name: "hub", url: hub.url });
  host = cleanUp.use(await startMirrorHost(sources));
});
afterAll(() => cleanUp.disposeAsync());

function registryOf(name: string): ScriptedImages {
  const registry = faulty.get(name);
  if (!registry) throw new Error(`there is no registry for ${name}`);
  return registry;
}

const digestIn = ({ headers }: { readonly headers: Headers }) =>
  headers.get("docker-content-digest");

test.each(FAULTS)("serves a kept tag, and 503 for another one, during %s", async (what, fault) => {
  const name = nameOf(what);
  const registry = registryOf(name);
  const image = imageOf(name);
  registry.put(name, image, "1.0");
  expect((await host.ask(`${name}/manifests/1.0`)).status).toBe(200);
  registry.fault = fault;
  const uncached = await host.ask(`${name}/manifests/2.0`);
  expect(uncached.status).toBe(503);
  expect(Number(uncached.headers.get("retry-after"))).toBeGreaterThan(0);
  const stale = await untilStale(`${name}/manifests/1.0`);
  expect(digestIn(stale)).toBe(image.digest);
  expect(stale.headers.get("warning")).toMatch(/^110 /);
  expect(stale.headers.get("x-sealhouse-stale")).toMatch(/^fault-.*; since=2/);
});

/** A tag is fresh for a while after it was kept. */
async function untilStale(path: string) {
  for (;;) {
    const answer = await host.ask(path);
    expect(answer.status).toBe(200);
    if (answer.headers.has("x-sealhouse-stale")) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("takes 401 for an absent image only where the source answers for other names", async () => {
  const registry = registryOf("private");
  registry.put("private/app", imageOf("app"), "1.0");
  registry.fault = (request, response) => {
    if (!request.url?.includes("/private/none/")) return false;
    response.writeHead(401).end();
    return true;
  };
  const statusOf = async (name: string) => (await host.ask(`${name}/manifests/1.0`)).status;
  expect(await statusOf("private/none")).toBe(503);
  expect(await statusOf("private/app")).toBe(200);
  // Here, too, an absent image is a challenge for a caller without credentials.
  await expect.poll(() => statusOf("private/none"), { timeout: 15_000 }).toBe(401);
});

test("serves the image before, while the source cannot send the one that its tag moved to", async () => {
  const registry = registryOf("moved");
  const [before, after] = [imageOf("before"), imageOf("after")];
  registry.put("moved", before, "1.0");
  expect(digestIn(await host.ask("moved/manifests/1.0"))).toBe(before.digest);
  registry.put("moved", after, "1.0");
  registry.fault = ({ method }, response) => {
    if (method !== "GET") return false;
    response.writeHead(503).end();
    return true;
  };
  expect(digestIn(await untilStale("moved/manifests/1.0"))).toBe(before.digest);
  registry.fault = undefined;
  const digest = async () => digestIn(await host.ask("moved/manifests/1.0"));
  await expect.poll(digest, { timeout: 15_000 }).toBe(after.digest);
});

test("lists the referrers of an image before its first pull, or answers 503", async () => {
  const hub = registryOf("hub");
  const image = imageOf("signed");
  const signature = buildImage({ subject: image.descriptor, layers: [] });
  hub.put("signed/app", image);
  hub.put("signed/app", signature);
  hub.put("signed/app", buildIndex([signature]), image.digest.replace(":", "-"));
  const referrers = (name: string) => host.ask(`${name}/referrers/${image.digest}`);
  expect((await referrers("signed/app")).text).toContain(signature.digest);
  expect((await referrers("signed/none")).status).toBe(401);
  hub.fault = answering(503);
  expect((await referrers("signed/unseen")).status).toBe(503);
  hub.fault = undefined;
});

test.each(["a reset", "a pause"])("new repositories can be pushed during %s", async (what) => {
  const hub = registryOf("hub");
  hub.put("seen/app", imageOf("seen"), "1.0");
  hub.fault = what === "a pause" ? answering(429, { "retry-after": "60" }) : cut;
  const token = await host.makeToken({ scopes: "read,write" });
  const authorization = `Basic ${Buffer.from(`x:${token}`).toString("base64")}`;
  const writer = { headers: { authorization } };
  const name = `new/${what.replace(" ", "-")}`;
  const { digest } = imageOf("new");
  const unknown = ["manifests/1.0", `manifests/${digest}`, "tags/list"];
  for (const path of unknown) {
    for (const method of ["HEAD", "GET"]) {
      const answers = await Promise.all([
        host.ask(`${name}/${path}`, { method }),
        host.ask(`${name}/${path}`, { method, ...writer }),
      ]);
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 503, 404]);
    }
  }
  const referrers = await host.ask(`${name}/referrers/${digest}`, writer);
  expect(JSON.parse(referrers.text)).toMatchObject({ manifests: [] });
  const index = buildIndex([]);
  const put = await host.ask(`${name}/manifests/1.0`, {
    method: "PUT",
    body: Buffer.from(index.bytes),
    headers: { ...writer.headers, "content-type": index.mediaType },
  });
  expect(put.status).toBe(201);
  hub.fault = undefined;
});
