import type { PackageVerdict } from "@sealhouse/request-types";
import { createHash, randomBytes } from "node:crypto";
import { array, assert, asyncProperty, nat, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuthorizePackage } from "../ports.ts";
import { buildNuspec } from "../testing/build-nupkg.ts";
import type { SnupkgRecipe } from "../testing/build-symbols.ts";
import { buildPdb, buildSnupkg } from "../testing/build-symbols.ts";
import type { TestFeed } from "../testing/test-feed.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import { testCaller } from "../testing/new-package.ts";

const ID = Buffer.from("33221100554477668899aabbccddeeff01020304", "hex");
const KEY = "00112233445566778899aabbccddeeffffffffff";
const PDB = buildPdb({ content: "one", id: ID });
const FILE = { "lib/net8.0/Acme.Widgets.pdb": PDB };
const PATH = `/symbols/acme.widgets.pdb/${KEY}/acme.widgets.pdb`;

function snupkg(recipe: Partial<SnupkgRecipe> = {}): Uint8Array {
  return buildSnupkg({ id: "Acme.Widgets", version: "1.0.0", files: FILE, ...recipe });
}

function put(feed: TestFeed, bytes: Uint8Array, path = "/api/v2/symbolpackage") {
  return feed.app.request(path, { method: "PUT", body: Buffer.from(bytes) });
}

