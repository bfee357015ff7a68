import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import type { NewNpmAdvisory } from "../advisories/ports.ts";
import type { AuthorizePackage } from "../ports.ts";
import { json, registry, unreadable } from "../testing/registry.ts";

const BULK = "/npm/-/npm/v1/security/advisories/bulk";
const QUICK = "/npm/-/npm/v1/security/audits/quick";

function about(name: string, changes: Partial<NewNpmAdvisory> = {}): NewNpmAdvisory {
  return {
    name,
    advisoryId: "GHSA-aaaa-bbbb-cccc",
    severity: 2,
    title: "It breaks",
    url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
    versions: ">=1.0.0 <2.0.0",
    cwe: ["CWE-79"],
    cvss: { score: 7.5, vectorString: "CVSS:3.1/AV:N" },
    ...changes,
  };
}

async function seeded(...advisories: readonly NewNpmAdvisory[]) {
  const made = registry();
  await made.ports.advisories.replace("one", advisories);
  const post = (path: string, body: unknown) =>
    made.app.request(path, { method: "POST", headers: json, body: JSON.stringify(body) });
  return { ...made, post };
}

test("tells the advisories about the versions asked for, and of no other", async () => {
  const elsewhere = about("demo", { advisoryId: "GHSA-2", versions: ">=5.0.0" });
  const { post } = await seeded(about("demo"), elsewhere, about("@acme/x"), about("rest"));
  const inventory = {
    demo: ["2.0.0", "1.5.0-rc.1"],
    "@acme/x": ["2.0.0"],
    "never-there": ["1.0.0"],
  };
  const answer = await post(BULK, inventory);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    demo: [
      {
        id: expect.any(Number),
        url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
        title: "It breaks",
        severity: "high",
        vulnerable_versions: ">=1.0.0 <2.0.0",
        cwe: ["CWE-79"],
        cvss: { score: 7.5, vectorString: "CVSS:3.1/AV:N" },
      },
    ],
  });
});

test("says in npm's words that there is no score", async () => {
  const { cvss: _cvss, ...unscored } = about("demo");
  const { post } = await seeded(unscored);
  expect(await (await post(BULK, { demo: ["1.0.0"] })).json()).toMatchObject({
    demo: [{ cvss: { score: 0, vectorString: null } }],
  });
});

test("tells once what two sources say, with the higher severity and both ranges", async () => {
  const { ports, post } = await seeded(about("demo", { severity: 1 }));
  const graver = { severity: 3, versions: ">=3.0.0 <3.1.0" } as const;
  await ports.advisories.replace("two", [about("demo", graver)]);
  expect(await (await post(BULK, { demo: ["1.0.0"] })).json()).toMatchObject({
    demo: [{ severity: "critical", vulnerable_versions: ">=3.0.0 <3.1.0 || >=1.0.0 <2.0.0" }],
  });
});

test("reads bodies as npm and bun send them: packed", async () => {
  const { app } = await seeded(about("demo"));
  const body = gzipSync(JSON.stringify({ demo: ["1.0.0"] }));
  const headers = { ...json, "content-encoding": "gzip" };
  const answer = await app.request(BULK, { method: "POST", headers, body });
  expect(Object.keys((await answer.json()) as object)).toEqual(["demo"]);
});

test("ignores invalid names and versions", async () => {
  const { app } = await seeded(about("demo"));
  const body = '{"__proto__":["1.0.0"],"../x":["1"],"demo":[7,null,"x","1.0.0"],"a":{"b":1}}';
  const answer = await app.request(BULK, { method: "POST", headers: json, body });
  expect(answer.status).toBe(200);
  expect(Object.keys((await answer.json()) as object)).toEqual(["demo"]);
});

const versions = (count: number) => Array.from({ length: count }, (_, index) => `1.0.${index}`);
const packages = (count: number, of: readonly string[]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, of]));
const nested = (depth: number): object =>
  depth === 0 ? {} : { dependencies: { demo: { version: "1.0.0", ...nested(depth - 1) } } };

