import { expect, test } from "vitest";
import { buildTarball } from "../testing/build-tarball.ts";
import { json, put, registry } from "../testing/registry.ts";

type Packument = {
  readonly _rev: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, unknown>>;
};

/** A registry with the versions 1.0.0 and 2.0.0 of demo; `latest` and `next` point to 2.0.0. */
async function openRegistry() {
  const { app, ports } = registry();
  for (const version of ["1.0.0", "2.0.0"]) await put(app, { version });
  await ports.recorder.setTag("demo", { tag: "next", version: "2.0.0" }, { actor: "tester" });
  const get = (path: string, accept = "application/json") =>
    app.request(`/npm/${path}`, { headers: { accept } });
  const read = async (path: string, accept?: string) => {
    const answer = await get(path, accept);
    return (await answer.json()) as Packument;
  };
  const lose = async (version: string) => {
    const blob = await ports.lookup.tarball("demo", version);
    if (!blob) throw new Error(`${version} has no tarball`);
    await ports.register.markMissing(blob.key);
  };
  const send = async (method: string, revision: string, body?: object) => {
    const init = { method, headers: json, ...(body && { body: JSON.stringify(body) }) };
    return (await app.request(`/npm/demo/-rev/${revision}`, init)).status;
  };
  return { app, ports, get, read, lose, send };
}

const ABBREVIATED = "application/vnd.npm.install-v1+json";

test.each(["application/json", ABBREVIATED])(
  "a lost version is left out of the packument (%s) until the same bytes are published",
  async (accept) => {
    const { app, read, lose } = await openRegistry();
    const before = await read("demo", accept);
    await lose("2.0.0");
    const damaged = await read("demo", accept);
    expect(Object.keys(damaged.versions)).toEqual(["1.0.0"]);
    expect(damaged["dist-tags"]).toEqual({ latest: "1.0.0" });

    const tarball = buildTarball({ name: "demo", version: "2.0.0", files: { "b.js": "other" } });
    const other = await put(app, { version: "2.0.0", tarball });
    expect([other.status, await other.text()]).toEqual([
      403,
      expect.stringContaining("cannot publish over the previously published versions: 2.0.0."),
    ]);
    expect(Object.keys((await read("demo", accept)).versions)).toEqual(["1.0.0"]);

    const restored = await put(app, { version: "2.0.0", tag: "other" });
    expect(restored.status).toBe(200);
    expect(restored.headers.get("npm-notice")).toMatch(
      /^Restored the lost tarball of demo@2\.0\.0/,
    );
    expect(await read("demo", accept)).toEqual(before);
  },
);

test("a lost version returns 404, and the list of tags has the stored ones", async () => {
  const { get, read, lose } = await openRegistry();
  await lose("2.0.0");
  const statuses = ["demo/2.0.0", "demo/next", "demo/latest"].map(
    async (path) => (await get(path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
  expect(await read("demo/latest")).toMatchObject({ version: "1.0.0" });
  expect(await read("-/package/demo/dist-tags")).toEqual({ latest: "2.0.0", next: "2.0.0" });
});

test("a lost only version leaves an empty packument, and its bytes restore it", async () => {
  const { app, ports } = registry();
  await put(app, {});
  const blob = await ports.lookup.tarball("demo", "1.0.0");
  await ports.register.markMissing(blob?.key ?? "");
  const answer = await app.request("/npm/demo");
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { "dist-tags": {}, versions: {} },
  ]);
  expect((await put(app, {})).status).toBe(200);
  const healed = await app.request("/npm/demo");
  expect(await healed.json()).toMatchObject({ "dist-tags": { latest: "1.0.0" } });
});

test("the document of an installer, sent back, unpublishes no lost version", async () => {
  const { ports, read, lose, send } = await openRegistry();
  await lose("2.0.0");
  const shown = await read("demo");
  expect(await send("PUT", shown["_rev"], shown)).toBe(201);
  expect(await send("PUT", shown["_rev"], { ...shown, versions: {} })).toBe(201);
  const { versions = [] } = (await ports.lookup.find("demo")) ?? {};
  expect(versions.map(({ version }) => version)).toEqual(["2.0.0"]);
  expect(await send("PUT", shown["_rev"], shown)).toBe(409);
});

test("?write=true lists lost versions, so that they can be unpublished", async () => {
  const { ports, read, lose, send } = await openRegistry();
  await lose("2.0.0");
  const whole = await read("demo?write=true");
  expect(Object.keys(whole.versions)).toEqual(["1.0.0", "2.0.0"]);
  expect(whole["dist-tags"]).toEqual({ latest: "2.0.0", next: "2.0.0" });
  const kept = { ...whole, versions: { "1.0.0": whole.versions["1.0.0"] } };
  expect(await send("PUT", whole["_rev"], kept)).toBe(201);
  expect((await ports.lookup.find("demo"))?.distTags).toEqual({ latest: "1.0.0" });
});
