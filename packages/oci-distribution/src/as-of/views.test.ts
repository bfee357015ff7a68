import { expect, test } from "vitest";
import { createOciApp } from "../app.ts";
import type { OciPorts } from "../ports.ts";
import { buildImage } from "../testing/build-image.ts";
import type { TestManifest } from "../testing/build-image.ts";
import { createMemoryAccess } from "../testing/memory-access.ts";
import { createMemoryOciPorts } from "../testing/memory-ports.ts";
import type { TagPast } from "./ports.ts";
import { parseViewName } from "./view-name.ts";

const hour = (number: number) => new Date(Date.UTC(2026, 9, 1, number));
const [OLD, NEW, GONE] = ["old", "new", "gone"].map((layer) => buildImage({ layers: [layer] }));

/** `latest` moves from the old image to the new one in hour 2. */
const TAGS = [
  { tag: "1.0", image: OLD, from: 1 },
  { tag: "latest", image: OLD, from: 1, until: 2 },
  { tag: "latest", image: NEW, from: 2 },
  { tag: "lost", image: GONE, from: 1, until: 3 },
];

const past: TagPast = {
  digest: async (_repository, tag, time) =>
    tagsAt(time).find((row) => row.tag === tag)?.image?.digest,
  tags: async (repository, time, { limit, after = "" }) =>
    repository === "team/app"
      ? tagsAt(time)
          .map(({ tag }) => tag)
          .filter((tag) => tag > after)
          .slice(0, limit)
      : [],
  deleted: async () => undefined,
  beginning: async () => hour(1),
};

function tagsAt(time: Date) {
  return TAGS.filter(
    ({ from, until }) => hour(from) <= time && (until === undefined || time < hour(until)),
  );
}

const EVERYBODY = [{ name: "anonymous", may: () => true }];

async function openRegistry(access = createMemoryAccess(EVERYBODY)) {
  const memory = createMemoryOciPorts({ access });
  const pushing = createOciApp(createMemoryOciPortsFor(memory), { service: "test" });
  for (const image of [OLD, NEW]) await push(pushing, image, "latest");
  const ports: OciPorts = { ...memory, past };
  const options = { service: "test", segments: ["team"], now: () => hour(12).getTime() };
  const app = createOciApp(ports, options);
  const read = async (path: string, init?: RequestInit) =>
    app.request(new URL(path, "http://registry.test").href, init);
  return { read };
}

/** The same registry, in which all users may push. */
function createMemoryOciPortsFor(memory: OciPorts): OciPorts {
  return { ...memory, ...createMemoryAccess(EVERYBODY) };
}

async function push(
  app: ReturnType<typeof createOciApp>,
  image: TestManifest | undefined,
  tag: string,
) {
  if (!image) throw new Error("no image");
  for (const { digest, bytes } of image.blobs) {
    const url = `http://registry.test/v2/team/app/blobs/uploads/?digest=${digest}`;
    await app.request(url, { method: "POST", body: new Uint8Array(bytes) });
  }
  const headers = { "content-type": image.mediaType };
  const body = new Uint8Array(image.bytes);
  const url = `http://registry.test/v2/team/app/manifests/${tag}`;
  const answer = await app.request(url, { method: "PUT", body, headers });
  expect(answer.status).toBe(201);
}

test.each([
  [
    "as-of-20261001t1200z/team/app",
    "as-of-20261001t1200z/",
    "2026-10-01T12:00:00.000Z",
    "team/app",
  ],
  ["as-of-20261001t120030z/a", "as-of-20261001t120030z/", "2026-10-01T12:00:30.000Z", "a"],
  ["as-of-20261301t1200z/a", "as-of-20261301t1200z/", undefined, "a"],
])("%s is a name in a view", (text, prefix, time, name) => {
  const view = parseViewName(text);
  expect([view?.prefix, view?.time?.toISOString(), view?.name]).toEqual([prefix, time, name]);
});

test.each(["as-of-20261001t1200z", "as-of-20261001/a", "team/as-of-20261001t1200z/app", "app"])(
  "%s is an ordinary name",
  (text) => {
    expect(parseViewName(text)).toBeUndefined();
  },
);