test.each<[string, string, unknown, number, RegExp]>([
  ["no object", BULK, ["demo"], 400, /not an object of package names/],
  ["null", BULK, null, 400, /not an object of package names/],
  ["too many packages", BULK, packages(10_001, []), 413, /up to 10000 packages/],
  ["too many versions", BULK, packages(51, versions(500)), 413, /up to 25000 versions at/],
  ["too many of one", BULK, { demo: versions(501) }, 413, /up to 500 versions of one/],
  ["too many objects", QUICK, Array.from({ length: 20_001 }, () => ({})), 413, /20000 objects/],
  ["too many values", BULK, Array.from({ length: 45_002 }, () => 1), 413, /45001 values/],
  ["too many places", QUICK, Array.from({ length: 100_001 }, () => 1), 413, /100000 values/],
  ["too much", BULK, "x".repeat(3 * 1024 * 1024), 413, /larger than 2048 KiB/],
  ["too much of a tree", QUICK, "x".repeat(5 * 1024 * 1024), 413, /larger than 4096 KiB/],
  ["no tree", QUICK, [], 400, /not a lock file/],
  ["too deep a tree", QUICK, nested(250), 413, /deeper than 200 packages/],
])("refuses %s in npm's form", async (...[, path, body, status, words]) => {
  const { post } = await seeded(about("demo"));
  const answer = await post(path, body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({
    error: expect.stringMatching(words),
    message: expect.stringMatching(words),
  });
});

test.each([
  ["half a body", '{"demo":["1.', json, 400],
  ["deep nesting", "[".repeat(10_000), json, 400],
  ["what is not packed", "{}", { ...json, "content-encoding": "gzip" }, 400],
  ["what grows", gzipSync(" ".repeat(3_000_000)), { ...json, "content-encoding": "gzip" }, 413],
])("refuses %s", async (_, body, headers, status) => {
  const { app } = await seeded();
  expect((await app.request(BULK, { method: "POST", headers, body })).status).toBe(status);
});

test("has an answer for 25,000 versions against 60 ranges", async () => {
  const many = Array.from({ length: 60 }, (_, index) =>
    about("p1", { advisoryId: `X-${index}`, versions: `>=9.${index}.0` }),
  );
  const { post } = await seeded(...many);
  expect((await post(BULK, packages(50, versions(500)))).status).toBe(200);
});

test.each([BULK, QUICK])("receives no more of a body to %s than shows its excess", async (path) => {
  const { app } = await seeded();
  const chunk = new TextEncoder().encode("[".repeat(64 * 1024));
  let pulled = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    pulled += 1;
    controller.enqueue(chunk);
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  const answer = await app.request(path, { method: "POST", headers: json, body, duplex: "half" });
  expect(answer.status).toBe(413);
  expect(pulled).toBeLessThan(path === BULK ? 4 : 20);
});

test.each([BULK, QUICK])("counts the values of an audit to %s for its network", async (path) => {
  const counts: number[] = [];
  const limitAudits = async (_request: Request, _env: unknown, values: number) => {
    counts.push(values);
    return values > 20 ? 7 : undefined;
  };
  const { app } = registry({ limitAudits });
  const send = (names: number) =>
    app.request(path, { method: "POST", headers: json, body: JSON.stringify(packages(names, [])) });
  expect((await send(2)).status).toBe(200);
  const limited = await send(100);
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after")).toBe("7");
  const [before, few, again, many = 0] = counts;
  expect([before, again]).toEqual([0, 0]);
  expect(few).toBeLessThan(6);
  expect(many).toBeGreaterThan(200);
});

test("does not receive the body of a network that has sent too many audits", async () => {
  const { app } = registry({ limitAudits: async () => 7 });
  const body = unreadable();
  const answer = await app.request(BULK, { method: "POST", headers: json, body, duplex: "half" });
  expect(answer.status).toBe(429);
});

test("does not read the body of a caller without read access", async () => {
  const authorize: AuthorizePackage = async () => ({ status: "anonymous" });
  const { app } = registry({ authorize });
  for (const path of [BULK, QUICK]) {
    const init = { method: "POST", headers: json, body: unreadable(), duplex: "half" };
    expect((await app.request(path, init as RequestInit)).status).toBe(401);
  }
});

test.each([BULK, QUICK])("answers %s to POST only", async (path) => {
  const { app } = registry();
  const answer = await app.request(path);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});

const TREE = {
  name: "consumer",
  version: "1.0.0",
  requires: { demo: "1" },
  dependencies: {
    demo: { version: "1.0.0", dev: true },
    "@acme/x": { version: "3.0.0", dependencies: { demo: { version: "1.5.0", optional: true } } },
    odd: 7,
  },
};

test.each([QUICK, "/npm/-/npm/v1/security/audits"])("audits a whole tree at %s", async (path) => {
  const { post } = await seeded(about("demo"), about("rest"));
  const answer = await post(path, TREE);
  expect(answer.status).toBe(200);
  const { actions, muted, advisories, metadata } = (await answer.json()) as {
    readonly [field: string]: unknown;
    readonly advisories: Readonly<Record<string, object>>;
  };
  expect([actions, muted]).toEqual([[], []]);
  expect(metadata).toEqual({
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 1, critical: 0 },
    dependencies: 1,
    devDependencies: 1,
    optionalDependencies: 1,
    totalDependencies: 3,
  });
  const [[id, advisory] = []] = Object.entries(advisories);
  expect(advisory).toMatchObject({
    id: Number(id),
    module_name: "demo",
    severity: "high",
    title: "It breaks",
    vulnerable_versions: ">=1.0.0 <2.0.0",
    patched_versions: ">=2.0.0",
    github_advisory_id: "GHSA-aaaa-bbbb-cccc",
    url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
    findings: [
      { version: "1.0.0", paths: ["demo"], dev: true, optional: false },
      { version: "1.5.0", paths: ["@acme/x>demo"], dev: false, optional: true },
    ],
  });
});

