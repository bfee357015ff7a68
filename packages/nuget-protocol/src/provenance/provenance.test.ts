import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { NuGetPorts } from "../ports.ts";
import type { Seal } from "../stored-package.ts";
import { buildNupkg, sourceOf } from "../testing/build-nupkg.ts";
import { createMemoryCatalog } from "../testing/memory-catalog.ts";
import { newPackage, testCaller } from "../testing/new-package.ts";
import { createTestFeed } from "../testing/test-feed.ts";
import { hashFiles } from "./hash-files.ts";
import type { Provenance } from "./ports.ts";

const PATH = "/v3/package/acme.widgets/1.0.0/provenance.json";
const SEAL: Seal = {
  plan: Uint8Array.of(1),
  fingerprint: "f".repeat(64),
  size: 6,
  signedAt: new Date("2026-02-03T04:05:06.789Z"),
};

function digests(text: string | Uint8Array) {
  const hash = (name: string) => createHash(name).update(text).digest("hex");
  return { sha256: hash("sha256"), sha512: hash("sha512") };
}

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

test("tells the digests of an unsigned package, content hash included", async () => {
  const feed = createTestFeed();
  const bytes = buildNupkg({ id: "Acme.Widgets", version: "1.0.0" });
  await feed.push(bytes);
  const received = digests(bytes);
  expect(await feed.json("/v3/package/Acme.Widgets/1.0/provenance.json")).toEqual({
    id: "Acme.Widgets",
    version: "1.0.0",
    packageContent: "https://feed.example/v3/package/acme.widgets/1.0.0/acme.widgets.1.0.0.nupkg",
    contentHash: base64(received.sha512),
    contentHashAlgorithm: "SHA512",
    contentHashStatus: "known",
    served: "received",
    received: { size: bytes.length, digest: received },
    signed: [],
  });
});

test("marks unknown digests as pending, and adds them after the file was read", async () => {
  const memory = createMemoryCatalog();
  const feed = createTestFeed(memory, { signingEnabled: true });
  const version = newPackage({ id: "Acme.Widgets", version: "1.0.0" }, { seal: SEAL });
  await memory.recorder.record(version, testCaller);
  const certificate = {
    fingerprint: SEAL.fingerprint,
    contentUrl: `https://feed.example/v3/certificates/${SEAL.fingerprint}.crt`,
  };
  const file = { size: 6, certificate, signedAt: "2026-02-03T04:05:06.789Z", replacedAt: null };
  expect(await feed.json(PATH)).toMatchObject({
    contentHash: null,
    contentHashStatus: "pending",
    served: "signed",
    signed: [{ ...file, digest: null, digestStatus: "pending" }],
  });
  const before = (await feed.get(PATH)).headers.get("etag");

  const hashable = {
    signed: async () => sourceOf(Buffer.from("signed")),
    contentHash: async () => "aGFzaA==",
  };
  await hashFiles({ ...memory, hashable }, { id: "acme.widgets", version: "1.0.0" });
  expect(await feed.json(PATH)).toMatchObject({
    contentHash: "aGFzaA==",
    contentHashStatus: "known",
    signed: [{ ...file, digest: digests("signed"), digestStatus: "known" }],
  });
  const after = await feed.get(PATH);
  expect(after.headers.get("etag")).not.toBe(before);
  expect((await feed.get(PATH, { "if-none-match": after.headers.get("etag") ?? "" })).status).toBe(
    304,
  );
  const head = await feed.app.request(PATH, { method: "HEAD" });
  expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([
    200,
    after.headers.get("etag"),
    "",
  ]);
});

test("tells the history of a version that was signed again, and what is served", async () => {
  const dateOf = (day: number) => new Date(Date.UTC(2026, 0, day));
  const common = { size: 6, digests: undefined };
  const provenance: Provenance = {
    id: "Acme",
    version: "1.0.0",
    received: { sha256: "aa", sha512: "aaaa", size: 5 },
    contentHash: "bbbb",
    signed: [
      { ...common, fingerprint: "old", signedAt: dateOf(1), replacedAt: dateOf(2) },
      { ...common, fingerprint: "new", signedAt: dateOf(2), replacedAt: undefined },
    ],
  };
  const ports: Partial<NuGetPorts> = { provenance: { find: async () => provenance } };
  const served = async (signingEnabled: boolean) =>
    createTestFeed(ports, { signingEnabled }).json(PATH);
  expect(await served(true)).toMatchObject({
    served: "signed",
    signed: [
      { certificate: { fingerprint: "old" }, replacedAt: dateOf(2).toISOString() },
      { certificate: { fingerprint: "new" }, replacedAt: null },
    ],
  });
  expect(await served(false)).toMatchObject({ served: "received" });
});

test.each([
  "/v3/package/acme.widgets/2.0.0/provenance.json",
  "/v3/package/other/1.0.0/provenance.json",
  "/v3/package/a..b/1.0.0/provenance.json",
  "/v3/package/acme.widgets/x/provenance.json",
])("answers 404 for %s", async (path) => {
  const feed = createTestFeed();
  await feed.fill("Acme.Widgets", "1.0.0");
  expect((await feed.get(path)).status).toBe(404);
});

test("asks for the right to read the package", async () => {
  const accesses: unknown[] = [];
  const feed = createTestFeed({
    authorize: async (_request, _env, access) => {
      accesses.push(access);
      return { status: "anonymous" };
    },
  });
  expect((await feed.get(PATH)).status).toBe(401);
  expect(accesses).toEqual([{ action: "read", name: "acme.widgets" }]);
});

test("a package that came signed has no content hash before it is read", async () => {
  const feed = createTestFeed();
  const signature = { name: ".signature.p7s", data: "unread", method: "store" } as const;
  const entries = [{ ...signature, externalAttributes: 0 }];
  await feed.push(buildNupkg({ id: "Acme.Widgets", version: "1.0.0", entries }));
  const document = await feed.json(PATH);
  expect(document).toMatchObject({ contentHash: null, contentHashStatus: "pending" });
});
