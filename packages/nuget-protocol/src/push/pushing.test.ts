import type { PackageVerdict } from "@sealhouse/request-types";
import { randomBytes } from "node:crypto";
import { ClientDisconnectedError } from "@sealhouse/http-responses";
import { expect, test } from "vitest";
import type { PackageFiles, SealOutcome } from "../ports.ts";
import type { Seal } from "../stored-package.ts";
import { buildNupkg } from "../testing/build-nupkg.ts";
import type { TestFeed } from "../testing/test-feed.ts";
import { createTestFeed } from "../testing/test-feed.ts";

const PACKAGE = buildNupkg({
  id: "Acme.Widgets",
  version: "1.0",
  metadata: '<license type="expression">MIT</license><readme>README.md</readme>',
  files: { "README.md": "# Widgets", a: randomBytes(5000) },
});
const SEAL: Seal = {
  plan: Uint8Array.of(1, 2, 3),
  fingerprint: "ab".repeat(32),
  size: 9999,
  signedAt: new Date("2026-01-02T03:04:05Z"),
};

test("takes a package, announces it and shows it everywhere", async () => {
  const now = new Date("2026-05-06T07:08:09.123Z");
  const feed = createTestFeed({}, { now: () => now });
  expect((await feed.push(PACKAGE)).status).toBe(201);
  expect(feed.counted).toEqual(["push"]);
  expect(feed.openStages()).toBe(0);
  expect(await feed.json("/v3/package/acme.widgets/index.json")).toEqual({ versions: ["1.0.0"] });
  expect(await feed.json("/v3/registration/acme.widgets/index.json")).toMatchObject({
    items: [{ items: [{ catalogEntry: { published: now.toISOString(), authors: "acme" } }] }],
  });
  expect(await feed.json("/v3/search?q=acme")).toMatchObject({ totalHits: 1 });
});

test.each([
  [
    "quoted boundary, unquoted tokens",
    "/api/v2/package/",
    'boundary="b"',
    "name=package; filename=p",
  ],
  ["plain boundary, quoted tokens", "/api/v2/package", "boundary=b", 'name="x"; filename="p"'],
])("takes a form with %s at %s", async (_, path, boundary, tokens) => {
  const feed = createTestFeed();
  const body = Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${tokens}\r\n\r\n`),
    PACKAGE,
    Buffer.from("\r\n--b--\r\n"),
  ]);
  const headers = { "content-type": `multipart/form-data; ${boundary}` };
  const chunked = ReadableStream.from(
    [body.subarray(0, 50), body.subarray(50, 3000), body.subarray(3000)].map((part) =>
      Uint8Array.from(part),
    ),
  );
  const request = new Request(`https://feed.example${path}`, {
    method: "PUT",
    body: chunked,
    headers,
    duplex: "half",
  });
  expect((await feed.app.request(request)).status).toBe(201);
});

test("stores other spellings of a version under its normal form, and clashes with it", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme", "1.01.0.0", "1.2.3.4", "2.0.0-Beta+meta");
  for (const version of ["1.1", "1.2.3.04", "2.0.0-bETA+other"]) {
    const response = await feed.push(buildNupkg({ id: "ACME", version }));
    expect(response.status).toBe(409);
    expect(response.headers.get("x-nuget-warning")).toMatch(/is in this feed/);
  }
  expect(await feed.json("/v3/package/acme/index.json")).toEqual({
    versions: ["1.1.0", "1.2.3.4", "2.0.0-beta"],
  });
  expect([feed.storedFiles.size, feed.openStages()]).toEqual([3, 0]);
});