test.each([BULK, QUICK])("running audits share their memory: %s", async (path) => {
  const { app } = registry({}, { auditMemoryBytes: 10_000 });
  const { promise: rest, resolve } = Promise.withResolvers<undefined>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(`{"demo":${" ".repeat(9_000)}`));
      await rest;
      controller.enqueue(Buffer.from('["1.0.0"]}'));
      controller.close();
    },
  });
  const post = (sent: ReadableStream<Uint8Array> | string) =>
    app.request(path, { method: "POST", headers: json, body: sent, duplex: "half" });
  const small = JSON.stringify({ demo: ["1.0.0"], padding: [" ".repeat(2_000)] });
  const first = post(body);
  // The first chunk is read within some turns of the event loop.
  const refused = await vi.waitFor(async () => {
    const answer = await post(small);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("too many audits") });
  resolve(undefined);
  expect((await first).status).toBeLessThan(500);
  expect((await post(small)).status).not.toBe(503);
});

test("makes no huge answer out of a tree that is made for it", async () => {
  const long = "x".repeat(200);
  const leaves = versions(500).map((version, index) => [
    `leaf-${index}`,
    { version: "1.0.0", dependencies: { demo: { version } } },
  ]);
  let dependencies: object = Object.fromEntries(leaves);
  for (let depth = 0; depth < 190; depth++) {
    dependencies = { [`${long}${depth}`]: { version: "1.0.0", dependencies } };
  }
  const many = Array.from({ length: 60 }, (_, index) =>
    about("demo", { advisoryId: `X-${index}`, versions: ">=0" }),
  );
  const { post } = await seeded(...many);
  const answer = await post(QUICK, { dependencies });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text.length).toBeLessThan(12_000_000);
  const { advisories } = JSON.parse(text) as { readonly advisories: object };
  expect(Object.keys(advisories)).toHaveLength(60);
});

test.each([
  ["<2.0.0", ">=2.0.0"],
  [">=1.0.0 <=1.2.0", ">1.2.0"],
  ["<1.2.0 || >=2.0.0 <2.1.0", ">=2.1.0"],
  [">=0", "<0.0.0"],
  ["<1.2.0 || >=2.0.0", "<0.0.0"],
  ["1.0.0", "<0.0.0"],
])("says that %s is patched in %s", async (affected, patched) => {
  const { post } = await seeded(about("demo", { versions: affected }));
  const dependencies = { demo: { version: "1.0.0" } };
  const { advisories } = (await (await post(QUICK, { dependencies })).json()) as {
    readonly advisories: object;
  };
  expect(Object.values(advisories)).toMatchObject([{ patched_versions: patched }]);
});
