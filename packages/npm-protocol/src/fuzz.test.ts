import { gunzipSync, gzipSync } from "node:zlib";
import { changePlace, changeText, nestedLists } from "@sealhouse/http-responses/testing";
import type { TextChange } from "@sealhouse/http-responses/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildTarball } from "./testing/build-tarball.ts";
import { publishBody } from "./testing/publish-body.ts";
import { json, registry } from "./testing/registry.ts";

/** `pnpm test:extended` takes longer. */
const SECONDS = Number(process.env["SEALHOUSE_FUZZ_SECONDS"] ?? 2);
/** CPU time of one case, so that a busy machine does not count. */
const CASE_MS_MAX = 2_000;
const UNDERSTOOD = new Set([200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429]);
const RUNS = {
  numRuns: 1_000_000,
  interruptAfterTimeLimit: SECONDS * 1000,
  markInterruptAsFailure: false,
};
const TIMEOUT_MS = SECONDS * 1000 + 60_000;

/** Texts with a meaning in some context. */
const HOSTILE = [
  "__proto__",
  "constructor",
  "../../../etc/passwd",
  "..",
  "%2e%2e",
  "%00",
  "\u0000",
  "\ud800",
  "a".repeat(5_000),
  "-",
  "-rev",
  "@",
  "@/",
  "@a/",
  "@a%2fb",
  "node_modules",
  "1.0.0",
  "01.2.3",
  "v1",
  "latest",
  "9007199254740993.0.0",
  "shp_0",
  "${HOME}",
  "\r\nset-cookie: a=b",
] as const;

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }));

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, -1, 1e308, [], {}, [[]], ""),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  fc.integer({ min: 1, max: 200 }).map(nestedLists),
);

const textChange: fc.Arbitrary<TextChange> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  what: fc.oneof(
    fc.constantFrom("", "{", "}", "[", "]", '"', ",", ":", "\\", "\\u00", "1e999", "-", "null"),
    fc.constantFrom('"__proto__":{},', "[".repeat(300), '{"a":'.repeat(100), '"data":"', "\u0000"),
    fc.string({ unit: "binary", maxLength: 20 }),
  ),
  take: fc.constantFrom(0, 0, 1, 2, 30, 1_000_000),
});

const byteChange = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  what: fc.uint8Array({ maxLength: 12 }),
  take: fc.constantFrom(0, 1, 1, 4, 512, 1_000_000),
});

const style = fc.constantFrom("npm" as const, "pnpm" as const, "yarn" as const);