async function feedWithSymbols(bytes = snupkg()): Promise<TestFeed> {
  const feed = createTestFeed();
  await feed.fill("Acme.Widgets", "1.0.0");
  expect((await put(feed, bytes)).status).toBe(201);
  return feed;
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

function checksumOf(pdb: Uint8Array, id = ID): string {
  const zeroed = Buffer.from(pdb);
  zeroed.fill(0, zeroed.indexOf(id), zeroed.indexOf(id) + id.length);
  return createHash("sha256").update(zeroed).digest("hex");
}

describe("a symbol package", () => {
  test.each([
    "/api/v2/symbolpackage",
    "/api/v2/symbolpackage/",
    "/api/v2/symbol",
    "/api/v2/symbol/",
  ])("is taken at %s", async (path) => {
    const feed = createTestFeed();
    await feed.fill("Acme.Widgets", "1.0.0");
    expect((await put(feed, snupkg({ version: "1.00" }), path)).status).toBe(201);
    expect(await bytesOf(await feed.get(PATH))).toEqual(Buffer.from(PDB));
    expect(feed.openStages()).toBe(0);
  });

  test("is taken from a form, as clients send it", async () => {
    const feed = createTestFeed();
    await feed.fill("Acme.Widgets", "1.0.0");
    const form = new FormData();
    form.append("package", new Blob([Buffer.from(snupkg())]), "package.snupkg");
    const path = "/api/v2/symbolpackage";
    expect((await feed.app.request(path, { method: "PUT", body: form })).status).toBe(201);
    expect((await feed.get(PATH)).status).toBe(200);
  });

  test("can be fetched again, byte for byte, under any spelling of its name", async () => {
    const feed = await feedWithSymbols();
    for (const path of [
      "/v3/package/acme.widgets/1.0.0/acme.widgets.1.0.0.snupkg",
      "/v3/package/Acme.Widgets/1.0/Acme.Widgets.1.0.SNUPKG",
    ]) {
      expect(await bytesOf(await feed.get(path))).toEqual(Buffer.from(snupkg()));
    }
    const other = "/v3/package/acme.widgets/1.0.0/acme.widgets.1.0.1.snupkg";
    expect((await feed.get(other)).status).toBe(404);
    await feed.fill("Acme.Bare", "1.0.0");
    const none = "/v3/package/acme.bare/1.0.0/acme.bare.1.0.0.snupkg";
    expect((await feed.get(none)).status).toBe(404);
  });

  test("takes the place of the one before, and the bytes of both are kept once", async () => {
    const feed = await feedWithSymbols();
    const before = new Set(feed.storedFiles.keys());
    expect((await put(feed, snupkg())).status).toBe(201);
    expect(new Set(feed.storedFiles.keys())).toEqual(before);

    const other = buildPdb({ content: "other" });
    expect((await put(feed, snupkg({ files: { "Other.pdb": other } }))).status).toBe(201);
    expect((await feed.get(PATH)).status).toBe(404);
    expect(feed.openStages()).toBe(0);
  });

  test("may hold one PDB in several folders, and several PDBs of one name", async () => {
    const second = buildPdb({ content: "two", id: Buffer.alloc(20, 7) });
    const files = { ...FILE, "tools/Acme.Widgets.pdb": PDB, "lib/net9.0/acme.widgets.pdb": second };
    const feed = await feedWithSymbols(snupkg({ files }));
    expect(await bytesOf(await feed.get(PATH))).toEqual(Buffer.from(PDB));
    const key = `${"07".repeat(16)}ffffffff`;
    const response = await feed.get(`/symbols/acme.widgets.pdb/${key}/acme.widgets.pdb`);
    expect(await bytesOf(response)).toEqual(Buffer.from(second));
    // The package, its symbols, and two PDBs.
    expect(feed.storedFiles.size).toBe(4);
  });
});

describe("symbols are refused, with the reason,", () => {
  test.each([
    ["bytes that are no archive", Buffer.from("nothing"), "is not a zip archive"],
    [
      "packages that are no symbol packages",
      snupkg({
        nuspec: buildNuspec("<id>Acme.Widgets</id><version>1.0.0</version>"),
      }),
      'does not have the package type "SymbolsPackage"',
    ],
    ["packages without a PDB", snupkg({ files: {} }), "has no .pdb file"],
    [
      "packages with a DLL",
      snupkg({ files: { ...FILE, "lib/net8.0/Acme.Widgets.dll": "MZ" } }),
      '"lib/net8.0/Acme.Widgets.dll" does not belong in a symbol package',
    ],
    [
      "Windows PDBs",
      snupkg({ files: { "lib/a.pdb": "Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" } }),
      '"lib/a.pdb" is a Windows PDB; only portable PDBs are taken',
    ],
    ["empty PDBs", snupkg({ files: { "lib/a.pdb": "" } }), '"lib/a.pdb" is empty'],
    [
      "damaged archives",
      snupkg({ entries: [{ name: "b.pdb", data: PDB, claimed: { crc32: 1 } }] }),
      '"b.pdb" is damaged',
    ],
    [
      "names that are too long",
      snupkg({ files: { [`lib/${"a".repeat(300)}.pdb`]: PDB } }),
      "is over 255 characters",
    ],
    [
      "broken versions",
      snupkg({ version: "1.0.0.0.0" }),
      'The version "1.0.0.0.0" is not a version',
    ],
  ])("%s", async (_, bytes, reason) => {
    const feed = createTestFeed();
    await feed.fill("Acme.Widgets", "1.0.0");
    const response = await put(feed, bytes);
    expect(response.status).toBe(400);
    expect(response.headers.get("x-nuget-warning")).toContain(reason);
    expect([feed.storedFiles.size, feed.openStages()]).toEqual([1, 0]);
  });

  test("for a version that is not in the feed", async () => {
    const feed = createTestFeed();
    await feed.fill("Acme.Widgets", "2.0.0");
    const response = await put(feed, snupkg());
    expect(response.status).toBe(404);
    expect(response.headers.get("x-nuget-warning")).toMatch(/Push Acme\.Widgets 1\.0\.0 first/);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining("Push Acme.Widgets 1.0.0 first, then its symbols."),
    });
    expect([feed.storedFiles.size, feed.openStages()]).toEqual([1, 0]);
  });

  test("for a version that goes while they come", async () => {
    const memory = await feedWithSymbols();
    const { symbols } = memory.ports;
    const feed = createTestFeed({
      symbols: { ...symbols, record: async () => ({ status: "absent" }) },
    });
    await feed.fill("Acme.Widgets", "1.0.0");
    expect((await put(feed, snupkg())).status).toBe(404);
    expect([feed.storedFiles.size, feed.openStages()]).toEqual([1, 0]);
  });

  test("in read-only mode, while they are still served", async () => {
    const { ports } = await feedWithSymbols();
    const feed = createTestFeed(ports, { isReadOnlyMode: true });
    const response = await put(feed, snupkg());
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await feed.get(PATH)).status).toBe(200);
  });

  test("when they are larger than packages may be", async () => {
    const { ports } = await feedWithSymbols();
    const feed = createTestFeed(ports, { maxPackageBytes: 100 });
    expect((await put(feed, snupkg())).status).toBe(413);
    const noise = snupkg({ files: { "a.xml": randomBytes(100_000) } });
    const chunked = new Request("https://feed.example/api/v2/symbol", {
      method: "PUT",
      body: ReadableStream.from([Uint8Array.from(noise)]),
      duplex: "half",
    });
    expect((await feed.app.request(chunked)).status).toBe(413);
  });

  test.each<[PackageVerdict, number]>([
    [{ status: "anonymous" }, 401],
    [{ status: "denied", reason: "no" }, 403],
    [{ status: "limited", retryAfterSeconds: 9 }, 429],
  ])("when the caller is %o", async (verdict, status) => {
    const { ports } = await feedWithSymbols();
    const accesses: unknown[] = [];
    const authorize: AuthorizePackage = async (_request, _env, access) => {
      accesses.push(access);
      return access.name === undefined ? { status: "granted", caller: testCaller } : verdict;
    };
    expect((await put(createTestFeed({ ...ports, authorize }), snupkg())).status).toBe(status);
    expect(accesses).toEqual([{ action: "publish" }, { action: "publish", name: "acme.widgets" }]);
  });
});

