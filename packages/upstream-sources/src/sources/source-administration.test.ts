import { randomBytes } from "node:crypto";
import { openKeyRing } from "@sealhouse/identity";
import { expect, test } from "vitest";
import { createMemoryMirrorPorts } from "../testing/memory-mirror-ports.ts";
import { createSource } from "./create-source.ts";
import type { SourceParts } from "./create-source.ts";
import { openSourceAdministration } from "./source-administration.ts";

const caller = { actor: "ada" };
const NOW = new Date("2026-03-01T00:00:00Z");

const source = (parts: Partial<SourceParts> = {}) =>
  createSource({
    name: "Npmjs",
    protocol: "npm",
    url: "https://registry.example",
    from: "database",
    ...parts,
  });

type Options = {
  readonly configured?: readonly ReturnType<typeof source>[];
  readonly own?: readonly string[];
  readonly isAnonymousPull?: boolean;
  readonly fetch?: (url: URL) => Promise<Response>;
};

async function open(options: Options = {}) {
  const { fetch = async () => new Response("{}"), configured = [], own = [] } = options;
  const ports = createMemoryMirrorPorts({ own, now: () => NOW });
  const keyRing = await openKeyRing({ random: randomBytes });
  const calls: string[] = [];
  let changes = 0;
  const parts = {
    rows: ports.sources,
    states: ports.states,
    origins: ports.origins,
    configured,
    surroundings: {
      isAnonymousPull: options.isAnonymousPull ?? false,
      ownOrigins: [],
      surfaces: [],
    },
    fetchOf: () => async (url: URL) => {
      calls.push(url.href);
      return fetch(url);
    },
    now: () => NOW,
    onChange: () => void (changes += 1),
  };
  const administration = openSourceAdministration({ ...parts, keyRing });
  const put = (added = source(), isReplacing = false) =>
    administration.put(added, { isReplacing, caller });
  const reopen = async () =>
    openSourceAdministration({ ...parts, keyRing: await openKeyRing({ random: randomBytes }) });
  return { administration, put, ports, calls, changes: () => changes, reopen };
}

test("adds a source after one call, and lists it without its secret", async () => {
  const { administration, put, calls, changes } = await open();
  const credentials = { type: "bearer", token: "secret" } as const;
  expect(await put(source({ credentials }))).toEqual({ status: "changed" });
  expect([calls.length, changes()]).toEqual([1, 1]);
  const listed = await administration.list();
  expect(listed).toMatchObject([
    {
      isUnreadable: false,
      description: { name: "Npmjs", status: "unused", credentials: "bearer" },
    },
  ]);
  expect(JSON.stringify(listed.map(({ description }) => description))).not.toContain("secret");
});

test("a name has one source without regard to letter case", async () => {
  const { administration, put } = await open();
  await put();
  expect(await put(source({ name: "NPMJS" }))).toEqual({ status: "exists" });
  expect(await put(source({ name: "NPMJS", priority: 3 }), true)).toEqual({ status: "changed" });
  const listed = await administration.list();
  expect(listed.map(({ source: { name, priority } }) => [name, priority])).toEqual([["NPMJS", 3]]);
});

test("adds a source that does not answer with a warning, and refuses a wrong one", async () => {
  const { administration, put, changes } = await open({
    fetch: async () => {
      throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
    },
  });
  expect(await put(source({ name: "a b" }))).toMatchObject({
    status: "refused",
    problems: [{ part: "Name" }],
  });
  const missing = source({ settings: { caPath: "/nowhere/ca.pem" } });
  expect(await put(missing)).toMatchObject({ problems: [{ part: "CaPath" }] });
  expect(await administration.list()).toEqual([]);
  const added = await put();
  expect(added).toMatchObject({
    status: "changed",
    warning: expect.stringContaining("Npmjs does not answer: "),
  });
  expect(changes()).toBe(3);
});

test("a disabled source is not called", async () => {
  const { administration, put, calls } = await open();
  await put(source({ isEnabled: false }));
  expect(calls).toEqual([]);
  expect(await administration.enable("npmjs", true, caller)).toEqual({ status: "changed" });
  expect((await administration.list())[0]?.source.isEnabled).toBe(true);
});

test("enables a source only if it could add it", async () => {
  const { administration, put } = await open({ isAnonymousPull: true });
  const credentials = { type: "bearer", token: "secret" } as const;
  expect(await put(source({ credentials }))).toMatchObject({
    status: "refused",
    problems: [{ part: "PublicThroughHere" }],
  });
  expect(await put(source({ credentials, isEnabled: false }))).toEqual({ status: "changed" });
  expect(await administration.enable("Npmjs", true, caller)).toMatchObject({ status: "refused" });
  expect(await administration.enable("Npmjs", false, caller)).toEqual({ status: "changed" });
  expect(await administration.enable("other", true, caller)).toEqual({ status: "absent" });
});

test("sources of the database replace those of the configuration", async () => {
  const configured = [source({ name: "npm-mirror", from: "configuration" })];
  const { administration, put } = await open({ configured });
  const statuses = async () =>
    (await administration.list()).map(
      ({ description }) => `${description.name} ${description.status}`,
    );
  expect(await statuses()).toEqual(["npm-mirror unused"]);
  await put();
  expect(await statuses()).toEqual(["Npmjs unused", "npm-mirror replaced"]);
  expect(await administration.remove("npmjs", caller)).toBe("removed");
  expect(await administration.remove("npmjs", caller)).toBe("absent");
  expect(await statuses()).toEqual(["npm-mirror unused"]);
});

test("a source shows the state that all instances share", async () => {
  const { administration, put, ports } = await open();
  await put();
  await ports.states.note("npmjs", { lastErrorAt: NOW, lastError: "answered 503" });
  expect((await administration.list())[0]?.description).toMatchObject({
    status: "failing",
    lastError: "answered 503",
  });
});

test("lists a source with undecryptable credentials as such", async () => {
  const { put, reopen } = await open();
  await put(source({ credentials: { type: "bearer", token: "secret" } }));
  const other = await reopen();
  expect(await other.list()).toMatchObject([{ isUnreadable: true }]);
});

test("conflicts are own names that a source has; it gets names of its protocol only", async () => {
  const has = new Set(["/left-pad"]);
  const { administration, put, calls } = await open({
    own: ["npm/left-pad", "npm/private", "nuget/acme"],
    fetch: async ({ pathname }) =>
      has.has(pathname)
        ? Response.json({ name: "left-pad", versions: {} })
        : new Response("{}", { status: 404 }),
  });
  await put();
  calls.length = 0;
  const { signal } = new AbortController();
  const report = await administration.conflicts("npm", signal);
  expect(JSON.stringify(report)).toContain("left-pad");
  expect(JSON.stringify(report)).not.toContain("private");
  expect(calls.map((url) => new URL(url).pathname).toSorted()).toEqual(["/left-pad", "/private"]);
});

test("a test of a source reports what came back", async () => {
  const { administration } = await open({
    fetch: async () => new Response("", { status: 401 }),
  });
  const report = await administration.test(source(), new AbortController().signal);
  expect(report).toMatchObject({ outcome: "failed", status: 401 });
});