test("takes exactly one of twenty racing uploads, and keeps only its bytes", async () => {
  const feed = createTestFeed();
  const uploads = Array.from({ length: 20 }, () =>
    buildNupkg({ id: "Acme", version: "1.0.0", files: { a: randomBytes(100) } }),
  );
  const answers = await Promise.all(uploads.map(async (bytes) => (await feed.push(bytes)).status));
  expect(answers.toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 19 }, () => 409),
  ]);
  const winner = uploads[answers.indexOf(201)];
  const served = await feed.get("/v3/package/acme/1.0.0/acme.1.0.0.nupkg");
  expect(Buffer.from(await served.arrayBuffer()).equals(winner ?? Buffer.of())).toBe(true);
  expect([feed.storedFiles.size, feed.openStages()]).toEqual([1, 0]);
});

test("accepts a package with defects, and lists them", async () => {
  const feed = createTestFeed();
  const metadata = "<licenseUrl>https://acme.example/license</licenseUrl>";
  const response = await feed.push(buildNupkg({ id: "A", version: "1.0", metadata }));
  expect(response.status).toBe(201);
  const warning = response.headers.get("x-nuget-warning");
  expect(warning).toMatch(/^<licenseUrl> is deprecated[^.]*\. The package has no readme/);
});

test("returns remarks of sealing and validation as sentences on one line", async () => {
  const feed = createTestFeed({
    sealer: { seal: async () => ({ status: "unsealed", warning: "Not signed: key lost" }) },
  });
  const response = await feed.push(buildNupkg({ id: "A", version: "1.0" }));
  expect(response.headers.get("x-nuget-warning")).toBe(
    "The package has no license; add <license>. The package has no readme; " +
      "add <readme>, so that people see what it is for. Not signed: key lost",
  );
});

test("gives all reasons for an invalid package, on one line each, and keeps nothing", async () => {
  const feed = createTestFeed();
  const response = await feed.push(
    buildNupkg({
      id: "A",
      version: "1.0",
      metadata: "<icon>größe.png</icon><readme>b.md</readme>",
    }),
  );
  expect(response.status).toBe(400);
  expect(response.headers.get("x-nuget-warning")).toMatch(/^[\x20-\x7e]+$/);
  expect(response.headers.get("x-nuget-warning")).toContain("grosse.png".replace("ss", "?"));
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({
    title: "The package is not valid",
    status: 400,
    problems: [
      'The icon file "größe.png" is not in the package.',
      'The readme file "b.md" is not in the package.',
    ],
  });
  expectNothingStored(feed);
});

test.each([
  ["an empty body", Buffer.alloc(0)],
  ["text", Buffer.from("hello")],
  ["half a package", PACKAGE.subarray(0, 3000)],
])("refuses %s with 400", async (_, bytes) => {
  const feed = createTestFeed();
  expect((await feed.push(bytes)).status).toBe(400);
  expectNothingStored(feed);
});

test("refuses what is larger than the limit with 413, and takes what just fits", async () => {
  const tight = createTestFeed({}, { maxPackageBytes: PACKAGE.length });
  expect((await tight.push(PACKAGE)).status).toBe(201);
  const feed = createTestFeed({}, { maxPackageBytes: PACKAGE.length - 1 });
  const response = await feed.push(PACKAGE);
  expect(response.status).toBe(413);
  expect(response.headers.get("x-nuget-warning")).toMatch(/takes up to \d+ bytes/);
  const declared = await feed.push(PACKAGE, { "content-length": "99999999" });
  expect(declared.status).toBe(413);
  expectNothingStored(feed);
});

const SEALINGS: readonly (readonly [SealOutcome, number, string | null, string | null])[] = [
  [{ status: "sealed", seal: SEAL }, 201, null, null],
  [{ status: "sealed", seal: SEAL, warning: "no time-stamp" }, 201, "no time-stamp", null],
  [{ status: "unsealed" }, 201, null, null],
  [{ status: "unsealed", warning: "not signed: key lost" }, 201, "not signed: key lost", null],
  [
    { status: "refused", reason: "package already has a repository signature" },
    400,
    "package already has a repository signature",
    null,
  ],
  [{ status: "failed", reason: "the certificate expired" }, 400, "the certificate expired", null],
  [{ status: "failed", reason: "TSA down", retryAfterSeconds: 30 }, 503, "TSA down", "30"],
];

