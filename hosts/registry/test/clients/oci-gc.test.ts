import { join } from "node:path";
import { openSqliteFile } from "@sealhouse/database/testing";
import { parseManifest } from "@sealhouse/oci-distribution";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder, run } from "./client.ts";
import { writeImageLayout } from "./image-layout.ts";

const DAY_MS = 24 * 60 * 60_000;

describe.skipIf(!hasClient("skopeo"))("garbage of images that skopeo pushed", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let folder: string;
  let token: string;

  beforeAll(async () => {
    host = cleanUp.use(await spawnHost({ env: { Feed__Oci__Default__Enabled: "true" } }));
    folder = cleanUp.use(await openFolder()).path;
    token = await host.makeToken({ scopes: "read,write,delete" });
    for (const name of ["first", "second"]) await writeImageLayout(join(folder, name), "1");
    await push("first", "team/app:1");
    await push("second", "team/app:1");
  });
  afterAll(() => cleanUp.disposeAsync());

  function skopeo(...args: readonly string[]): Promise<Ran> {
    return run("skopeo", ["--insecure-policy", ...args], { env: { HOME: folder } });
  }
  const reference = (name: string) => `docker://${new URL(host.url).host}/${name}`;
  async function push(layout: string, name: string): Promise<void> {
    const to = ["--dest-tls-verify=false", "--dest-creds", `me:${token}`];
    const source = `oci:${join(folder, layout)}:1`;
    expect((await skopeo("copy", ...to, source, reference(name))).code).toBe(0);
  }
  const pull = (name: string): Promise<Ran> => {
    const from = ["--src-tls-verify=false", "--src-creds", `me:${token}`];
    const out = `oci:${join(folder, `out-${Math.random()}`)}:1`;
    return skopeo("copy", ...from, reference(name), out);
  };
  /** As if everything that was done so far had been done three days earlier. */
  function passThreeDays(): void {
    using database = openRows(host);
    for (const [table, column] of CLOCKS) {
      database.rows.exec(`update ${table} set ${column} = ${column} - ${3 * DAY_MS}`);
    }
  }
  const stored = async () => {
    const metrics = await (await host.fetch("/metrics")).text();
    return Number(/^blob_bytes_stored\{.*type="oci".*\} (\d+)$/m.exec(metrics)?.[1]);
  };

  test("what lost its tag goes once it is old, and everything else can be pulled", async () => {
    const young = await host.cli("oci", "gc", "--apply");
    expect(young).toMatchObject({ code: 0, stdout: "" });
    expect(young.stderr).toContain("default: deleted 0 manifests and blobs, 0 bytes");

    passThreeDays();
    const before = await stored();
    const dry = await host.cli("oci", "gc");
    expect(dry.code).toBe(0);
    const rows = dry.stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.slice(0, 8).trimEnd())).toEqual([
      "manifest",
      ...Array.from({ length: 3 }, () => "link"),
      ...Array.from({ length: 3 }, () => "blob"),
    ]);
    expect(rows[0]).toMatch(/team\/app@sha256:\w{64} {2}\d+ bytes {2}no tag points to it/);
    expect(await stored(), "a dry run deletes nothing").toBe(before);

    const report = /Report ([\w-]{36})\./.exec(dry.stderr)?.[1] ?? "";
    const live = await host.cli("oci", "gc", "--apply", "--surface", "default", "--report", report);
    expect(live.code).toBe(0);
    expect(live.stderr).toMatch(/deleted 4 manifests and blobs, \d+ bytes and 3 links/);
    // The host caches sums for some seconds.
    await expect.poll(stored, { timeout: 30_000 }).toBeLessThan(before);

    expect((await pull("team/app:1")).code).toBe(0);
    const gone = /@(sha256:\w{64})/.exec(rows[0] ?? "")?.[1];
    expect((await pull(`team/app@${gone}`)).output).toContain("manifest unknown");
    const list = await host.cli("oci", "gc", "--list");
    expect(list.stdout.split("\n").filter((line) => line.includes("dry run"))).toHaveLength(1);
    const again = await host.cli("oci", "gc", "--apply", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject([
      { surface: "default", status: "finished", dryRun: false, removed: { count: 0 }, list: [] },
    ]);
  });

  test("accepts a new push of deleted content", async () => {
    await push("first", "team/app:old");
    expect((await pull("team/app:old")).code).toBe(0);
  });

  test("keeps held images, and refuses to delete them", async () => {
    const url = "/v2/team/app/manifests/old";
    const headers = { authorization: `Basic ${btoa(`me:${token}`)}` };
    const image = await host.fetch(url, { headers });
    const digest = image.headers.get("docker-content-digest") ?? "";
    const layer = parseManifest(Buffer.from(await image.arrayBuffer()), undefined).edges[1];
    expect((await host.cli("oci", "hold", "add", digest)).code).toBe(0);
    expect((await host.cli("oci", "hold", "list")).stdout).toContain(`${digest}  operator  no end`);

    const remove = () =>
      host.fetch(`/v2/team/app/manifests/${digest}`, { method: "DELETE", headers });
    const refused = await remove();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ errors: [{ code: "DENIED" }] });
    expect((await host.fetch(url, { method: "DELETE", headers })).status, "its tag").toBe(202);
    passThreeDays();
    expect((await host.cli("oci", "gc", "--run")).stderr).toContain("deleted 0 manifests");
    expect((await pull(`team/app@${digest}`)).code).toBe(0);

    await host.cli("oci", "hold", "remove", digest);
    passThreeDays();
    expect((await host.cli("oci", "gc", "--run")).stderr).toContain(
      "deleted 4 manifests and blobs",
    );
    const head = `/v2/team/app/blobs/${layer?.digest}`;
    expect((await host.fetch(head, { method: "HEAD", headers })).status).toBe(404);
  });

  test("deletes nothing when a kept manifest cannot be read, and names it", async () => {
    await push("first", "team/broken:1");
    await push("second", "team/other:1");
    await push("first", "team/other:1");
    passThreeDays();
    using database = openRows(host);
    database.rows.exec(`delete from oci_repository_blobs where repository_id =
      (select id from oci_repositories where name = 'team/broken') and blob_id =
      (select max(blob_id) from oci_repository_blobs)`);
    const aborted = await host.cli("oci", "gc", "--run");
    expect(aborted.code).toBe(1);
    expect(aborted.stderr).toMatch(/Aborted: team\/broken@sha256:\w+ must stay, but needs sha256:/);
    expect(aborted.stdout).toBe("");
  });

  test("the command refuses what it does not understand", async () => {
    expect((await host.cli("oci", "gc", "--run", "--list")).stderr).toContain("not two of them");
    expect((await host.cli("oci", "gc", "--surface", "none")).stderr).toContain(
      "use one of default",
    );
    expect((await host.cli("oci", "gc", "--run", "--report", "none")).code).toBe(1);
    expect((await host.cli("oci", "gc", "--report", "none")).stderr).toContain("--report limits");
    expect((await host.cli("oci", "hold", "add", "latest")).stderr).toContain("is not a digest");
    const short = "--Feed:Operations:OciGarbageCollection:MinimumAge=00:30:00";
    const refused = await host.cli("oci", "gc", short);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain("Feed__Operations__OciGarbageCollection__MinimumAge");
  });
});

/** Milliseconds, in SQLite. */
const CLOCKS = [
  ["blobs", "touched_at"],
  ["oci_repository_blobs", "linked_at"],
  ["oci_manifests", "touched_at"],
  ["oci_tags", "updated_at"],
] as const;

function openRows({ folder }: TestHost) {
  const rows = openSqliteFile(join(folder, "sealhouse.db"));
  return { rows, [Symbol.dispose]: () => rows.close() };
}
