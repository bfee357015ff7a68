import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examplesOfPackages } from "../../../tools/readme-examples.ts";
import { isExtended } from "../src/testing/index.ts";
import { SERVICES } from "./cloud-examples.ts";
import type { Service } from "./cloud-examples.ts";
import { hasClient, run } from "./clients/client.ts";
import { createDotnetClient } from "./clients/dotnet-client.ts";
import { readManual, textsOf } from "./manual-page.ts";
import { bytesOf, installOne, installPacked, NODES } from "./packed-packages.ts";
import type { PackedInstall } from "./packed-packages.ts";

const INSTALL_MS = 400_000;
const DEVELOPMENT = { ASPNETCORE_ENVIRONMENT: "Development", Signing__Mode: "" };
const cleanUp = new AsyncDisposableStack();
let packed: PackedInstall;

beforeAll(async () => {
  packed = cleanUp.use(await installPacked());
}, INSTALL_MS);
afterAll(() => cleanUp.disposeAsync());

/** Starts a server in its own folder; the first output line with an address is its URL. */
async function start(
  command: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) {
  const [program, ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  let address: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    output += `${line}\n`;
    address = /(?:localhost|127\.0\.0\.1):\d+/.exec(line)?.[0];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error(`no address in: ${output}`);
  child.stdout.resume();
  return {
    url: `http://${address}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      expect(child.exitCode, output).toBe(0);
    },
  };
}

test("the types of every entry point need no undeclared package", async () => {
  const { folder } = packed;
  await writeFile(join(folder, "write-imports.mjs"), WRITE_IMPORTS);
  const imports = await run("node", ["write-imports.mjs"], { cwd: folder, env: packed.env("24") });
  await writeFile(join(folder, "all.mts"), imports.stdout);
  const options = ["--module", "nodenext", "--target", "es2024", "--types", "node", "--strict"];
  const check = [...options, "--lib", "esnext", "--skipLibCheck", "false", "--noEmit", "all.mts"];
  const ran = await run("tsc", check, { cwd: folder });
  expect(ran.output).toBe("");
});

/** Other tests run with the newest Node. */
const RUN_WITH = Object.entries(NODES).filter(([name]) => isExtended || name === "22");

describe.each(RUN_WITH)("the packed packages on Node %s", (name, version) => {
  const major = name === "22" ? "22" : "24";
  const folderOf = async (use: string) => {
    const folder = join(packed.folder, `${use}-${major}`);
    await mkdir(folder);
    return folder;
  };

  test("every entry point can be imported", async () => {
    const script = join(packed.folder, "import-all.mjs");
    await writeFile(script, IMPORT_ALL);
    const ran = await run("node", [script], { cwd: packed.folder, env: packed.env(major) });
    expect(ran.code, ran.output).toBe(0);
    const [used, count] = ran.stdout.trim().split(" ");
    expect(used).toBe(`v${version}`);
    expect(Number(count)).toBeGreaterThan(35);
  });

  test.skipIf(!hasClient("dotnet"))(
    "npx starts the registry; dotnet pushes, restores",
    async () => {
      const folder = await folderOf("npx");
      const env = { ...packed.env(major), ...DEVELOPMENT, ASPNETCORE_URLS: "http://127.0.0.1:0" };
      const command = join(packed.folder, "node_modules/.bin/sealhouse");
      await using registry = await start([command], { cwd: folder, env });
      const [, created = ""] = textsOf(await readManual("../README.md"), "sh");
      const token = await run("sh", ["-c", created], {
        cwd: packed.folder,
        env: { ...packed.env(major), Signing__Mode: "", Host__DataPath: join(folder, "data") },
      });
      expect(token.code, token.output).toBe(0);
      const source = `${registry.url}/v3/index.json`;
      const client = await createDotnetClient({ folder: join(folder, "client"), source });
      await writeFile(join(folder, "a.nupkg"), buildNupkg({ id: "Acme.Packed", version: "1.0.0" }));
      const push = ["nuget", "push", "../a.nupkg", "-s", "sealhouse", "-k", token.stdout.trim()];
      const pushed = await client.run(push);
      expect(pushed.code, pushed.output).toBe(0);
      const project = await client.consumer({ id: "Acme.Packed", version: "1.0.0" });
      const restored = await client.run(["restore"], project);
      expect(restored.code, restored.output).toBe(0);
    },
  );

  test("npx names the missing settings, and how to do without", async () => {
    const env = { ...packed.env(major), Host__DataPath: await folderOf("production") };
    const ran = await run("npx", ["-y", "@sealhouse/registry"], { cwd: packed.folder, env });
    expect(ran.output).toContain("Host__TokenHashPepper: is required");
    expect(ran.output).toContain("ASPNETCORE_ENVIRONMENT=Development npx -y @sealhouse/registry");
    expect(ran.code).toBe(78);
  });

  test("the registry's README shows how to import it", async () => {
    const folder = await folderOf("import");
    const [example = ""] = textsOf(await readManual("../README.md"), "ts");
    const file = join(packed.folder, "embed.mjs");
    await writeFile(file, example);
    const ran = await run("node", [file], { cwd: folder, env: packed.env(major) });
    expect(ran).toMatchObject({ code: 0, output: expect.stringContaining("service index: 200") });
  });

  test.each(["nuget", "npm", "oci"] as const)(
    "the page about your own %s feed works as printed",
    async (protocol) => {
      const folder = await folderOf(`own-${protocol}`);
      const page = await readManual(`../../../docs/your-own-${protocol}-feed.md`);
      const file = join(packed.folder, `feed-${protocol}.mjs`);
      await writeFile(file, textsOf(page, "js").join(""));
      const env = { ...packed.env(major), PORT: "0" };
      await using feed = await start(["node", file], { cwd: folder, env });
      const paths = { nuget: "/nuget/v3/index.json", npm: "/npm/-/ping", oci: "/v2/_catalog" };
      expect((await fetch(new URL(paths[protocol], feed.url))).status).toBe(200);
    },
  );
});

describe("the examples of the READMEs on the oldest supported Node", () => {
  const examples = examplesOfPackages(join(import.meta.dirname, "../../..")).map(
    (example, index) => ({ ...example, index }),
  );
  const OLDEST = "22";

  async function runExample(
    { code, index }: (typeof examples)[number],
    { env = {}, files = {} }: Pick<Service, "files"> & Partial<Pick<Service, "env">> = {},
  ) {
    const cwd = join(packed.folder, `example-${index}`);
    await mkdir(cwd);
    const written = { "example.mts": code, ...files };
    for (const [name, text] of Object.entries(written)) await writeFile(join(cwd, name), text);
    await writeFile(join(cwd, "acme.nupkg"), buildNupkg({ id: "Acme.Packed", version: "1.0.0" }));
    const options = { cwd, env: { ...packed.env(OLDEST), ...env } };
    return run("node", ["--experimental-strip-types", "example.mts"], options);
  }

  test("are run by the Node that the packages require", async () => {
    const manifest = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
    const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
    expect(`>=${NODES[OLDEST]}`).toBe(`${engines.node}.0`);
  });

  const runnable = examples.filter(({ output }) => output);
  test.each(runnable.filter(({ needsService }) => !needsService))(
    "$package prints what its README shows",
    async (example) => {
      const ran = await runExample(example);
      expect([ran.code, ran.stdout], ran.output).toEqual([0, example.output]);
    },
  );

  const clouds = runnable.filter(({ needsService }) => needsService);
  test("each cloud store and key service has a stand-in", () => {
    expect(clouds.map((example) => example.package)).toEqual(Object.keys(SERVICES));
  });

  test.each(clouds)(
    "$package prints what its README shows, with its service",
    async (example) => {
      await using service = await SERVICES[example.package]?.();
      if (!service) return;
      const ran = await runExample(example, service);
      expect([ran.code, ran.stdout], ran.output).toEqual([0, example.output]);
    },
    120_000,
  );
});

describe("@sealhouse/feed alone", () => {
  /** 60 MB. Almost half of it is better-sqlite3, with its sources and the binaries of all platforms. */
  const FEED_BYTES_MAX = 60_000_000;
  let folder: string;

  beforeAll(async () => {
    ({ folder } = cleanUp.use(await installOne(packed, "@sealhouse/feed")));
  }, INSTALL_MS);

  test("is at most 60 MB with its dependencies", async () => {
    const modules = join(folder, "node_modules");
    const names = await readdir(modules);
    const sizes = await Promise.all(names.map((name) => bytesOf(join(modules, name))));
    const largest = names
      .map((name, index) => ({ name, bytes: sizes[index] ?? 0 }))
      .toSorted((left, right) => right.bytes - left.bytes)
      .slice(0, 20)
      .map(({ name, bytes }) => `${(bytes / 1e6).toFixed(1)} MB ${name}`);
    expect(await bytesOf(modules), largest.join("\n")).toBeLessThanOrEqual(FEED_BYTES_MAX);
  });

  test("has types that need no optional peer", async () => {
    await writeFile(join(folder, "types.mts"), `${FEED_IMPORTS}void [feed, database, bundle];\n`);
    const options = ["--module", "nodenext", "--target", "es2024", "--strict", "--types", "node"];
    const types = ["--typeRoots", join(packed.folder, "node_modules/@types")];
    const all = [...options, ...types, "--lib", "esnext", "--skipLibCheck", "false", "--noEmit"];
    const ran = await run("tsc", [...all, "types.mts"], { cwd: folder });
    expect(ran.output).toBe("");
  });

  test("names the command that installs the packages of a feature, and uses them after it", async () => {
    await writeFile(join(folder, "features.mjs"), FEATURES);
    await writeRc2Files(folder);
    await writeFile(join(folder, "osv.zip"), EMPTY_ZIP);
    const use = async () =>
      (await run("node", ["features.mjs"], { cwd: folder, env: packed.env("22") })).stdout;
    const before = await use();
    const needs = (feature: string, name: string) =>
      expect.stringMatching(
        new RegExp(
          `${feature} needs packages that are not installed. Run: npm install ${name}@[\\d.]+$`,
        ),
      );
    const rc2 = "The certificate file cannot be read. RC2, a cipher of old files,";
    const zip = join(folder, "osv.zip");
    expect(before.trim().split("\n")).toEqual([
      needs("Sending mail", "nodemailer"),
      needs("Metrics", "prom-client"),
      needs("Writing a bundle", "archiver"),
      needs("Reading a bundle", "tar-stream"),
      needs(`^${zip}: Reading an archive of advisories`, "unzipper"),
      needs(`^rc2.pfx: ${rc2}`, "node-forge"),
      needs(`^rc2.key: ${rc2}`, "node-forge"),
    ]);
    const named = [...before.matchAll(/npm install (\S+)/g)].map(([, name = ""]) => name);
    const packages = new Set(named);
    const install = ["install", "--no-audit", "--no-fund", ...packages];
    const installed = await run("npm", install, { cwd: folder });
    expect(installed.code, installed.output).toBe(0);
    expect(await use()).toBe(
      "connect ECONNREFUSED 127.0.0.1:1\nmetrics\nwritten: true\nread: 0 imported\n" +
        `${zip} has no advisory about a NuGet or npm package. The last import remains.\n` +
        "RC2: rsa\nRC2: rsa\n",
    );
  });
});

/** A certificate whose PFX file and PEM key are encrypted with RC2, with the password `x`. */
async function writeRc2Files(folder: string): Promise<void> {
  const self = ["req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=RC2"];
  const source = ["-inkey", "plain.key", "-in", "rc2.pem"];
  const legacy = ["-v1", "PBE-SHA1-RC2-40", "-provider", "legacy", "-provider", "default"];
  const commands = [
    [...self, "-nodes", "-keyout", "plain.key", "-out", "rc2.pem"],
    ["pkcs12", "-export", "-legacy", ...source, "-passout", "pass:x", "-out", "rc2.pfx"],
    ["pkcs8", "-topk8", "-in", "plain.key", "-passout", "pass:x", "-out", "rc2.key", ...legacy],
  ];
  for (const command of commands) {
    const ran = await run("openssl", command, { cwd: folder });
    expect(ran.code, ran.output).toBe(0);
  }
}

const EMPTY_ZIP = Buffer.concat([Buffer.from("PK\u0005\u0006"), Buffer.alloc(18)]);
const FEED_IMPORTS = `
import * as feed from "@sealhouse/feed";
import * as database from "@sealhouse/database";
import * as bundle from "@sealhouse/upstream-sources/bundle";
`;
/** Prints a line for each feature with an optional peer: its result, or its error. */
const FEATURES = `
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { importAdvisories } from "@sealhouse/advisories/import";
import { sendMail } from "@sealhouse/events";
import { createProcessMetrics } from "@sealhouse/http-server/metrics";
import { readStoredCertificate } from "@sealhouse/repo-signing";
import { exportBundle, importBundle } from "@sealhouse/upstream-sources/bundle";
const { signal } = new AbortController();
const server = { host: "127.0.0.1", port: 1, tls: "off" };
const sender = { fromAddress: "a@feed.example", fromName: "Feed", administrators: [], server };
const letter = { recipient: "b@feed.example", subject: "s", body: "b", id: "1" };
const metrics = createProcessMetrics();
const bundle = { path: "empty.tar", allowMissing: false, platforms: {}, signal };
const reading = {
  trust: { type: "unsigned" },
  caller: { actor: "operator" },
  now: () => new Date(),
  dryRun: true,
  moveTags: false,
  maxBytes: { npm: 1, oci: 1 },
  concurrency: 1,
  signal,
  onProgress: () => undefined,
};
const recorder = {
  sources: async () => [],
  replace: async (_, advisories) => void (await Array.fromAsync(advisories)),
};
const osv = { readers: {}, recorders: { nuget: recorder, npm: recorder }, fetch, signal };
const fileOf = async (name) => ({ place: name, bytes: await readFile(name) });
const features = [
  async () => (await sendMail(sender, letter)).error,
  async () => ((await metrics.text()).includes("process_cpu") ? "metrics" : "none"),
  async () => "written: " + (await exportBundle({}, [], bundle)).isWritten,
  async () => "read: " + (await importBundle({}, "empty.tar", reading)).imported + " imported",
  () => importAdvisories({ name: "osv", location: resolve("osv.zip") }, osv),
  async () => {
    const { key } = await readStoredCertificate({ certificate: await fileOf("rc2.pfx") }, "x");
    return "RC2: " + key.asymmetricKeyType;
  },
  async () => {
    const files = { certificate: await fileOf("rc2.pem"), key: await fileOf("rc2.key") };
    return "RC2: " + (await readStoredCertificate(files, "x")).key.asymmetricKeyType;
  },
];
for (const feature of features) console.log(await feature().catch((error) => error.message));
`;
const ENTRY_POINTS = `
import { readdirSync, readFileSync } from "node:fs";
const scope = new URL("node_modules/@sealhouse/", import.meta.url);
const entries = readdirSync(scope).flatMap((name) => {
  const manifest = JSON.parse(readFileSync(new URL(name + "/package.json", scope), "utf8"));
  const paths = Object.keys(manifest.exports).filter((path) => !path.endsWith(".json"));
  return paths.map((path) => manifest.name + path.slice(1));
});
`;
const IMPORT_ALL = `${ENTRY_POINTS}
for (const entry of entries) await import(entry);
console.log(process.version, entries.length);
process.exit();
`;
const WRITE_IMPORTS = `${ENTRY_POINTS}
for (const [index, entry] of entries.entries()) {
  console.log("import * as m" + index + ' from "' + entry + '"; void m' + index + ";");
}
`;
