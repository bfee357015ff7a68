import { spawnSync } from "node:child_process";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { sendAs } from "@sealhouse/oci-distribution/testing";
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { TestHost } from "../src/testing/index.ts";

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

/** A result of the probe is valid for ten seconds. */
const SOON = { timeout: 60_000, interval: 250 };
const SLOW = { timeout: 240_000 };

async function healthOf(
  host: TestHost,
): Promise<Record<"status" | "storage" | "database", unknown>> {
  const answer = await host.fetch("/health", { headers: { accept: "application/json" } });
  const { checks } = (await answer.json()) as { checks: Record<string, unknown> };
  const { storage, package_catalog_db: database } = checks;
  return { status: answer.status, storage, database };
}

function push(host: TestHost, token: string, version: string): Promise<Response> {
  const files = { "a.bin": randomBytes(100_000).toString("base64") };
  const body = new Uint8Array(buildNupkg({ id: "Acme.Fault", version, files }));
  const headers = { "x-nuget-apikey": token };
  return host.fetch("/api/v2/package/", { method: "PUT", headers, body });
}

describe("a storage folder that goes away", () => {
  let host: TestHost;
  beforeAll(async () => {
    host = cleanUp.use(await spawnHost());
  });

  test.each(["gone", "of another registry"])("%s: health reports it", SLOW, async (how) => {
    const root = join(host.folder, "packages");
    await expect.poll(() => healthOf(host), SOON).toMatchObject({ status: 200 });
    const path = how === "gone" ? root : join(root, "store-marker");
    await rename(path, `${path}-elsewhere`);
    if (how !== "gone") await writeFile(path, "Registry: other\n");
    await expect
      .poll(() => healthOf(host), SOON)
      .toMatchObject({
        status: 503,
        storage: { description: expect.stringMatching(/cannot be used/) as string },
      });
    expect((await host.fetch("/health/live")).status).toBe(200);
    await rm(path, { recursive: true, force: true });
    await rename(`${path}-elsewhere`, path);
    await expect.poll(() => healthOf(host), SOON).toMatchObject({ status: 200 });
  });
});

const canMount = process.getuid?.() === 0 && spawnSync("mount", ["--version"]).status === 0;
if (!canMount) {
  process.stderr.write(
    "\nSKIPPED: only root may mount a small disk; full disks are not tested\n\n",
  );
}

describe.skipIf(!canMount)("a storage that is full", () => {
  let host: TestHost;
  let token: string;
  let disk: string;

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), "sealhouse-disk-"));
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]);
    cleanUp.defer(async () => {
      spawnSync("umount", ["-l", disk]);
      await rm(disk, { recursive: true, force: true });
    });
    host = cleanUp.use(await spawnHost({ env: { Storage__Path: join(disk, "packages") } }));
    token = await host.makeToken({ scopes: "read,write" });
  });

  test("pushes answer 503 with the reason, health reports it, and both recover with the disk", async () => {
    const first = await push(host, token, "1.0.0");
    expect(first.status).toBe(201);
    spawnSync("sh", ["-c", `cat /dev/zero > ${join(disk, "filler")}`]);
    const refused = await push(host, token, "2.0.0");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(refused.statusText).toMatch(/storage has no disk space left/);
    const credentials = { type: "basic", username: "ci", password: token } as const;
    const bytes = randomBytes(50_000);
    const digest = createHash("sha256").update(bytes).digest("hex");
    const image = await sendAs({ registry: new URL(host.url), credentials })(
      `/v2/app/blobs/uploads/?digest=sha256:${digest}`,
      { method: "POST", headers: { "content-type": "application/octet-stream" }, body: bytes },
    );
    expect(image.status).toBe(503);
    expect(await image.json()).toMatchObject({ errors: [{ code: "UNAVAILABLE" }] });
    await expect
      .poll(() => healthOf(host), SOON)
      .toMatchObject({ status: 503, storage: { description: "is full" } });
    const whole = await host.fetch("/v3/package/acme.fault/1.0.0/acme.fault.1.0.0.nupkg");
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();

    await writeFile(join(disk, "filler"), "");
    expect((await push(host, token, "2.0.0")).status).toBe(201);
    await expect.poll(() => healthOf(host), SOON).toMatchObject({ status: 200 });
  });
});

describe.skipIf(!canMount)("a database whose volume is full", () => {
  test("health reports it like the pushes, and both recover with the volume", SLOW, async () => {
    await using mounted = new AsyncDisposableStack();
    const volume = await mkdtemp(join(tmpdir(), "sealhouse-volume-"));
    mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", volume);
    mounted.defer(async () => {
      spawnSync("umount", ["-l", volume]);
      await rm(volume, { recursive: true, force: true });
    });
    const env = { ConnectionStrings__Sqlite: `Data Source=${join(volume, "sealhouse.db")}` };
    const own = mounted.use(await spawnHost({ env }));
    const writer = await own.makeToken({ scopes: "read,write" });
    expect((await push(own, writer, "1.0.0")).status).toBe(201);
    await expect.poll(() => healthOf(own), SOON).toMatchObject({ status: 200 });

    spawnSync("sh", ["-c", `cat /dev/zero > ${join(volume, "filler")}`]);
    expect((await push(own, writer, "2.0.0")).status).toBe(503);
    await expect
      .poll(() => healthOf(own), SOON)
      .toMatchObject({ status: 503, database: { description: "is full" } });
    const whole = await own.fetch("/v3/package/acme.fault/1.0.0/acme.fault.1.0.0.nupkg");
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();

    await rm(join(volume, "filler"));
    expect((await push(own, writer, "2.0.0")).status).toBe(201);
    await expect.poll(() => healthOf(own), SOON).toMatchObject({ status: 200 });
  });
});

describe.skipIf(!canMount)("a storage that becomes read-only", () => {
  test("pushes answer 503, reads succeed, and all recover", SLOW, async () => {
    await using mounted = new AsyncDisposableStack();
    const readOnly = await mkdtemp(join(tmpdir(), "sealhouse-read-only-"));
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", readOnly);
    mounted.defer(async () => {
      spawnSync("umount", ["-l", readOnly]);
      await rm(readOnly, { recursive: true, force: true });
    });
    const env = { Storage__Path: join(readOnly, "packages") };
    const own = mounted.use(await spawnHost({ env }));
    const writer = await own.makeToken({ scopes: "read,write" });
    expect((await push(own, writer, "1.0.0")).status).toBe(201);

    mount("-o", "remount,ro", readOnly);
    const cannotBeUsed = expect.stringMatching(/read-only/) as string;
    await expect
      .poll(() => healthOf(own), SOON)
      .toMatchObject({ status: 503, storage: { description: cannotBeUsed } });
    expect((await push(own, writer, "2.0.0")).status).toBe(503);
    const whole = await own.fetch("/v3/package/acme.fault/1.0.0/acme.fault.1.0.0.nupkg");
    expect(whole.status).toBe(200);
    await whole.arrayBuffer();

    mount("-o", "remount,rw", readOnly);
    expect((await push(own, writer, "2.0.0")).status).toBe(201);
    await expect.poll(() => healthOf(own), SOON).toMatchObject({ status: 200 });
  });
});

function mount(...words: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${words.join(" ")}: ${stderr}`);
}
