import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { expect, test } from "vitest";
import type { PolicyRule } from "../../policy/policy-rule.ts";
import type { RuleList } from "../../policy/rule-list.ts";
import { testSource } from "../../testing/memory-parts.ts";
import { openScriptedFeed } from "../../testing/scripted-feed.ts";
import type { Resource, ScriptedFeed, ScriptedVersion } from "../../testing/scripted-feed.ts";
import { openMirrorFeed } from "./mirror-feed.test.support.ts";
import type { MirrorFeed } from "./mirror-feed.test.support.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const AGE_MS = 7 * DAY_MS;
const YOUNG = new Date(NOW.getTime() - DAY_MS).toISOString();
const LIST = "/v3/package/acme.widgets/index.json";
const REGISTRATION = "/v3/registration-gz-semver2/acme.widgets";
const ALL = ["1.0.0", "1.1.0", "1.2.0"];

const fileOf = (version: string, file = `acme.widgets.${version}.nupkg`) =>
  `/v3/package/acme.widgets/${version}/${file}`;

function rule(parts: Partial<PolicyRule> = {}): PolicyRule {
  return {
    id: JSON.stringify(parts),
    effect: "deny",
    protocol: "nuget",
    pattern: "Acme.*",
    versions: "",
    conditions: {},
    reason: "It calls home.",
    createdBy: "ada",
    createdAt: NOW,
    ...parts,
  };
}

/** Rules that a test replaces. */
function rulesOf(...rules: PolicyRule[]) {
  const list: RuleList & { rules: readonly PolicyRule[] } = {
    rules,
    known: () => ({ revision: list.rules.map(({ id }) => id).join(), rules: list.rules }),
    current: async () => ({ revision: list.rules.map(({ id }) => id).join(), rules: list.rules }),
  };
  return list;
}

type Scene = AsyncDisposable & {
  readonly upstream: ScriptedFeed;
  readonly feed: MirrorFeed;
  readonly rules: ReturnType<typeof rulesOf>;
  readonly clock: { now: Date };
};