test(
  "documents that were changed as text are answered, and leave nothing when refused",
  () =>
    fc.assert(
      fc.asyncProperty(
        style,
        fc.array(textChange, { minLength: 1, maxLength: 3 }),
        async (as, changes) => {
          const text = publishBody({ style: as, readme: "# demo", manifest: { bin: "a.js" } });
          await expectUnderstood(changes.reduce(changeText, text));
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test(
  "documents with a field that is something else are answered, and leave nothing when refused",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(),
        hostileValue,
        fc.option(hostileText, { nil: undefined }),
        async (at, value, key) => {
          const document: unknown = JSON.parse(publishBody({ manifest: MANIFEST, readme: "# x" }));
          changePlace(document, { at, key, value });
          await expectUnderstood(JSON.stringify(document));
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test(
  "manifests with anything in them are answered, and read back when taken",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(MANIFEST), "x"),
        hostileValue,
        async (key, value) => {
          await expectUnderstood(publishBody({ manifest: { ...MANIFEST, [key]: value } }));
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test(
  "tarballs with changed bytes, inside and out, are answered, and leave nothing when refused",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(byteChange, { maxLength: 3 }),
        fc.array(byteChange, { maxLength: 2 }),
        fc.boolean(),
        async (inside, outside, repaired) => {
          const tar = inside.reduce(changeBytes, gunzipSync(TARBALL));
          const packed = gzipSync(repaired ? withChecksums(tar) : tar);
          const tarball = outside.reduce(changeBytes, packed);
          await expectUnderstood(publishBody({ tarball }));
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

const SEGMENTS = [
  "-",
  "package",
  "dist-tags",
  "latest",
  "npm",
  "v1",
  "tokens",
  "token",
  "user",
  "org.couchdb.user:a",
  "login",
  "done?sessionId=",
  "security",
  "advisories",
  "bulk",
  "audits",
  "quick",
  "keys",
  "attestations",
  "search?text=",
  "access",
  "collaborators",
  "trust",
  "stage",
  "oidc",
  "exchange",
  "org",
  "team",
  "-rev",
  "1-0",
  "demo",
  "@acme%2fdemo",
  "demo-1.0.0.tgz",
] as const;

test(
  "answers any method at any address with any body in npm's form",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"),
        fc.array(
          fc.oneof(fc.constantFrom(...SEGMENTS), hostileText.map(encoded), hostileText.map(raw)),
          { maxLength: 7 },
        ),
        fc.oneof(
          hostileValue.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        async (method, segments, body) => {
          const { app } = await SHELF;
          const sent = method === "GET" || method === "HEAD" ? {} : { body, headers: json };
          const address = `http://x/npm/${segments.join("/")}`;
          const answer = await timed(() => app.request(address, { method, ...sent }));
          await expectNpmForm(answer, method);
        },
      ),
      RUNS,
    ),
  TIMEOUT_MS,
);

test("both happened: documents were taken, and more were refused", () => {
  expect(totals.taken).toBeGreaterThan(10);
  expect(totals.refused).toBeGreaterThan(totals.taken);
});

const totals = { taken: 0, refused: 0 };

const MANIFEST = {
  description: "d",
  bin: { demo: "a.js" },
  scripts: { install: "x" },
  dependencies: { a: "^1" },
  optionalDependencies: { b: "1" },
  peerDependencies: { c: "1" },
  peerDependenciesMeta: { c: { optional: true } },
  bundleDependencies: ["a"],
  engines: { node: ">=24" },
  os: ["linux"],
  cpu: ["x64"],
  keywords: ["k"],
  repository: { type: "git", url: "https://x.example/r.git" },
  directories: { bin: "bin" },
  author: { name: "a" },
  readmeFilename: "README.md",
  dist: {},
  deprecated: "no",
  maintainers: [{ name: "x" }],
  _npmUser: { name: "x" },
};
const TARBALL = buildTarball({ files: { "lib/index.js": "x".repeat(900), "bin/a.js": "" } });
const SHELF = (async () => {
  const made = registry();
  const answer = await made.app.request("/npm/demo", {
    method: "PUT",
    headers: json,
    body: publishBody(),
  });
  expect(answer.status).toBe(200);
  return made;
})();

/** A new registry each time, so that whatever is left behind is of this document. */
async function expectUnderstood(body: string): Promise<void> {
  const { app, ports } = registry();
  const answer = await timed(() =>
    app.request("/npm/demo", { method: "PUT", headers: json, body }),
  );
  await expectNpmForm(answer, "PUT");
  const taken = answer.status === 200 && ports.inspect.blobs().length > 0;
  totals[taken ? "taken" : "refused"] += 1;
  expect(ports.inspect.staged()).toBe(0);
  if (!taken) {
    expect(ports.inspect.blobs()).toEqual([]);
    expect((await app.request("/npm/demo")).status).toBe(404);
    return;
  }
  for (const accept of ["application/json", "application/vnd.npm.install-v1+json"]) {
    const read = await app.request("/npm/demo", { headers: { accept } });
    expect(read.status).toBe(200);
    expect(await read.json()).toMatchObject({ name: "demo", versions: { "1.0.0": {} } });
  }
  expect((await app.request("/npm/demo/1.0.0")).status).toBe(200);
  expect((await app.request("/npm/demo/-/demo-1.0.0.tgz")).status).toBe(200);
  expect((await app.request("/npm/-/v1/search?text=demo")).status).toBe(200);
}

async function expectNpmForm(answer: Response, method: string): Promise<void> {
  expect(UNDERSTOOD).toContain(answer.status);
  const text = await answer.text();
  if (answer.status < 400 || method === "HEAD") return;
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const body: unknown = JSON.parse(text);
  expect(body).toMatchObject({ error: /./ });
  expect(text.length).toBeLessThan(10_000);
}

async function timed(act: () => Promise<Response> | Response): Promise<Response> {
  const start = process.cpuUsage();
  const answer = await act();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(CASE_MS_MAX);
  return answer;
}

function changeBytes(
  bytes: Buffer,
  { at, what, take }: { readonly at: number; readonly what: Uint8Array; readonly take: number },
): Buffer {
  const start = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, start), what, bytes.subarray(start + take)]);
}

/** Makes every block that may be a header one again, or most changes would end at the checksum. */
function withChecksums(tar: Buffer): Buffer {
  const changed = Buffer.from(tar);
  for (let index = 0; index + 512 <= changed.length; index += 512) {
    const block = changed.subarray(index, index + 512);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.write(" ".repeat(8), 148, "latin1");
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
  return changed;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The bytes on the wire, unchanged. */
function raw(text: string): string {
  return text.replaceAll(/[^!-~]/g, "").replaceAll("#", "");
}