test.each(SEALINGS)("answers the sealing %o with %i", async (outcome, status, warning, retry) => {
  const sealed: unknown[] = [];
  const feed = createTestFeed({
    sealer: {
      async seal(file, identity) {
        sealed.push({ ...identity, size: file.size, sha256: file.sha256.length });
        return outcome;
      },
    },
  });
  const response = await feed.push(PACKAGE);
  expect(response.status).toBe(status);
  expect(response.headers.get("x-nuget-warning")).toBe(warning);
  expect(response.headers.get("retry-after")).toBe(retry);
  expect(sealed).toEqual([
    {
      id: "Acme.Widgets",
      publisher: { actor: "token:test", requestId: "request-1" },
      version: "1.0.0",
      origin: "Published",
      size: PACKAGE.length,
      sha256: 64,
    },
  ]);
  if (status !== 201) expectNothingStored(feed);
  const storedPackage = await feed.ports.lookup.find("acme.widgets", "1.0.0");
  expect(storedPackage?.seal).toEqual(outcome.status === "sealed" ? SEAL : undefined);
});

test("disposes of the stage and publishes nothing when any port fails", async () => {
  const broken = () => Promise.reject(new Error("out of order"));
  for (const overrides of [
    { sealer: { seal: broken } },
    { recorder: { record: broken, setListed: broken } },
    { lookup: { find: broken, summaries: broken, versions: broken } },
  ]) {
    const feed = createTestFeed(overrides);
    await expect(thrown(feed)).resolves.toBe("out of order");
    expect([feed.openStages(), feed.counted]).toEqual([0, []]);
  }
});

test("stores nothing when the client hangs up half-way", async () => {
  const feed = createTestFeed();
  const request = new Request("https://feed.example/api/v2/package", {
    method: "PUT",
    body: ReadableStream.from(
      (async function* () {
        yield Uint8Array.from(PACKAGE.subarray(0, 2000));
        throw new Error("connection reset");
      })(),
    ),
    duplex: "half",
  });
  await expect(feed.app.request(request)).rejects.toThrow("connection reset");
  expectNothingStored(feed);
});

test("answers a broken connection with 400", async () => {
  const cut = () =>
    Promise.reject(new ClientDisconnectedError("the request body ended before its end"));
  const feed = createTestFeed({ files: { ...noFiles, stage: cut } });
  const response = await feed.push(PACKAGE);
  expect(response.status).toBe(400);
  expect(response.headers.get("x-nuget-warning")).toContain("ended early");
});

test("discards the new copy of bytes that are already kept", async () => {
  const feed = createTestFeed();
  await feed.push(PACKAGE);
  const [key] = feed.storedFiles.keys();
  const duplicates = createTestFeed({
    ...feed.ports,
    lookup: { ...feed.ports.lookup, find: async () => undefined },
    recorder: {
      ...feed.ports.recorder,
      record: async () => ({ status: "recorded", isDuplicate: true, replaced: false }),
    },
  });
  expect((await duplicates.push(PACKAGE)).status).toBe(201);
  expect([...feed.storedFiles.keys()]).toEqual([key]);
});

const noFiles: PackageFiles = {
  stage: () => Promise.reject(new Error("staged")),
  read: () => {
    throw new Error("read");
  },
};

const REFUSALS: readonly (readonly [PackageVerdict, number, string | null])[] = [
  [{ status: "anonymous" }, 401, 'Basic realm="Sealhouse"'],
  [{ status: "denied", reason: "the token may only read" }, 403, null],
  [{ status: "limited", retryAfterSeconds: 5 }, 429, null],
];

