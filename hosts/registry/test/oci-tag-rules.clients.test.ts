import { join } from "node:path";
import { buildImage, sendAs } from "@sealhouse/oci-distribution/testing";
import type { Send, TestManifest } from "@sealhouse/oci-distribution/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import { hasClient, openFolder, run } from "./clients/client.ts";
import { writeImageLayout } from "./clients/image-layout.ts";

const RULES = {
  Feed__Oci__TagRules__0__Name: "releases",
  Feed__Oci__TagRules__0__Repositories: "team/**",
  Feed__Oci__TagRules__0__Tags: "v*",
  Feed__Oci__TagRules__0__Immutable: "true",
  Feed__Oci__TagRules__1__Repositories: "team/*, tools",
  Feed__Oci__TagRules__1__KeepNewest: "2",
  Feed__Oci__TagRules__1__KeepTags: "latest",
};

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());
let host: TestHost;
let password: string;
let send: Send;

beforeAll(async () => {
  host = cleanUp.use(await spawnHost({ env: { ...RULES, Feed__Oci__Default__Enabled: "true" } }));
  password = await host.makeToken({ name: "ci", scopes: "read,write,delete" });
  const registry = new URL(host.url);
  const credentials = { type: "basic", username: "ci", password } as const;
  send = sendAs({ registry, credentials });
});

function image(layer: string): TestManifest {
  return buildImage({ layers: [layer] });
}

async function push(repository: string, tags: readonly string[], { blobs, ...made }: TestManifest) {
  for (const { digest, bytes } of blobs) {
    const url = `/v2/${repository}/blobs/uploads/?digest=${digest}`;
    const headers = { "content-type": "application/octet-stream" };
    const body = Buffer.from(bytes);
    expect((await send(url, { method: "POST", headers, body })).status).toBe(201);
  }
  const answers: Response[] = [];
  for (const tag of tags) {
    const headers = { "content-type": made.mediaType };
    const put = { method: "PUT", headers, body: Buffer.from(made.bytes) };
    answers.push(await send(`/v2/${repository}/manifests/${tag}`, put));
  }
  return answers;
}

async function refusalOf(answer: Response | undefined) {
  const body = (await answer?.json()) as { errors: { code: string; message: string }[] };
  return { status: answer?.status, code: body.errors[0]?.code, message: body.errors[0]?.message };
}

test("refuses to move or to delete what a rule keeps, and names the rule", async () => {
  const first = image("first");
  const [pushed] = await push("team/app", ["v1"], first);
  expect(pushed?.status).toBe(201);
  const [again] = await push("team/app", ["v1"], first);
  expect(again?.status, "the same once more").toBe(201);

  const [moved] = await push("team/app", ["v1"], image("second"));
  expect(await refusalOf(moved)).toEqual({
    status: 409,
    code: "DENIED",
    message: 'the tag v1 is immutable by the rule "releases": push it under another tag',
  });
  for (const reference of ["v1", first.digest]) {
    const answer = await send(`/v2/team/app/manifests/${reference}`, { method: "DELETE" });
    expect(await refusalOf(answer)).toMatchObject({ status: 403, code: "DENIED" });
  }
  const head = await send("/v2/team/app/manifests/v1", { method: "HEAD" });
  expect(head.headers.get("docker-content-digest")).toBe(first.digest);
});

test("allows adding and deleting signatures next to immutable tags", async () => {
  const signed = `sha256-${"ab".repeat(32)}.sig`;
  for (const layer of ["one signature", "two signatures"]) {
    const [answer] = await push("team/app", [signed], image(layer));
    expect(answer?.status).toBe(201);
  }
});

test("retention lists what would be deleted, and deletes it on request", async () => {
  for (const tag of ["1", "2", "3", "latest"]) await push("tools", [tag], image(tag));
  const dry = await host.cli("oci", "retention");
  expect(dry).toMatchObject({
    code: 0,
    stdout: "would be deleted  tools:1  Feed__Oci__TagRules__1\n",
  });
  expect(dry.stderr).toContain("Would delete 1 tags. Use --apply to delete them.");
  expect((await send("/v2/tools/manifests/1")).status).toBe(200);

  const done = await host.cli("oci", "retention", "--apply", "--json");
  expect(JSON.parse(done.stdout)).toMatchObject({
    dryRun: false,
    removed: 1,
    tags: [{ repository: "tools", tag: "1", outcome: "deleted" }],
  });
  const { tags } = (await (await send("/v2/tools/tags/list")).json()) as { tags: string[] };
  expect(tags).toEqual(["2", "3", "latest"]);
});

test.skipIf(!hasClient("skopeo"))("skopeo shows people which rule refused them", async () => {
  await push("team/shown", ["v1"], image("what v1 is"));
  await using folder = await openFolder();
  await writeImageLayout(join(folder.path, "layout"), "1.0");
  const to = (command: string, ...words: readonly string[]) =>
    run("skopeo", ["--insecure-policy", command, ...words], { env: { HOME: folder.path } });
  const target = `docker://${new URL(host.url).host}/team/shown:v1`;
  const from = `oci:${join(folder.path, "layout")}:1.0`;
  const login = ["--dest-tls-verify=false", "--dest-creds", `ci:${password}`];
  const pushed = await to("copy", ...login, from, target);
  expect(pushed.code).not.toBe(0);
  expect(pushed.output).toContain("the tag v1 is immutable by the rule");
  const deleted = await to("delete", "--tls-verify=false", "--creds", `ci:${password}`, target);
  expect(deleted.code).not.toBe(0);
  expect(deleted.output).toContain("DENIED");
});
