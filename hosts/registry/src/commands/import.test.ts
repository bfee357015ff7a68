import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { openDatabase } from "@sealhouse/database";
import type { Database } from "@sealhouse/database";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import type { NuGetPorts } from "@sealhouse/nuget-protocol";
import { publish, writeCatalog } from "@sealhouse/nuget-protocol/package";
import {
  buildNupkg,
  buildPdb,
  buildSnupkg,
  createMemoryCatalog,
  createMemoryNuGetPorts,
  sourceOf,
  testCaller,
} from "@sealhouse/nuget-protocol/testing";
import { afterAll, expect, test } from "vitest";
import type { ImportReport } from "../import/report.ts";
import { loadConfig } from "../settings/load.ts";
import { runCommandLine } from "./run.ts";

const root = await mkdtemp(join(tmpdir(), "sealhouse-import-"));
afterAll(() => rm(root, { recursive: true }));

const LONG_AGO = new Date("2019-08-07T06:05:04.000Z");

/** A host of its own per test, used by the command line alone. */
async function openHost() {
  const folder = await mkdtemp(join(root, "host-"));
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: join(folder, "data"),
    Signing__Mode: "",
    Host__OutgoingRequests__AllowPrivateAddresses: "true",
    FEED_PASSWORD: "open sesame",
  };
  const run = async (words: readonly string[], more: Record<string, string> = {}) => {
    const lines = { printed: [] as string[], told: [] as string[] };
    const code = await runCommandLine(["import", "nuget", ...words], {
      env: { ...env, ...more },
      workingFolder: folder,
      extensions: [],
      stop: new AbortController().signal,
      print: (text) => lines.printed.push(text),
      tell: (text) => lines.told.push(text),
    });
    return { code, printed: lines.printed.join("\n"), told: lines.told.join("\n") };
  };
  const database = async (): Promise<Database> => {
    const { config } = loadConfig({ env, workingFolder: folder });
    return openDatabase(config.database);
  };
  const report = async (...words: readonly string[]) => {
    const { code, printed, told } = await run([...words, "--json"]);
    if (printed === "") throw new Error(`The import ended with ${code}: ${told}`);
    return { code, ...(JSON.parse(printed) as ImportReport) };
  };
  return { run, report, database, folder };
}

async function put(path: string, bytes: Uint8Array, at: Date = LONG_AGO): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  await utimes(path, at, at);
}

type Source = AsyncDisposable & {
  readonly url: string;
  readonly requests: string[];
  /** While it gives a number, requests whose path fits are answered with it. */
  readonly failing: { path: RegExp; status: number };
  readonly memory: ReturnType<typeof createMemoryCatalog>;
  fill(id: string, ...versions: readonly string[]): Promise<void>;
};