test.each(REFUSALS)(
  "answers a push by %o with %i, without reading it",
  async (verdict, status, challenge) => {
    const feed = createTestFeed({
      authorize: async () => verdict,
      files: { ...noFiles, stage: () => Promise.reject(new Error("read")) },
    });
    const response = await feed.push(PACKAGE);
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(response.headers.get("x-nuget-warning")).toMatch(/\w/);
  },
);

test("asks again once it knows the name: a token for other names cannot push", async () => {
  const accesses: unknown[] = [];
  const feed = createTestFeed({
    authorize: async (_request, _env, access) => {
      accesses.push(access);
      return access.name === undefined
        ? { status: "granted", caller: { actor: "token:other" } }
        : { status: "denied", reason: "the token is for Contoso.* only" };
    },
  });
  const response = await feed.push(PACKAGE);
  expect(response.status).toBe(403);
  expect(response.headers.get("x-nuget-warning")).toContain("Contoso.*");
  expect(accesses).toEqual([{ action: "publish" }, { action: "publish", name: "acme.widgets" }]);
  expectNothingStored(feed);
});

test("unlists and relists under any spelling, and still serves what is unlisted", async () => {
  const feed = createTestFeed();
  await feed.fill("Acme", "1.0.0");
  const change = async (method: string, path: string) =>
    (await feed.app.request(`/api/v2/package/${path}`, { method })).status;
  const hits = async () => (await feed.json("/v3/search?q=acme")) as { totalHits: number };

  expect(await change("DELETE", "ACME/1.0")).toBe(204);
  expect(await change("DELETE", "acme/1.0.0")).toBe(204);
  expect((await hits()).totalHits).toBe(0);
  expect((await feed.get("/v3/package/acme/1.0.0/acme.1.0.0.nupkg")).status).toBe(200);
  expect(await feed.json("/v3/registration/acme/index.json")).toMatchObject({
    items: [{ items: [{ catalogEntry: { listed: false } }] }],
  });

  expect(await change("POST", "acme/1.0.0.0")).toBe(200);
  expect((await hits()).totalHits).toBe(1);
  for (const path of ["acme/2.0.0", "other/1.0.0", "acme/x", "a..b/1.0.0"]) {
    expect(await change("DELETE", path), path).toBe(404);
    expect(await change("POST", path), path).toBe(404);
  }
});

test("asks for the right to delete by name, and the right to write for relisting", async () => {
  const accesses: unknown[] = [];
  const feed = createTestFeed({
    authorize: async (_request, _env, access) => {
      accesses.push(access);
      return { status: "denied", reason: "no" };
    },
  });
  for (const method of ["DELETE", "POST"]) {
    const response = await feed.app.request("/api/v2/package/Acme/1.0.0", { method });
    expect(response.status).toBe(403);
  }
  expect(accesses).toEqual([
    { action: "unlist", name: "acme" },
    { action: "write", name: "acme" },
  ]);
});

test("refuses changes in read-only mode, with the reason", async () => {
  const feed = createTestFeed({}, { isReadOnlyMode: true });
  const answers = [
    await feed.push(PACKAGE),
    await feed.app.request("/api/v2/package/acme/1.0.0", { method: "DELETE" }),
    await feed.app.request("/api/v2/package/acme/1.0.0", { method: "POST" }),
  ];
  for (const { status, headers } of answers) {
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(headers.get("x-nuget-warning")).toMatch(/read-only/);
  }
  expectNothingStored(feed);
});

function expectNothingStored(feed: TestFeed): void {
  expect({ kept: feed.storedFiles.size, open: feed.openStages(), counted: feed.counted }).toEqual({
    kept: 0,
    open: 0,
    counted: [],
  });
}

/** Foreign errors are for the host to answer, so they must come out of the app. */
async function thrown(feed: TestFeed): Promise<string | undefined> {
  let message: string | undefined;
  feed.app.onError((error, c) => {
    message = error.message;
    return c.body(null, 500);
  });
  await feed.push(PACKAGE);
  return message;
}
