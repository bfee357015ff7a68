import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startFaultProxy } from "@sealhouse/storage-providers/testing";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import {
  ACCESS_KEY,
  hasRadosgw,
  ROLE_ARN,
  SECRET_KEY,
  startInstanceMetadata,
  startRadosgw,
} from "../../../packages/storage-aws-s3/src/testing/index.ts";
import { extendedTest, runCli, spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";
import type { Artifact } from "./artifacts.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "./artifacts.ts";
import { hasClient, openFolder, run } from "./clients/client.ts";
import { openDotnetFeed } from "./clients/dotnet-feed.ts";
import { writeImageLayout } from "./clients/image-layout.ts";
import { parseIni, readManual, textsOf } from "./manual-page.ts";
import { expectRoundTrip, ROUND_TRIP_SETTINGS } from "./store-round-trip.ts";
import { expectUnavailable, pushAll } from "./unavailable-answers.ts";

const PAGE = await readManual("../../../docs/storage/aws-s3.md");
const started = hasRadosgw("no host has stored artifacts in S3") ? await startRadosgw() : undefined;
afterAll(() => started?.[Symbol.asyncDispose]());

/** A result of the probe is valid for ten seconds. */
const SOON = { timeout: 60_000, interval: 250 };
const MIB = 1024 * 1024;
const SLOW = { timeout: 240_000 };

const CLIENTS = ["dotnet", "npm", "skopeo"];
const LAYER_BYTES = 40 * MIB;

type Settings = Readonly<Record<string, string>>;

describe.skipIf(!started)("a host with its artifacts on radosgw", () => {
  const radosgw = started ?? expect.unreachable();
  const cleanUp: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const used of cleanUp.splice(0).toReversed()) await used[Symbol.asyncDispose]();
  });
  const use = <Used extends AsyncDisposable>(used: Used): Used => {
    cleanUp.push(used);
    return used;
  };

  /** The settings of a block of the page, with the values of radosgw instead of those of AWS. */
  async function settingsOf(block: string): Promise<Settings> {
    const settings = parseIni(textsOf(PAGE, `ini ${block}`).join(""));
    const own = radosgw.settingsFor(await radosgw.createBucket());
    const key = { id: ACCESS_KEY, secret: SECRET_KEY };
    const service = {
      ...settings,
      Storage__Bucket: own["Storage__Bucket"] ?? "",
      Storage__ServiceUrl: radosgw.url,
      Storage__ForcePathStyle: "true",
      Storage__Region: "us-east-1",
    };
    switch (block) {
      case "instance":
        return { ...service, ...use(await startInstanceMetadata(radosgw.url)).instance };
      case "key":
        return { ...service, Storage__AccessKey: key.id, REGISTRY_S3_SECRET: key.secret };
      case "profile":
        return { ...service, ...(await profileFile("registry")) };
      case "role":
        return {
          ...service,
          ...(await profileFile("default")),
          Storage__AssumeRoleArn: ROLE_ARN,
          Storage__StsServiceUrl: radosgw.url,
        };
      case "connection":
        return { ...settings, ConnectionStrings__Artifacts: connectionString(settings, own) };
      default:
        return { ...service, Storage__AccessKey: key.id, Storage__SecretKey: key.secret };
    }
  }

  async function profileFile(name: string): Promise<Settings> {
    const { path } = use(await openFolder());
    const file = join(path, "credentials");
    const lines = [`aws_access_key_id=${ACCESS_KEY}`, `aws_secret_access_key=${SECRET_KEY}`];
    await writeFile(file, `[${name}]\n${lines.join("\n")}\n`);
    return { AWS_SHARED_CREDENTIALS_FILE: file };
  }

  function connectionString(page: Settings, own: Settings): string {
    const query = page["ConnectionStrings__Artifacts"]?.split("?")[1]?.split("&") ?? [];
    const kept = query.filter((parameter) => !parameter.startsWith("region="));
    expect(kept).toEqual(["prefix=feeds/acme"]);
    const place = [`endpoint=${encodeURIComponent(radosgw.url)}`, "forcePathStyle=true"];
    const key = `${ACCESS_KEY}:${encodeURIComponent(SECRET_KEY)}`;
    return `s3://${key}@${own["Storage__Bucket"]}?${[...kept, ...place].join("&")}`;
  }

  test.each(["connection", "other"])(
    "with the settings %s of docs/storage/aws-s3.md stores and serves all artifacts",
    SLOW,
    async (block) => {
      const env = { ...ROUND_TRIP_SETTINGS, ...(await settingsOf(block)) };
      await using host = await spawnHost({ env });
      await expectRoundTrip(host);
      const { code, stderr } = await host.cli("config", "check");
      expect(code, stderr).toBe(0);
      expect(host.output()).not.toContain(SECRET_KEY);
    },
  );

  test.each(["instance", "key", "profile", "role"])(
    "with the settings %s of docs/storage/aws-s3.md signs in to the store",
    SLOW,
    async (block) => {
      const env = { ...ROUND_TRIP_SETTINGS, ...(await settingsOf(block)) };
      await using host = await spawnHost({ env });
      const token = await host.makeToken({ scopes: "read,write" });
      const artifact = nugetArtifact("Acme.Stored", randomBytes(MIB));
      expect(await artifact.push(host, token)).toBe(true);
      expect(await artifact.check(host)).toBe("whole");
      expect(host.output()).not.toContain(SECRET_KEY);
    },
  );

  test.each([
    ["Storage__Bucket", "missing", /Storage__Bucket: there is no bucket "missing"/],
    ["REGISTRY_S3_SECRET", "another", /Storage__AccessKey: S3 refuses these credentials/],
    ["Storage__AccessKey", "", /Storage__AccessKey: is required with Storage__SecretKey/],
  ])("does not start with %s=%s", async (key, value, reason) => {
    await using folder = await openFolder();
    const settings = { ...(await settingsOf("key")), [key]: value };
    const env = { ...settings, ASPNETCORE_ENVIRONMENT: "Development" };
    const { code, stderr } = await runCli(["serve"], { folder: folder.path, env });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain(SECRET_KEY);
    expect(code).toBe(78);
  });

  test.skipIf(CLIENTS.some((name) => !hasClient(name)))(
    "serves dotnet, npm and skopeo",
    SLOW,
    async () => {
      const env = { ...ROUND_TRIP_SETTINGS, ...(await settingsOf("other")) };
      await using feed = await openDotnetFeed({ scheme: "http", env });
      const { client, host, token } = feed;
      const files = { "content/bytes.bin": randomBytes(2 * MIB) };
      const nupkg = await feed.nupkg({ id: "Acme.Stored", version: "1.2.3", files });
      expect((await feed.push(nupkg)).output).toContain("Your package was pushed.");
      const consumer = await client.consumer({ id: "Acme.Stored", version: "1.2.3" });
      const restored = await client.run(["restore", "--nologo"], consumer);
      expect(restored.code, restored.output).toBe(0);
      await publishAndInstall(host, token);
      await copyImage(host, token);
      const check = await host.cli("check", "--scrub");
      expect(check.code, check.stderr).toBe(0);
    },
  );

  extendedTest.skipIf(CLIENTS.some((name) => !hasClient(name)))(
    "with Storage__RedirectDownloads, dotnet, npm and skopeo download from the store",
    SLOW,
    async () => {
      // Another host name than that of the registry: npm sends its token to other ports.
      const url = radosgw.url.replace("127.0.0.1", "localhost");
      const own = { Storage__RedirectDownloads: "true", Storage__ServiceUrl: url };
      const env = { ...ROUND_TRIP_SETTINGS, ...(await settingsOf("other")), ...own };
      await using feed = await openDotnetFeed({ scheme: "http", env });
      const { client, host, token } = feed;
      const files = { "content/bytes.bin": randomBytes(2 * MIB) };
      const nupkg = await feed.nupkg({ id: "Acme.Redirected", version: "1.2.3", files });
      expect((await feed.push(nupkg)).output).toContain("Your package was pushed.");
      const consumer = await client.consumer({ id: "Acme.Redirected", version: "1.2.3" });
      const restore = async () => {
        const { code, output } = await client.run(["restore", "--nologo", "--force"], consumer);
        expect(code, output).toBe(0);
      };
      await restore();
      const path = "/v3/package/acme.redirected/1.2.3/acme.redirected.1.2.3.nupkg";
      const address = async () => {
        const response = await host.fetch(path, { redirect: "manual" });
        await response.arrayBuffer();
        return response.headers.get("location") ?? "";
      };
      await expect.poll(address, SOON).toContain(`${url}/`);
      const cleared = await client.run(["nuget", "locals", "all", "--clear"], consumer);
      expect(cleared.code, cleared.output).toBe(0);
      await restore();
      await publishAndInstall(host, token);
      await copyImage(host, token);
    },
  );

  extendedTest("loses nothing that it acknowledged before a kill", SLOW, async () => {
    const env = { ...ROUND_TRIP_SETTINGS, ...(await settingsOf("other")) };
    const { path: folder } = use(await openFolder());
    const artifacts = Array.from({ length: 8 }, (_, index): readonly Artifact[] => [
      nugetArtifact(`Killed.N${index}`, randomBytes(MIB)),
      npmArtifact(`killed-n${index}`, randomBytes(MIB)),
      ociArtifact(`killed/n${index}`, randomBytes(10 * MIB)),
    ]).flat();
    const acknowledged = new Set<Artifact>();
    {
      const host = await spawnHost({ folder, env });
      const token = await host.makeToken({ scopes: "read,write" });
      const pushes = artifacts.map(async (artifact) => {
        if (await artifact.push(host, token).catch(() => false)) acknowledged.add(artifact);
      });
      while (acknowledged.size < 5) await delay(5);
      await host.kill();
      await Promise.all(pushes);
    }
    await using host = await spawnHost({ folder, env });
    for (const artifact of artifacts) {
      const state = await artifact.check(host);
      if (acknowledged.has(artifact))
        expect([artifact.name, state]).toEqual([artifact.name, "whole"]);
      expect([artifact.name, state]).not.toEqual([artifact.name, "broken"]);
    }
    expect(acknowledged.size).toBeLessThan(artifacts.length);
  });

  test("answers 503 while the store is away, reports it, and recovers", SLOW, async () => {
    await using proxy = await startFaultProxy(radosgw.url);
    const settings = { ...(await settingsOf("other")), Storage__ServiceUrl: proxy.url };
    await using host = await spawnHost({ env: { ...ROUND_TRIP_SETTINGS, ...settings } });
    const token = await host.makeToken({ scopes: "read,write" });
    const artifact = ociArtifact("stays/here", randomBytes(10 * MIB));
    expect(await artifact.push(host, token)).toBe(true);
    const health = async () => (await host.fetch("/health")).status;
    await expect.poll(health, SOON).toBe(200);

    proxy.faultOf = () => ({ type: "reset" });
    expectUnavailable(await pushAll(host, token, 2 * MIB), "storage");
    await expect.poll(health, SOON).toBe(503);
    expect((await host.fetch("/health/live")).status).toBe(200);
    expect(host.output()).not.toContain(SECRET_KEY);

    proxy.faultOf = () => undefined;
    await expect.poll(health, SOON).toBe(200);
    expect(await artifact.check(host)).toBe("whole");
    await expectRoundTrip(host);
  });
});

