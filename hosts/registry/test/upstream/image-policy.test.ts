import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@sealhouse/database";
import { buildIndex } from "@sealhouse/oci-distribution/testing";
import type { TestManifest } from "@sealhouse/oci-distribution/testing";
import type { PolicyRule } from "@sealhouse/upstream-sources";
import { openScriptedImages } from "@sealhouse/upstream-sources/testing";
import type { ScriptedImages } from "@sealhouse/upstream-sources/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { imageOf, startMirrorHost } from "./mirror-host.ts";
import type { MirrorHost } from "./mirror-host.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Rules apply after two seconds. */
const SOON = { timeout: 10_000, interval: 200 };
const cleanUp = new AsyncDisposableStack();
let host: MirrorHost;
let hub: ScriptedImages;
let writer: Record<string, string>;

beforeAll(async () => {
  hub = cleanUp.use(await openScriptedImages());
  host = cleanUp.use(
    await startMirrorHost([
      { name: "hub", url: hub.url, settings: { minimumReleaseAgeMs: 7 * DAY_MS } },
    ]),
  );
  const token = await host.makeToken({ scopes: "read,write,delete" });
  writer = { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
});
afterAll(() => cleanUp.disposeAsync());

async function manifest(path: string, reference: string) {
  const { status, headers, text } = await host.ask(`${path}/manifests/${reference}`);
  const { errors = [] } = (status === 200 ? {} : JSON.parse(text)) as {
    readonly errors?: readonly { readonly code: string; readonly message: string }[];
  };
  return {
    status,
    digest: headers.get("docker-content-digest"),
    warning: headers.get("warning"),
    error: errors[0] && `${errors[0].code} ${errors[0].message}`,
  };
}

const digestAt = async (path: string, reference: string) =>
  (await manifest(path, reference)).digest;
const statusOf = async (path: string, reference: string) =>
  (await manifest(path, reference)).status;

async function addRule(
  effect: PolicyRule["effect"],
  pattern: string,
  versions = "",
): Promise<string> {
  const rule: PolicyRule = {
    id: randomUUID(),
    effect,
    protocol: "oci",
    pattern,
    versions,
    conditions: {},
    reason: "It mines coins.",
    createdBy: "ada",
    createdAt: new Date(),
  };
  await using database = await openStored();
  await database.upstream.rules.add(rule, { actor: "ada" });
  return rule.id;
}

function openStored() {
  return openDatabase({ type: "Sqlite", path: join(host.folder, "sealhouse.db") });
}

const put = (path: string, { bytes, mediaType }: TestManifest) =>
  host.ask(path, {
    method: "PUT",
    body: Buffer.from(bytes),
    headers: { ...writer, "content-type": mediaType },
  });

test("serves the first image of a tag, and holds the next one back", async () => {
  const [first, second] = [imageOf("first"), imageOf("second")];
  hub.put("team/moving", first, "1.0");
  expect(await manifest("team/moving", "1.0")).toMatchObject({
    digest: first.digest,
    warning: null,
  });
  hub.put("team/moving", second, "1.0");
  const moved = { digest: first.digest, warning: expect.stringContaining(second.digest) };
  await expect.poll(() => manifest("team/moving", "1.0"), SOON).toMatchObject(moved);
  const { warning } = await manifest("team/moving", "1.0");
  expect(warning).toMatch(/^299 - "team\/moving:1\.0 is .* by MinimumReleaseAge of .* hub\."$/);
  expect((await host.ask("team/moving/tags/list")).text).toContain('"tags":["1.0"]');
  const page = await fetch(new URL("/images/team/moving:1.0", host.url));
  expect(await page.text()).toMatch(
    /A newer image of this tag is held back.*team\/moving:1\.0 is an older image here.*Until <time/s,
  );
  const { status, error } = await manifest("team/moving", second.digest);
  expect(status).toBe(403);
  expect(error).toMatch(/^DENIED team\/moving sha256:.* is held back until .* waits 7 days/);
  // An exception for the tag is one for its image.
  const rule = ["--protocol", "oci", "--name", "team/moving", "--versions", "1.0"];
  const added = await host.cli("policy", "allow", ...rule, "--reason", "ada reviewed it.");
  expect(added.code, added.stderr).toBe(0);
  await expect.poll(() => digestAt("team/moving", "1.0"), SOON).toBe(second.digest);
  expect((await manifest("team/moving", "1.0")).warning).toBeNull();
});

test("refuses an image of this registry by a rule, also as of a time", async () => {
  const own = buildIndex([]);
  for (const tag of ["1.0", "2.0"]) {
    expect((await put(`own/app/manifests/${tag}`, own)).status).toBe(201);
  }
  // The view of a second does not show what was pushed later in it.
  await delay(1_100);
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").toLowerCase();
  const then = `as-of-${time}z/own/app`;
  expect(await statusOf(then, "1.0")).toBe(200);
  expect(await statusOf("own/app", "1.0")).toBe(200);
  await addRule("deny", "own/*", "1.0");
  await expect.poll(() => statusOf("own/app", "1.0"), SOON).toBe(403);
  expect(await statusOf("own/app", "2.0")).toBe(200);
  expect(await statusOf(then, "1.0")).toBe(403);
  expect((await host.ask(`${then}/tags/list`)).text).toContain('"tags":["2.0"]');
});
