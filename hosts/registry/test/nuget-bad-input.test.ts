import { buildNupkg, buildNuspec, buildPdb, buildSnupkg } from "@sealhouse/nuget-protocol/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnHost } from "../src/testing/index.ts";
import type { HostProcess } from "../src/testing/index.ts";
import { expectTraces, tracesOf } from "./traces.ts";

const PUSH = "/api/v2/package/";
const SYMBOLS = "/api/v2/symbolpackage/";
const DEPRECATIONS = "/api/v2/package/Secret.One/deprecations";
const NAMED = { id: "Secret.One", version: "1.0.0" };
const PDB = buildPdb({ content: "good" });

const cleanUp = new AsyncDisposableStack();
let host: HostProcess;
let tokens: Readonly<Record<"all" | "limited" | "reader" | "foreign", string>>;

beforeAll(async () => {
  const env = { Feed__Authentication__AllowAnonymousPull: "false", AllowPackageOverwrites: "true" };
  host = cleanUp.use(await spawnHost({ env }));
  const scopes = "read,write,delete";
  const [all, limited, reader, foreign] = await Promise.all([
    host.makeToken({ scopes }),
    host.makeToken({ scopes, patterns: "Acme.*" }),
    host.makeToken({ scopes: "read" }),
    host.makeToken({ scopes, protocols: "npm" }),
  ]);
  tokens = { all, limited, reader, foreign };
  const good = buildNupkg({ ...NAMED, metadata: "<readme>r.md</readme>", files: { "r.md": "#" } });
  expect((await send("PUT", PUSH, { body: good })).status).toBe(201);
  const symbols = buildSnupkg({ ...NAMED, files: { "good.pdb": PDB } });
  expect((await send("PUT", SYMBOLS, { body: symbols })).status).toBe(201);
});
afterAll(() => cleanUp.disposeAsync());

type Sent = {
  readonly token?: string | undefined;
  readonly body?: Uint8Array | string;
};

/** By the token that may do everything but administrate, unless another is given. */
function send(method: string, path: string, { token, body }: Sent = {}): Promise<Response> {
  const key = token ?? tokens.all;
  return host.fetch(path, {
    method,
    headers: key === "" ? {} : { "x-nuget-apikey": key },
    ...(body !== undefined && { body: typeof body === "string" ? body : Buffer.from(body) }),
  });
}

const withMetadata = (metadata: string): Uint8Array =>
  buildNupkg({
    ...NAMED,
    nuspec: buildNuspec(
      `<id>Bad.One</id><version>1.0.0</version><authors>a</authors>
      <description>d</description>${metadata}`,
    ),
  });
const withPdbs = (files: Readonly<Record<string, Uint8Array | string>>): Uint8Array =>
  buildSnupkg({ ...NAMED, files });
const manyTags = Array.from({ length: 100_000 }, (_, n) => `<x${n}/>`).join("");
const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

type Bad = readonly [what: string, path: string, body: Uint8Array | string, says: RegExp];
const REFUSED: readonly Bad[] = [
  ["a manifest that is mostly tags", PUSH, withMetadata(manyTags), /more than 10000 tags/],
  ["a manifest of opening brackets", PUSH, buildNupkg({ ...NAMED, nuspec: "<" }), /usable XML/],
  ["a title with a NUL", PUSH, withMetadata("<title>a&#0;</title>"), /not an allowed entity/],
  ["a script for a project", PUSH, withMetadata("<projectUrl>javascript:a</projectUrl>"), /http/],
  ["a page for an icon", PUSH, iconOf("<script>alert(1)</script>"), /neither a PNG nor a JPEG/],
  ["symbols without a PDB", SYMBOLS, withPdbs({}), /no \.pdb file/],
  ["a Windows PDB", SYMBOLS, withPdbs({ "a.pdb": "Microsoft C/C++ MSF 7.00" }), /Windows PDB/],
  ["half a PDB", SYMBOLS, withPdbs({ "a.pdb": PDB.subarray(0, 40) }), /name does not end/],
  ["a program among symbols", SYMBOLS, withPdbs({ "a.pdb": PDB, "a.exe": "x" }), /a\.exe/],
  ["a PDB with a NUL in its name", SYMBOLS, withPdbs({ "a\0.pdb": PDB }), /control characters/],
  ["a PDB that unpacks to 300 MB", SYMBOLS, withPdbs({ "a.pdb": zeros(300_000_000) }), /unpack/],
  ["a package as symbols", SYMBOLS, buildNupkg(NAMED), /SymbolsPackage/],
  ["nested reasons", DEPRECATIONS, `{"reasons":[${nested}]}`, /A list is not a reason/],
  ["nested versions", DEPRECATIONS, `{"versions":[${nested}]}`, /A list in "versions"/],
  ["nothing but brackets", DEPRECATIONS, "[".repeat(200_000), /must be a JSON object/],
  ["an object for a flag", DEPRECATIONS, '{"isLegacy":{"toString":1}}', /"isLegacy" must be/],
  ["a prototype", DEPRECATIONS, '{"__proto__":{"reasons":["Other"]}}', /at least one of/],
  ["80,000 reasons", DEPRECATIONS, JSON.stringify({ reasons: Array(80_000).fill(1) }), /up to 10/],
];

test.each(REFUSED)("refuses %s with a reason, and leaves nothing", async (_, path, body, says) => {
  const before = await tracesOf(host);
  const answer = await send("PUT", path, { body });
  const text = await answer.text();
  expect(answer.status, text).toBe(400);
  expect(answer.headers.get("x-nuget-warning")).toMatch(says);
  expect(text.length).toBeLessThan(10_000);
  await expectTraces(host, before);
});

