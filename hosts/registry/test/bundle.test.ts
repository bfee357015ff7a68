import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { afterAll, expect, test } from "vitest";
import { writeImageLayout } from "./clients/image-layout.ts";
import { loadConfig } from "../src/settings/load.ts";
import { runCommandLine } from "../src/commands/run.ts";

const root = await mkdtemp(join(tmpdir(), "sealhouse-bundle-"));
afterAll(() => rm(root, { recursive: true }));

/** Files of Verdaccio 6.10.4; see the README in the same folder. */
const NPM_STORAGE = join(import.meta.dirname, "verdaccio/storage");

/** A registry that only its command line uses. */
async function openRegistry() {
  const folder = await mkdtemp(join(root, "registry-"));
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(folder, "data"),
    Signing__Mode: "",
  };
  return {
    folder,
    async run(...words: readonly string[]) {
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      const code = await runCommandLine(words, {
        env,
        workingFolder: folder,
        extensions: [],
        stop: new AbortController().signal,
        stdout: (text) => lines.stdout.push(text),
        stderr: (text) => lines.stderr.push(text),
      });
      return { code, stdout: lines.stdout.join("\n"), stderr: lines.stderr.join("\n") };
    },
    database: () => openDatabase(loadConfig({ env, workingFolder: folder }).config.database),
  };
}

/** A registry with a package, an image and two npm versions, and lists that name them. */
async function openSource() {
  const source = await openRegistry();
  const place = (name: string) => join(source.folder, name);
  await mkdir(place("nuget"));
  await writeFile(place("nuget/acme.nupkg"), buildNupkg({ id: "Acme.Widgets", version: "1.0.0" }));
  await writeImageLayout(place("image"), "1.0", 1_000);
  await source.run("import", "nuget", place("nuget"));
  await source.run("import", "npm", NPM_STORAGE);
  await source.run("import", "oci", place("image"), "--repositories", "team/app");
  const resolved = { "Acme.Widgets": { type: "Direct", resolved: "1.0.0" } };
  const files = {
    "packages.lock.json": JSON.stringify({ version: 1, dependencies: { "net10.0": resolved } }),
    "package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "node_modules/widgets": { version: "1.1.0" },
        "node_modules/@acme/gears": { version: "0.3.0" },
      },
    }),
    "images.txt": "team/app:1.0\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(place(name), text);
  const lists = Object.keys(files).map(place);
  return { ...source, place, lists };
}

test("a bundle fills an empty registry; a second import changes nothing", async () => {
  const source = await openSource();
  const out = source.place("out.tar");
  const exported = await source.run("bundle", "export", "--from", ...source.lists, "--out", out);
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  expect(exported.stdout).toMatch(
    /out\.tar: 1 NuGet packages, 2 npm packages, 1 images, \d+ bytes$/,
  );
  const again = source.place("again.tar");
  await source.run("bundle", "export", "--from", ...source.lists, "--out", again);
  expect((await readFile(again)).equals(await readFile(out))).toBe(true);

  const target = await openRegistry();
  const keyFile = source.place("bundle-key.pem");
  await writeFile(keyFile, (await source.run("bundle", "key")).stdout);
  const importAll = () => target.run("bundle", "import", out, "--trust-key", keyFile);
  expect(await importAll()).toMatchObject({
    code: 0,
    stdout: "4 imported, 0 existing, 0 refused, 0 failed",
  });
  await using before = await source.database();
  await using after = await target.database();
  const find = async ({ nuget, npm, oci }: typeof after) => {
    const widgets = await npm.lookup.find("widgets");
    const version = widgets?.versions.find((candidate) => candidate.version === "1.1.0");
    return {
      nuget: await nuget.lookup.versions("acme.widgets"),
      // Each registry signs with its own key.
      npm: { ...version, signatures: undefined, latest: widgets?.distTags["latest"] },
      image: (await oci.manifests.find(parseRepositoryName("team/app"), "1.0"))?.digest,
    };
  };
  expect(await find(after)).toEqual(await find(before));
  expect(await find(after)).toMatchObject({ npm: { latest: "1.1.0" }, nuget: [{}] });

  const events = await after.events.outbox.pending("a test", 1_000);
  expect(events.length).toBeGreaterThan(3);
  expect(await importAll()).toMatchObject({
    code: 0,
    stdout: "0 imported, 4 existing, 0 refused, 0 failed",
  });
  expect(await after.events.outbox.pending("a test", 1_000)).toHaveLength(events.length);
});

test("names what is missing, and trusts no other key", async () => {
  const source = await openSource();
  const out = source.place("out.tar");
  const list = source.place("more.txt");
  await writeFile(list, "team/app:2.0\nteam/app:1.0\n");
  const partly = ["bundle", "export", "--from", list, "--out", out];
  const refused = await source.run(...partly);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("missing team/app:2.0: This registry does not have it.");
  expect(await source.run(...partly, "--allow-missing")).toMatchObject({ code: 0 });

  const target = await openRegistry();
  const other = target.folder;
  await writeFile(join(other, "key.pem"), (await target.run("bundle", "key")).stdout);
  const distrusted = await target.run(
    "bundle",
    "import",
    out,
    "--trust-key",
    join(other, "key.pem"),
  );
  expect(distrusted.code).not.toBe(0);
  expect(distrusted.stderr).toContain("does not fit the trusted key");
  const neither = await target.run("bundle", "import", out);
  expect(neither.stderr).toContain("Use --trust-key");
  expect(await target.run("bundle", "import", out, "--unsigned", "--dry-run")).toMatchObject({
    code: 0,
    stdout: "1 to import, 0 existing, 0 refused, 0 failed",
  });
  expect(await target.run("bundle", "import", out, "--unsigned", "--json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"imported": 1'),
  });
});

test("the key of bundles stays the same when the key ring rotates", async () => {
  const registry = await openRegistry();
  const { stdout } = await registry.run("bundle", "key");
  expect(stdout).toMatch(/^-----BEGIN PUBLIC KEY-----\n.+\n-----END PUBLIC KEY-----$/);
  await registry.run("keys", "rotate");
  expect(await registry.run("bundle", "key")).toMatchObject({ stdout });
});