/** A source whose last version is as `fields` say; the others are from 2020. */
async function openScene({
  fields = { published: YOUNG },
  resources = ["content", "registration", "search", "readme"],
  rules = rulesOf(),
  minimumReleaseAgeMs = AGE_MS,
}: {
  readonly fields?: Partial<ScriptedVersion>;
  readonly resources?: readonly Resource[];
  readonly rules?: ReturnType<typeof rulesOf>;
  readonly minimumReleaseAgeMs?: number;
} = {}): Promise<Scene> {
  const upstream = await openScriptedFeed(resources);
  for (const version of ALL) {
    upstream.put("Acme.Widgets", version, { entry: { id: "Acme.Widgets" } });
  }
  upstream.put("Acme.Widgets", "1.2.0", {
    ...fields,
    entry: { id: "Acme.Widgets", ...fields.entry },
  });
  const clock = { now: NOW };
  const settings = { minimumReleaseAgeMs, revalidateAfterMs: 300 * DAY_MS };
  const feed = openMirrorFeed([testSource("nuget", upstream.url, { settings })], {
    now: () => clock.now,
    rules,
    own: ["nuget/acme.own"],
    mergeStrategy: "LocalPreferred",
  });
  return {
    upstream,
    feed,
    rules,
    clock,
    async [Symbol.asyncDispose]() {
      await feed[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

async function listed({ feed }: Pick<Scene, "feed">, path = LIST): Promise<unknown> {
  return ((await feed.json(path)) as { readonly versions?: unknown }).versions;
}

async function registered({ feed }: Scene): Promise<readonly string[]> {
  const text = JSON.stringify(await feed.json(`${REGISTRATION}/index.json`));
  return [...text.matchAll(/"catalogEntry":\{.*?"version":"([^"]+)"/g)].map(([, v]) => v ?? "");
}

async function refusal({ feed }: Scene, path: string) {
  const answer = await feed.get(path);
  await answer.arrayBuffer();
  return { status: answer.status, text: answer.headers.get("x-nuget-warning") ?? "" };
}

const HELD = /^Acme\.Widgets 1\.2\.0 is held back until 2026-03-16T12:00:00Z: it was published at/;
const UNSEEN = /1\.2\.0 is held back until 2026-03-17T12:00:00Z: it was first seen here at/;
const DENIED =
  /1\.2\.0 is denied on this registry: It calls home\. .* administrators of this registry\.$/;
const vulnerabilities = [{ advisoryUrl: "https://advisories.example/1", severity: "2" }];
const deny = (parts: Partial<PolicyRule>) => ({ rules: rulesOf(rule(parts)), fields: {} });

test.each([
  ["young", {}, HELD],
  ["without a date", { fields: { published: "1900-01-01T00:00:00Z", listed: false } }, UNSEEN],
  ["denied by its number", deny({ versions: "[1.2,)" }), DENIED],
  [
    "denied by its license",
    {
      rules: rulesOf(rule({ conditions: { licenses: ["GPL-*"] } })),
      fields: { entry: { licenseExpression: "GPL-3.0-only" } },
    },
    DENIED,
  ],
  [
    "denied by an advisory of its source",
    {
      rules: rulesOf(rule({ conditions: { severity: 2 } })),
      fields: { entry: { vulnerabilities } },
    },
    DENIED,
  ],
])("a version that is %s leaves documents and search, and its files answer 404", async (...row) => {
  const [, options, text] = row;
  await using scene = await openScene(options);
  const rest = ["1.0.0", "1.1.0"];
  expect(await listed(scene)).toEqual(rest);
  expect(await registered(scene)).toEqual(rest);
  const { data } = (await scene.feed.json("/v3/search?q=widgets")) as { readonly data: unknown };
  expect(data).toMatchObject([
    { version: "1.1.0", versions: [{ version: "1.0.0" }, { version: "1.1.0" }] },
  ]);
  const files = [undefined, "acme.widgets.nuspec", "readme", "icon"];
  const paths = [`${REGISTRATION}/1.2.0.json`, ...files.map((file) => fileOf("1.2.0", file))];
  for (const path of paths) {
    const refused = await refusal(scene, path);
    expect([refused.status, refused.text], path).toEqual([404, expect.stringMatching(text)]);
  }
  expect((await scene.feed.get(fileOf("1.1.0"))).status).toBe(200);
  expect(scene.upstream.requests.filter((path) => path.includes("1.2.0"))).toEqual([]);
});

test.each([
  ["old enough", { fields: {} }],
  ["young, with an exception", { rules: rulesOf(rule({ effect: "allow", versions: "1.2.0" })) }],
  ["young, without a least age", { minimumReleaseAgeMs: 0 }],
  ["under a rule about others", deny({ pattern: "Other.*" })],
  ["under a rule of npm", deny({ protocol: "npm", pattern: "**" })],
  ["under a rule that has ended", deny({ expiresAt: NOW })],
])("a version that is %s is served", async (_, options) => {
  await using scene = await openScene(options);
  expect(await listed(scene)).toEqual(ALL);
  expect(await registered(scene)).toEqual(ALL);
  expect((await scene.feed.get(fileOf("1.2.0"))).status).toBe(200);
});

test("without an age and rules, the list is served without dates", async () => {
  await using scene = await openScene({ minimumReleaseAgeMs: 0 });
  await listed(scene);
  expect(scene.upstream.requests).toEqual(["/v3/index.json", "/flat/acme.widgets/index.json"]);
});

test("versions of a list that no registration dates count from when they were seen", async () => {
  await using scene = await openScene({ resources: ["content"] });
  const { status, text } = await refusal(scene, LIST);
  expect([status, text]).toEqual([404, expect.stringContaining("it was first seen here at")]);
  scene.clock.now = new Date(NOW.getTime() + AGE_MS);
  expect(await listed(scene)).toEqual(ALL);

  await using behind = await openScene({ fields: {} });
  behind.upstream.answer = (path, outgoing) => {
    if (!path.startsWith("/registration")) return false;
    const versions = behind.upstream.versions.get("acme.widgets");
    const items = [...(versions ?? [])].slice(0, 2).map(([version, { published, entry }]) => ({
      catalogEntry: { ...entry, version, published },
    }));
    outgoing.end(JSON.stringify({ items: [{ items }] }));
    return true;
  };
  expect(await listed(behind)).toEqual(["1.0.0", "1.1.0"]);
  expect((await refusal(behind, fileOf("1.2.0"))).text).toMatch(UNSEEN);
});

test("a held version appears by itself, without a question to the source", async () => {
  await using scene = await openScene();
  expect(await listed(scene)).toEqual(["1.0.0", "1.1.0"]);
  expect(await registered(scene)).toEqual(["1.0.0", "1.1.0"]);
  const asked = scene.upstream.requests.length;
  scene.clock.now = new Date(NOW.getTime() + 6 * DAY_MS - 1);
  expect(await listed(scene)).toEqual(["1.0.0", "1.1.0"]);
  scene.clock.now = new Date(NOW.getTime() + 6 * DAY_MS);
  expect(await listed(scene)).toEqual(ALL);
  expect(await registered(scene)).toEqual(ALL);
  expect(scene.upstream.requests).toHaveLength(asked);
});

test("rules apply at once to stored documents, files and views as of a time", async () => {
  const exception = rule({ effect: "allow", versions: "1.2.0" });
  await using scene = await openScene({ rules: rulesOf(exception) });
  const { feed, rules } = scene;
  const view = `/@2026-03-10T00:00Z${LIST}`;
  expect(await listed(scene)).toEqual(ALL);
  expect(await listed(scene, view)).toEqual(ALL);
  await feed.bytes(fileOf("1.2.0"));
  // A stored version is no longer held back.
  rules.rules = [];
  expect(await listed(scene)).toEqual(ALL);
  expect((await feed.get(fileOf("1.2.0"))).status).toBe(200);
  rules.rules = [rule({ versions: "1.2.0" })];
  for (const path of [LIST, view]) expect(await listed(scene, path)).toEqual(["1.0.0", "1.1.0"]);
  for (const path of [fileOf("1.2.0"), `/@2026-03-10T00:00Z${fileOf("1.2.0")}`]) {
    expect(await refusal(scene, path)).toEqual({
      status: 404,
      text: expect.stringMatching(DENIED),
    });
  }
  rules.rules = [];
  for (const path of [LIST, view]) expect(await listed(scene, path)).toEqual(ALL);
  expect((await feed.get(fileOf("1.2.0"))).status).toBe(200);
});

test("a stored version is denied while its source is away, and the others stay", async () => {
  await using scene = await openScene({ minimumReleaseAgeMs: 0 });
  for (const version of ["1.1.0", "1.2.0"]) await scene.feed.bytes(fileOf(version));
  await scene.upstream.close();
  scene.rules.rules = [rule({ versions: "1.2.0" })];
  expect(await listed(scene)).toEqual(["1.0.0", "1.1.0"]);
  expect((await refusal(scene, fileOf("1.2.0"))).text).toMatch(DENIED);
  expect((await scene.feed.get(fileOf("1.1.0"))).status).toBe(200);
});

test("rules that deny apply to packages that were published here", async () => {
  const license = { metadata: '<license type="expression">GPL-3.0-only</license>' };
  await using scene = await openScene();
  for (const [version, recipe] of [
    ["1.0.0", {}],
    ["1.1.0", license],
  ] as const) {
    const nupkg = Buffer.from(buildNupkg({ id: "Acme.Own", version, ...recipe }));
    expect((await scene.feed.put(nupkg)).status).toBe(201);
  }
  const list = "/v3/package/acme.own/index.json";
  const file = "/v3/package/acme.own/1.1.0/acme.own.1.1.0.nupkg";
  expect(await listed(scene, list)).toEqual(["1.0.0", "1.1.0"]);
  scene.rules.rules = [rule({ conditions: { licenses: ["GPL-*"] } })];
  expect(await listed(scene, list)).toEqual(["1.0.0"]);
  expect((await refusal(scene, file)).status).toBe(404);
  scene.rules.rules = [rule()];
  expect((await refusal(scene, list)).text).toContain("Acme.Own 1.1.0 is denied");
});

test("finds refused versions of known ids, even when the source is away", async () => {
  await using scene = await openScene();
  const { mirrored } = scene.feed;
  const known = async () =>
    [...(await mirrored.refused("acme.widgets"))].map(([version, { status, until }]) => [
      version,
      status,
      until,
    ]);
  expect(await known()).toEqual([]);
  expect(scene.upstream.requests).toEqual([]);
  await listed(scene);
  expect(await known()).toEqual([["1.2.0", "held", new Date("2026-03-16T12:00:00Z")]]);
  await scene.feed.bytes(fileOf("1.1.0"));
  await scene.upstream.close();
  scene.rules.rules = [rule({ versions: "1.1.0" })];
  expect(await known()).toContainEqual(["1.1.0", "denied", undefined]);
});