const FILES = ["readme", "icon", "license", "secret.one.nuspec", "secret.one.1.0.0.nupkg"];
const DOCUMENTS = [
  ...["index.json", ...FILES.map((file) => `1.0.0/${file}`)].map(
    (it) => `package/secret.one/${it}`,
  ),
  "package/secret.one/1.0.0/secret.one.1.0.0.snupkg",
  "registration/secret.one/index.json",
  "registration-semver2/secret.one/1.0.0.json",
  "autocomplete?id=Secret.One",
  "dependents?packageId=Secret.One",
].map((path) => `/v3/${path}`);
const LISTS = [
  "/v3/search",
  "/v3/autocomplete",
  "/v3/catalog/index.json",
  "/v3/catalog/page0.json",
  "/v3/vulnerabilities/index.json",
  "/packages",
];

test("a closed feed reveals no name, and a token opens only its own names", async () => {
  const leaf = await leafOfSecret();
  const about = [...DOCUMENTS, leaf, "/packages/Secret.One", "/packages/Secret.One/1.0.0/license"];
  for (const path of [...about, ...LISTS, "/", "/packages/Secret.On"]) {
    for (const token of ["", tokens.foreign]) {
      const answer = await send("GET", path, { token });
      expect(path === "/" ? [200, 401] : [401], path).toContain(answer.status);
      const html = (await answer.text()).replaceAll("/packages/Secret.On", "");
      // The link to sign in comes back to the page of the request.
      const text = html.replaceAll(/returnUrl=[^"]*/g, "");
      expect(text).not.toContain("Secret.One");
    }
  }
  for (const path of about) {
    const { status } = await send("GET", path, { token: tokens.limited });
    // The address of a leaf has a time that only the catalog tells.
    expect(status, path).toBe(path === leaf ? 404 : 401);
  }
  for (const path of LISTS) {
    const { status } = await send("GET", path, { token: tokens.limited });
    expect([200, 404], path).toContain(status);
  }
});

test.each<readonly [string, string, Uint8Array | string | undefined]>([
  ["PUT", PUSH, buildNupkg(NAMED)],
  ["PUT", SYMBOLS, withPdbs({ "a.pdb": PDB })],
  ["PUT", DEPRECATIONS, '{"reasons":["Other"]}'],
  ["DELETE", DEPRECATIONS, undefined],
  ["DELETE", "/api/v2/package/Secret.One/1.0.0", undefined],
  ["POST", "/api/v2/package/Secret.One/1.0.0", undefined],
  ["GET", "/api/v2/package/Secret.One/tombstones", undefined],
  ["DELETE", "/api/v2/package/Secret.One/1.0.0/tombstone", undefined],
])("%s %s is for those who may", async (method, path, body) => {
  const sent = body === undefined ? {} : { body };
  expect((await send(method, path, { ...sent, token: "" })).status).toBe(401);
  for (const token of [tokens.limited, tokens.reader, tokens.foreign]) {
    const answer = await send(method, path, { ...sent, token });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-nuget-warning")).toMatch(/^The token /);
  }
});

const ODD = [
  "%00",
  "a%00b",
  "%2e%2e%2f%2e%2e",
  "%5c..%5c",
  "%zz",
  "%ff",
  "%0d%0aX-Evil:%201",
  "%E2%84%AA",
  "__proto__",
  "constructor",
  "%27%20or%201=1",
  "*",
  "x".repeat(5_000),
  `1.0.0-${"a.".repeat(700)}a`,
  "99999999999999999999.0",
];

test.each([
  "/v3/package/X/index.json",
  "/v3/package/X/X/X.X.nupkg",
  "/v3/package/secret.one/1.0.0/X",
  "/v3/registration/X/X.json",
  "/v3/registration/secret.one/page/X/X.json",
  "/v3/catalog/X",
  "/v3/catalog/data/X/X",
  "/v3/vulnerabilities/X",
  "/symbols/X",
  "/symbols/X/0123456789abcdef0123456789abcdefffffffff/X",
  "/packages/X",
  "/packages/secret.one/X/license",
  "/api/v2/package/X/tombstones",
  "/v3/search?q=X&skip=X&take=X&packageType=X&framework=X&semVerLevel=X",
  "/v3/autocomplete?q=X&id=",
  "/v3/autocomplete?id=X",
  "/v3/dependents?packageId=X",
])("no odd name breaks %s", async (shape) => {
  for (const odd of ODD) {
    const answer = await send(
      "GET",
      shape.replaceAll("X", () => odd),
    );
    expect(shape.includes("?") ? [200] : [404, 200], odd).toContain(answer.status);
    expect(answer.headers.get("x-evil")).toBeNull();
    await answer.arrayBuffer();
  }
});

async function leafOfSecret(): Promise<string> {
  const find = async () => {
    const page = await send("GET", "/v3/catalog/page0.json");
    return /"([^"]*secret\.one\.1\.0\.0\.json)"/.exec(await page.text())?.[1];
  };
  await expect.poll(find, { timeout: 10_000 }).toBeDefined();
  return new URL((await find()) ?? "").pathname;
}

function iconOf(content: string): Uint8Array {
  const metadata = "<icon>i.png</icon>";
  return buildNupkg({ id: "Bad.Icon", version: "1.0.0", metadata, files: { "i.png": content } });
}

function zeros(size: number): Uint8Array {
  return new Uint8Array(size);
}