/** Our own feed as somebody else's, over a socket, with a catalog or without. */
async function openFeed(overrides: Partial<NuGetPorts> = {}): Promise<Source> {
  const memory = createMemoryCatalog();
  const { ports } = createMemoryNuGetPorts({
    ...memory,
    address: (request) => ({ base: new URL(request.url).origin, cacheable: true }),
    ...overrides,
  });
  const app = createNuGetApp(ports);
  const requests: string[] = [];
  const failing = { path: /never/, status: 503 };
  const answer = getRequestListener((request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    if (failing.path.test(pathname)) return new Response("", { status: failing.status });
    return app.fetch(request);
  });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  let events = 0;
  return {
    url: `http://127.0.0.1:${port}/v3/index.json`,
    requests,
    failing,
    memory,
    async fill(id, ...versions) {
      for (const version of versions) {
        await publish(ports, {
          body: bytesOf(buildNupkg({ id, version })),
          caller: testCaller,
          now: LONG_AGO,
          allow: async () => undefined,
        });
        events += 1;
        const event = { id: String(events), type: "package.published", at: LONG_AGO };
        const subject = `nuget/${id}@${version}`;
        await writeCatalog(memory, [{ ...event, subject }]);
      }
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

test("imports a folder, with the times of its files, and finds it there again", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(
    join(folder, "any name.nupkg"),
    buildNupkg({ id: "Acme.Widgets", version: "1.0-Beta" }),
  );
  await put(join(folder, "a/b/Other.1.0.0.NUPKG"), buildNupkg({ id: "Other", version: "1.0.0" }));
  const tomorrow = new Date(Date.now() + 86_400_000);
  await put(join(folder, "new.nupkg"), buildNupkg({ id: "New", version: "1.0.0" }), tomorrow);
  await put(join(folder, "Other.1.0.0.symbols.nupkg"), Buffer.from("an old symbol package"));
  await put(join(folder, "readme.txt"), Buffer.from("no package"));

  const first = await host.run([folder]);
  expect(first).toMatchObject({ code: 0, printed: "3 imported, 0 present, 0 refused, 0 failed" });
  await using database = await host.database();
  const [widgets] = await database.nuget.lookup.versions("acme.widgets");
  expect(widgets).toMatchObject({ version: "1.0.0-Beta", publishedAt: LONG_AGO, listed: true });
  expect(widgets).toMatchObject({ origin: "Published" });
  const [future] = await database.nuget.lookup.versions("new");
  expect(future?.publishedAt.getTime()).toBeLessThanOrEqual(Date.now());

  expect(await host.report(folder)).toMatchObject({ code: 0, imported: 0, present: 3 });
});

test("takes the originals of a BaGet storage folder, not their signed copies", async () => {
  const host = await openHost();
  const storage = join(host.folder, "storage");
  const version = join(storage, "packages/acme/1.0.0");
  const bytes = buildNupkg({ id: "Acme", version: "1.0.0" });
  await put(join(version, "acme.1.0.0.nupkg"), bytes);
  await put(join(version, "acme.nuspec"), Buffer.from("<package/>"));
  await put(join(version, "signed/acme.1.0.0.nupkg"), Buffer.from("a signed copy"));
  await put(
    join(storage, "packages/signed/1.0.0/signed.1.0.0.nupkg"),
    buildNupkg({
      id: "Signed",
      version: "1.0.0",
    }),
  );
  const report = await host.report(storage, "--mirrored");
  expect(report).toMatchObject({ code: 0, imported: 2, present: 0, refused: 0 });
  await using database = await host.database();
  const [record] = await database.nuget.lookup.versions("acme");
  expect(record).toMatchObject({ size: bytes.length, origin: "Mirrored" });
});

test("takes symbols after their packages, from folders and feeds", async () => {
  const files = { "lib/net8.0/acme.pdb": buildPdb({ content: "acme" }) };
  const symbols = buildSnupkg({ id: "Acme", version: "1.0.0", files });
  const host = await openHost();
  const folder = join(host.folder, "storage");
  await put(join(folder, "a/symbols/acme/1.0.0/acme.1.0.0.snupkg"), symbols);
  await put(join(folder, "packages/acme.nupkg"), buildNupkg({ id: "Acme", version: "1.0.0" }));
  await put(join(folder, "lone.snupkg"), buildSnupkg({ id: "Lone", version: "1.0.0", files }));
  const report = await host.report(folder);
  expect(report).toMatchObject({ imported: 1, symbols: 1, refused: 1 });
  expect(report.refusals).toEqual([
    { name: "lone.snupkg", reason: "Lone 1.0.0 is not in this feed." },
  ]);
  expect(await host.report(folder)).toMatchObject({ imported: 0, symbols: 0, present: 2 });

  await using feed = await openFeed();
  await feed.fill("Acme", "1.0.0", "2.0.0");
  const pushed = await fetch(new URL("/api/v2/symbolpackage", feed.url), {
    method: "PUT",
    body: Buffer.from(symbols),
  });
  expect(pushed.status).toBe(201);
  const other = await openHost();
  expect(await other.report(feed.url)).toMatchObject({ imported: 2, symbols: 0 });
  const again = ["--symbols", "--from-start"];
  expect(await other.report(feed.url, ...again)).toMatchObject({ imported: 0, symbols: 1 });
  await using database = await other.database();
  expect(await database.nuget.symbols.findPackage("acme", "1.0.0")).toBeDefined();
});

test("tells what it refuses and why, and imports the rest", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "good.nupkg"), buildNupkg({ id: "Good", version: "1.0.0" }));
  await put(join(folder, "broken.nupkg"), Buffer.from("this is no zip"));
  await put(join(folder, "empty.nupkg"), Buffer.of());
  await put(
    join(folder, "escape.nupkg"),
    buildNupkg({
      id: "Escape",
      version: "1.0.0",
      files: { "../outside.txt": "x" },
    }),
  );
  await put(join(folder, "broken.snupkg"), Buffer.from("this is no zip"));
  for (const words of [["--dry-run"], []]) {
    const report = await host.report(folder, ...words);
    expect(report).toMatchObject({ code: 1, refused: 4, failed: 0 });
    expect(words.length === 0 ? report.imported : report.wanted).toBe(1);
    const names = report.refusals.map(({ name }) => name).toSorted();
    expect(names).toEqual(["broken.nupkg", "broken.snupkg", "empty.nupkg", "escape.nupkg"]);
    expect(report.refusals.every(({ reason }) => reason.length > 10)).toBe(true);
  }
  const { code, told } = await host.run([folder]);
  expect(code).toBe(1);
  expect(told).toMatch(/^refused escape\.nupkg: /m);
});