async function publishAndInstall(host: TestHost, token: string): Promise<void> {
  await using folder = await openFolder();
  const home = folder.path;
  const registry = `${host.url}/npm/`;
  const lines = [`registry=${registry}`, `//${new URL(registry).host}/npm/:_authToken=${token}`];
  await writeFile(join(home, ".npmrc"), `${lines.join("\n")}\n`);
  const env = {
    HOME: home,
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_cache: join(home, "cache"),
  };
  const npm = async (name: string, files: Readonly<Record<string, string>>, command: string[]) => {
    const cwd = join(home, name);
    await mkdir(cwd);
    for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
    const { code, output } = await run("npm", command, { cwd, env });
    expect(code, output).toBe(0);
  };
  const manifest = (name: string) => JSON.stringify({ name, version: "1.0.0" });
  const content = randomBytes(2 * MIB).toString("base64");
  const source = { "package.json": manifest("acme-stored"), "content.txt": content };
  await npm("source", source, ["publish"]);
  await npm("consumer", { "package.json": manifest("consumer") }, ["install", "acme-stored"]);
  const installed = join(home, "consumer/node_modules/acme-stored/content.txt");
  expect(await readFile(installed, "utf8")).toBe(content);
}

async function copyImage(host: TestHost, token: string): Promise<void> {
  await using folder = await openFolder();
  const [layout, copy] = [join(folder.path, "layout"), join(folder.path, "copy")];
  await writeImageLayout(layout, "1.0", LAYER_BYTES);
  const image = `docker://${new URL(host.url).host}/acme/stored:1.0`;
  const credentials = `tester:${token}`;
  const skopeo = async (...words: readonly string[]) => {
    const env = { HOME: folder.path };
    const { code, output } = await run("skopeo", ["--insecure-policy", "copy", ...words], { env });
    expect(code, output).toBe(0);
  };
  const to = ["--dest-tls-verify=false", "--dest-creds", credentials];
  await skopeo(...to, `oci:${layout}:1.0`, image);
  const from = ["--src-tls-verify=false", "--src-creds", credentials];
  await skopeo(...from, image, `oci:${copy}:1.0`);
  const blobs = await readdir(join(layout, "blobs/sha256"));
  expect((await readdir(join(copy, "blobs/sha256"))).toSorted()).toEqual(blobs.toSorted());
}
