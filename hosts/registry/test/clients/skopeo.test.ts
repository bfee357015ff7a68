import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import type { Ran } from "./client.ts";
import { hasClient, openFolder, run } from "./client.ts";
import { writeImageLayout } from "./image-layout.ts";

describe.skipIf(!hasClient("skopeo"))("skopeo against the host", () => {
  const cleanUp = new AsyncDisposableStack();
  let host: TestHost;
  let folder: string;
  let credentials: string;

  beforeAll(async () => {
    host = cleanUp.use(await spawnHost());
    folder = cleanUp.use(await openFolder()).path;
    credentials = `tester:${await host.makeToken({ scopes: "read,write,delete" })}`;
    await writeImageLayout(join(folder, "layout"), "1.0");
  });
  afterAll(() => cleanUp.disposeAsync());

  function skopeo(...args: readonly string[]): Promise<Ran> {
    const [command = "", ...rest] = args;
    return run("skopeo", ["--insecure-policy", command, ...rest], { env: { HOME: folder } });
  }
  const reference = (name: string): string => `docker://${new URL(host.url).host}/${name}`;
  const push = (name: string): Promise<Ran> =>
    skopeo(
      "copy",
      "--dest-tls-verify=false",
      "--dest-creds",
      credentials,
      `oci:${join(folder, "layout")}:1.0`,
      reference(name),
    );

  test("copies an image in and out again, byte for byte", async () => {
    const pushed = await push("team/app:1.0");
    expect(pushed.output).toContain("Storing signatures");
    expect(pushed.code).toBe(0);

    const out = join(folder, "out");
    const pulled = await skopeo(
      "copy",
      "--src-tls-verify=false",
      "--src-creds",
      credentials,
      reference("team/app:1.0"),
      `oci:${out}:1.0`,
    );
    expect(pulled.code).toBe(0);
    expect(await manifestDigest(out)).toBe(await manifestDigest(join(folder, "layout")));
  });

  test("pulls without credentials where anonymous reading is on", async () => {
    await push("team/open:1.0");
    const pulled = await skopeo(
      "copy",
      "--src-tls-verify=false",
      "--src-no-creds",
      reference("team/open:1.0"),
      `oci:${join(folder, "open")}:1.0`,
    );
    expect(pulled.output).not.toContain("unauthorized");
    expect(pulled.code).toBe(0);
  });

  test("refuses to push without credentials", async () => {
    const pushed = await skopeo(
      "copy",
      "--dest-tls-verify=false",
      "--dest-no-creds",
      `oci:${join(folder, "layout")}:1.0`,
      reference("team/refused:1.0"),
    );
    expect(pushed.output).toMatch(/unauthorized|authentication required|denied/);
    expect(pushed.code).not.toBe(0);
  });

  test("inspects, lists tags, mounts across repositories and deletes", async () => {
    await push("team/full:1.0");
    const access = ["--tls-verify=false", "--creds", credentials];
    const inspected = await skopeo("inspect", ...access, reference("team/full:1.0"));
    expect(JSON.parse(inspected.stdout)).toMatchObject({ RepoTags: ["1.0"] });

    const copied = await skopeo(
      "copy",
      "--src-tls-verify=false",
      "--dest-tls-verify=false",
      "--src-creds",
      credentials,
      "--dest-creds",
      credentials,
      reference("team/full:1.0"),
      reference("team/copy:2.0"),
    );
    expect(copied.code).toBe(0);

    const tags = await skopeo("list-tags", ...access, reference("team/copy"));
    expect(JSON.parse(tags.stdout)).toMatchObject({ Tags: ["2.0"] });

    const deleted = await skopeo("delete", ...access, reference("team/full:1.0"));
    expect(deleted.output).toBe("");
    expect(deleted.code).toBe(0);
    const gone = await skopeo("inspect", ...access, reference("team/full:1.0"));
    expect(gone.code).not.toBe(0);
    const copy = await skopeo("inspect", ...access, reference("team/copy:2.0"));
    expect(copy.code).toBe(0);
  });
});

async function manifestDigest(layout: string): Promise<string | undefined> {
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8")) as {
    manifests: { digest: string }[];
  };
  return index.manifests[0]?.digest;
}