test("opens neither pipes nor devices, and names of files stay on their line", async () => {
  const { folder, run } = await openHost();
  await put(join(folder, "x\n\u001b[31mfake.nupkg"), Buffer.from("this is no zip"));
  execFileSync("mkfifo", [join(folder, "pipe.fifo")]);
  await symlink("pipe.fifo", join(folder, "pipe.nupkg"));
  await symlink("/dev/zero", join(folder, "zero.nupkg"));
  const { printed, told } = await run([folder]);
  expect(printed).toBe("0 imported, 0 present, 1 refused, 2 failed");
  expect(told).toContain("failed zero.nupkg: It is no file.");
  expect(told).toContain("refused x\\u000a\\u001b[31mfake.nupkg: ");
});

test("a dry run changes nothing", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "good.nupkg"), buildNupkg({ id: "Good", version: "1.0.0" }));
  expect((await host.run([folder, "--dry-run"])).printed).toContain("1 to import, 0 present");
  await using database = await host.database();
  expect(await database.nuget.lookup.versions("good")).toEqual([]);
  await using feed = await openFeed();
  await feed.fill("Acme", "1.0.0");
  expect(await host.report(feed.url, "--dry-run")).toMatchObject({ wanted: 1, imported: 0 });
  expect(feed.requests.filter((path) => path.endsWith(".nupkg"))).toEqual([]);
  expect(existsSync(join(host.folder, "data/imports"))).toBe(false);
});

test("imports a feed with what it knows: times, unlisted and deprecated versions", async () => {
  const host = await openHost();
  await using feed = await openFeed();
  await feed.fill("Acme.Widgets", "1.0.0", "2.0.0-Beta.1+x");
  await feed.fill("Other", "1.0.0");
  await feed.memory.recorder.setListed("acme.widgets", "1.0.0", false, testCaller);
  const deprecation = {
    reasons: ["Legacy", "CriticalBugs"] as const,
    message: "Use the other.",
    alternatePackage: { id: "Other", range: "[1.0.0, )" },
  };
  await feed.memory.lifecycle.deprecate("acme.widgets", ["1.0.0"], deprecation, testCaller);

  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 3, present: 0 });
  await using database = await host.database();
  expect(await database.nuget.lookup.versions("acme.widgets")).toMatchObject([
    { version: "1.0.0", listed: false, publishedAt: LONG_AGO, deprecation },
    { id: "Acme.Widgets", fullVersion: "2.0.0-Beta.1+x", listed: true, publishedAt: LONG_AGO },
  ]);
  // Later, only what came after the cursor is looked at.
  await feed.fill("Other", "2.0.0");
  feed.requests.length = 0;
  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 1, present: 1 });
  expect(feed.requests.some((path) => path.includes("acme.widgets"))).toBe(false);
  expect(await host.report(feed.url, "--from-start")).toMatchObject({ imported: 0, present: 4 });
});

test("goes on where it was interrupted, and asks again for what failed", async () => {
  const host = await openHost();
  await using feed = await openFeed();
  await feed.fill("First", "1.0.0");
  await feed.fill("Second", "1.0.0", "2.0.0");
  feed.failing.path = /second\.2\.0\.0\.nupkg/;
  feed.failing.status = 418;
  const first = await host.report(feed.url, "--concurrency", "1");
  expect(first).toMatchObject({ code: 1, imported: 2, failed: 1 });
  expect(first.failures).toMatchObject([{ name: "Second 2.0.0" }]);
  expect(first.failures[0]?.reason).toContain("was answered 418");

  feed.failing.path = /never/;
  feed.requests.length = 0;
  expect(await host.report(feed.url)).toMatchObject({ code: 0, imported: 1, present: 1 });
  expect(feed.requests.some((path) => path.includes("first"))).toBe(false);
  const [kept = ""] = await readdir(join(host.folder, "data/imports"));
  expect(kept).toMatch(/^nuget-[0-9a-f]{16}\.json$/);
});

test("stops when it is told to, and says what is left to do", async () => {
  const host = await openHost();
  const folder = join(host.folder, "packages");
  await put(join(folder, "a.nupkg"), buildNupkg({ id: "A", version: "1.0.0" }));
  const told: string[] = [];
  const code = await runCommandLine(["import", "nuget", folder], {
    env: { ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: join(host.folder, "data") },
    workingFolder: host.folder,
    extensions: [],
    stop: AbortSignal.abort(),
    print: () => undefined,
    tell: (text) => told.push(text),
  });
  expect(code).toBe(1);
  expect(told.join("\n")).toContain("Interrupted");
});