test("a damaged symbol package is taken or refused, and never breaks the feed", async () => {
  const feed = await feedWithSymbols();
  const whole = snupkg();
  const change = tuple(nat(whole.length - 1), nat(255));
  await assert(
    asyncProperty(array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [offset, value] of changes) bytes[offset] = value;
      const { status } = await put(feed, bytes);
      expect([201, 400]).toContain(status);
    }),
    { numRuns: 500 },
  );
  expect(feed.openStages()).toBe(0);
});

describe("a PDB", () => {
  test.each([
    PATH,
    `/symbols/Acme.Widgets.PDB/${KEY.toUpperCase()}/ACME.Widgets.pdb`,
    `/api/download/symbols/Acme.Widgets.pdb/${KEY.slice(0, 32)}FFFFFFFF/Acme.Widgets.pdb`,
    `/symbols/acme.widgets.pdb%2F${KEY}%2facme.widgets.pdb`,
    `/api/download/symbols/Acme.Widgets.pdb%2F${KEY}%2FAcme.Widgets.pdb`,
    `/api/download/symbols/feed/acme.widgets.pdb/${KEY}/acme.widgets.pdb`,
    `/symbols/acme.widgets.pdb/${KEY.slice(0, 32)}1/acme.widgets.pdb`,
    `/symbols/acme.widgets.pdb/${KEY.slice(0, 32)}/acme.widgets.pdb`,
  ])("is found at %s", async (path) => {
    const feed = await feedWithSymbols();
    const response = await feed.get(path);
    expect(await bytesOf(response)).toEqual(Buffer.from(PDB));
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toContain("acme.widgets.pdb");
  });

  test.each([
    `/symbols/acme.widgets.pdb/${KEY}/other.pdb`,
    `/symbols/other.pdb/${KEY}/other.pdb`,
    `/symbols/acme.widgets.pdb/${KEY.slice(0, 32)}2/acme.widgets.pdb`,
    `/symbols/acme.widgets.pdb/${"0".repeat(32)}ffffffff/acme.widgets.pdb`,
    `/symbols/acme.widgets.pdb/${KEY}`,
    `/symbols/acme.widgets.pdb%2F${KEY}`,
    `/symbols/acme.widgets.pdb%2F${KEY}%2Facme.widgets.pdb%2Fmore`,
  ])("is not found at %s", async (path) => {
    expect((await (await feedWithSymbols()).get(path)).status).toBe(404);
  });

  test("is not looked for under names that no file can have", async () => {
    const find = () => Promise.reject(new Error("nobody should ask"));
    const { symbols } = (await feedWithSymbols()).ports;
    const feed = createTestFeed({ symbols: { ...symbols, find } });
    expect((await feed.get(`/symbols/a%00.pdb/${KEY}/a%00.pdb`)).status).toBe(404);
    expect((await feed.get(PATH.replace(KEY, "0"))).status).toBe(404);
  });

  test("is served in parts, not at all when known, and as a head alone", async () => {
    const feed = await feedWithSymbols();
    const part = await feed.get(PATH, { range: "bytes=4-7" });
    expect([part.status, await bytesOf(part)]).toEqual([206, Buffer.from(PDB.subarray(4, 8))]);
    const etag = part.headers.get("etag") ?? "";
    expect(etag).toBe(`"${createHash("sha256").update(PDB).digest("hex")}"`);
    expect((await feed.get(PATH, { "if-none-match": etag })).status).toBe(304);
    const head = await feed.app.request(PATH, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(PDB.length));
    expect((await bytesOf(head)).length).toBe(0);
  });

  describe("with a checksum asked for", () => {
    const twin = buildPdb({ content: "another build with the same id", id: ID });

    async function feedWithTwins(): Promise<TestFeed> {
      const feed = await feedWithSymbols();
      await feed.fill("Acme.Copy", "1.0.0");
      const copy = buildSnupkg({
        id: "Acme.Copy",
        version: "1.0.0",
        files: { "Acme.Widgets.pdb": twin },
      });
      expect((await put(feed, copy)).status).toBe(201);
      return feed;
    }

    test.each([
      ["none", undefined, PDB],
      ["the first one's", `SHA256:${checksumOf(PDB)}`, PDB],
      ["the second one's", `SHA256:${checksumOf(twin)}`, twin],
      ["one of several", `SHA512:00;sha256:${checksumOf(twin).toUpperCase()};`, twin],
      ["that of an unknown algorithm", "SHA384:0011;MD9:22", PDB],
      ["nonsense", "SHA256:zz", PDB],
    ])("is the one that matches: %s", async (_, header, expected) => {
      const feed = await feedWithTwins();
      const headers = header === undefined ? {} : { SymbolChecksum: header };
      expect(await bytesOf(await feed.get(PATH, headers))).toEqual(Buffer.from(expected));
    });

    test("is not found when none matches", async () => {
      const feed = await feedWithTwins();
      const headers = { SymbolChecksum: `SHA256:${"00".repeat(32)}` };
      expect((await feed.get(PATH, headers)).status).toBe(404);
    });

    test("is the first that the caller may read", async () => {
      const { ports } = await feedWithTwins();
      const denied = { status: "denied", reason: "no" } as const;
      const absent = { status: "absent", caller: testCaller } as const;
      const readers = (
        mayRead: (name: string | undefined) => boolean,
        refusal: typeof denied | typeof absent = denied,
      ) =>
        createTestFeed({
          ...ports,
          authorize: async (_request, _env, { name }) =>
            mayRead(name) ? { status: "granted", caller: testCaller } : refusal,
        });
      const isSecond = (name: string | undefined) => name === "acme.copy";
      for (const refusal of [denied, absent] as const) {
        const second = readers(isSecond, refusal);
        expect(await bytesOf(await second.get(PATH))).toEqual(Buffer.from(twin));
      }
      expect((await readers(() => false).get(PATH)).status).toBe(401);
    });
  });

  test("does not answer anonymous callers on a closed feed", async () => {
    const { ports } = await feedWithSymbols();
    const feed = createTestFeed({ ...ports, authorize: async () => ({ status: "anonymous" }) });
    expect((await feed.get(PATH)).status).toBe(401);
    expect((await feed.get(PATH.replace(KEY, "0"))).status).toBe(401);
  });
});