test.each([
  ["/v2/as-of-20261001t0100z/team/app", OLD],
  ["/v2/as-of-20261001t015959z/team/app", OLD],
  ["/v2/as-of-20261001t0200z/team/app", NEW],
  ["/team/v2/as-of-20261001t0100z/app", OLD],
])("%s:latest is the image of that time", async (repository, image) => {
  const { read } = await openRegistry();
  for (const reference of ["latest", image?.digest]) {
    const answer = await read(`${repository}/manifests/${reference}`);
    expect([answer.status, answer.headers.get("docker-content-digest")]).toEqual([
      200,
      image?.digest,
    ]);
  }
  for (const { digest } of image?.blobs ?? []) {
    expect((await read(`${repository}/blobs/${digest}`)).status).toBe(200);
  }
});

test("the tags are those of the time, with links into the view", async () => {
  const { read } = await openRegistry();
  const name = "as-of-20261001t0130z/team/app";
  const all = { name, tags: ["1.0", "latest", "lost"] };
  expect(await (await read(`/v2/${name}/tags/list`)).json()).toEqual(all);
  const page = await read(`/v2/${name}/tags/list?n=2`);
  const link = `</v2/${name}/tags/list?n=2&last=latest>; rel="next"`;
  expect(page.headers.get("link")).toBe(link);
  const next = await read(`/v2/${name}/tags/list?n=2&last=latest`);
  expect(await next.json()).toEqual({ name, tags: ["lost"] });
});

test.each([
  ["20261001t0059z/team/app/manifests/latest", "the history begins at 2026-10-01T01:00:00.000Z"],
  ["20261001t1201z/team/app/manifests/latest", "in the future"],
  ["20261001t2500z/team/app/manifests/latest", "is not a time"],
  ["20261001t0100z/team/app/manifests/none", "team/app:none was not here as of 2026-10-01T01:00Z"],
  ["20261001t0100z/team/app/manifests/lost", "team/app:lost (sha256:"],
  ["20261001t0100z/team/app/manifests/lost", "was here as of 2026-10-01T01:00Z"],
  ["20261001t0100z/other/tags/list", "other was not here as of 2026-10-01T01:00Z"],
])("as-of-%s gets 404 and: %s", async (path, text) => {
  const { read } = await openRegistry();
  const answer = await read(`/v2/as-of-${path}`);
  expect(answer.status).toBe(404);
  const { errors } = (await answer.json()) as { errors: { message: string }[] };
  expect(errors[0]?.message).toContain(text);
});

test.each([
  ["POST", "blobs/uploads/"],
  ["PUT", "manifests/latest"],
  ["DELETE", "manifests/latest"],
  ["DELETE", `blobs/${OLD?.digest}`],
  ["PATCH", "blobs/uploads/00000000-0000-4000-8000-000000000000"],
])("a view refuses %s %s", async (method, path) => {
  const { read } = await openRegistry();
  const answer = await read(`/v2/as-of-20261001t0100z/team/app/${path}`, { method, body: "{}" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(await answer.json()).toMatchObject({
    errors: [
      {
        code: "UNSUPPORTED",
        message: expect.stringContaining("a read-only view as of 2026-10-01T01:00Z"),
      },
    ],
  });
});

test("a token for a view is a token to pull the repository", async () => {
  const may = (_action: string, repository?: string) => repository === "team/app";
  const { read } = await openRegistry(createMemoryAccess([{ name: "reader", password: "p", may }]));
  const path = "/v2/as-of-20261001t0100z/team/app/manifests/latest";
  const challenge = (await read(path)).headers.get("www-authenticate") ?? "";
  expect(challenge).toContain('scope="repository:as-of-20261001t0100z/team/app:pull"');
  const tokenFor = async (actions: string) => {
    const scope = `repository:as-of-20261001t0100z/team/app:${actions}`;
    const authorization = `Basic ${Buffer.from("reader:p").toString("base64")}`;
    const answer = await read(`/token?service=test&scope=${scope}`, { headers: { authorization } });
    return ((await answer.json()) as { token: string }).token;
  };
  const headers = { authorization: `Bearer ${await tokenFor("pull,push")}` };
  expect((await read(path, { headers })).status).toBe(200);
  expect((await read("/v2/team/app/manifests/latest", { headers })).status).toBe(200);
  const upload = await read("/v2/team/app/blobs/uploads/", { method: "POST", headers });
  expect(upload.status).toBe(401);
});

test("a caller who may not pull the repository learns nothing", async () => {
  const { read } = await openRegistry(createMemoryAccess([]));
  for (const path of ["manifests/latest", "manifests/lost", "manifests/none", "tags/list"]) {
    const answer = await read(`/v2/as-of-20261001t0100z/team/app/${path}`);
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain("2026-");
  }
});