test("a feed without a catalog is searched, and ids can be named", async () => {
  const host = await openHost();
  await using feed = await openFeed();
  await feed.fill("Acme", "1.0.0");
  await feed.fill("Hidden", "1.0.0");
  await feed.memory.recorder.setListed("hidden", "1.0.0", false, testCaller);
  const index = await (await fetch(feed.url)).json();
  const { version, resources } = index as { version: string; resources: { "@type": string }[] };
  const plain = resources.filter((one) => one["@type"] !== "Catalog/3.0.0");
  const other = createServer((_, outgoing) =>
    outgoing.end(JSON.stringify({ version, resources: plain })),
  );
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = `http://127.0.0.1:${port}/`;
  try {
    const { code, told, printed } = await host.run([url]);
    expect(code).toBe(0);
    expect(printed).toContain("1 imported");
    expect(told).toContain("no catalog");
    const list = join(host.folder, "ids.txt");
    await writeFile(list, "# all of them\nhidden\nAcme\nunknown # gone\n\n");
    expect(await host.report(url, "--ids", list)).toMatchObject({ imported: 1, present: 1 });
    await writeFile(list, "no/id\n");
    const wrong = await host.run([url, "--ids", list]);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.told).toContain('"no/id" is no package id');
  } finally {
    other.close();
    other.closeAllConnections();
  }
});

test("credentials come from the environment, and what is wrong with them is told", async () => {
  const host = await openHost();
  const expected = `Basic ${Buffer.from("me:open sesame").toString("base64")}`;
  await using feed = await openFeed({
    authorize: async (request) =>
      request.headers.get("authorization") === expected ||
      request.headers.get("x-nuget-apikey") === "open sesame"
        ? { status: "granted", caller: testCaller }
        : { status: "anonymous" },
  });
  await feed.fill("Acme", "1.0.0");
  const anonymous = await host.run([feed.url]);
  expect(anonymous).toMatchObject({ code: 1 });
  expect(anonymous.told).toMatch(/needs other credentials \(401\)/);
  const named = ["--username", "me", "--password-env", "FEED_PASSWORD"];
  expect(await host.report(feed.url, ...named)).toMatchObject({ code: 0, imported: 1 });
  expect(await host.report(feed.url, "--api-key-env", "FEED_PASSWORD")).toMatchObject({ code: 0 });
  const unset = await host.run([feed.url, "--password-env", "NOT_SET"]);
  expect(unset.told).toBe("The environment variable NOT_SET is not set.");
});

test.each<[readonly string[], string]>([
  [["./nowhere"], "There is no folder"],
  [["https://me:secret@feed.example/v3/index.json"], "not in the address"],
  [["https://"], "is no address"],
  [["http://127.0.0.1:1/v3/index.json"], "ECONNREFUSED"],
  [[".", "--concurrency", "0"], "--concurrency is a number"],
  [["https://feed.example", "--username", "me"], "--username needs --password-env"],
])("%j is told in words", async (words, expected) => {
  const host = await openHost();
  const { code, told, printed } = await host.run(words);
  expect(code).toBe(1);
  expect(told).toContain(expected);
  expect(told).not.toContain("secret");
  expect(told).not.toMatch(/\n\s+at /);
  expect(printed).toBe("");
});

test("private addresses are refused as the settings say", async () => {
  const host = await openHost();
  const { code, told } = await host.run(["http://127.0.0.1:1/v3/index.json"], {
    Host__OutgoingRequests__AllowPrivateAddresses: "false",
  });
  expect(code).toBe(1);
  expect(told).toContain("Host__OutgoingRequests__AllowPrivateAddresses=true");
});

test("takes only what was asked for, whatever the feed gives", async () => {
  const evil = buildNupkg({ id: "Evil", version: "6.6.6" });
  const open = async () => ({ ...sourceOf(evil), etag: "evil" });
  await using feed = await openFeed({ content: { open } });
  await feed.fill("Good", "1.0.0");
  const { refusals } = await (await openHost()).report(feed.url);
  expect(refusals[0]?.reason).toContain("It is Evil 6.6.6, not good 1.0.0.");
});

test("a feed that is no NuGet feed ends the import at once", async () => {
  const host = await openHost();
  const server = createServer((_, outgoing) => outgoing.end("<html>"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { code, told } = await host.run([`http://127.0.0.1:${port}/v3/index.json`]);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(1);
  expect(told).toContain("the answer is no JSON");
});

async function* bytesOf(bytes: Uint8Array) {
  yield bytes;
}
