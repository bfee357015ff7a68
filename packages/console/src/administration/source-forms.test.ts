import { expect, test } from "vitest";
import { openAsBrowser, secretIn } from "../testing/administration-browser.ts";
import type { Fields } from "../testing/administration-browser.ts";
import { exampleSource } from "../testing/example-administration.ts";
import { wordsOf } from "../testing/page-text.ts";

const HOME = "http://localhost:8080";
const SOURCES = "/administration/package-sources";
const HOUR_MS = 3_600_000;
const NOW = new Date("2026-03-01T12:00:00Z");

const NEW: Fields = {
  Name: "npmjs",
  Protocol: "npm",
  FeedUrl: "https://registry.npmjs.org",
  IsEnabled: "true",
};

test("adds a source with credentials, which no page shows", async () => {
  const { send, get, ports, callers, changes } = await openAsBrowser();
  const secrets = { Username: "ada", Password: " s3cret text " };
  const fields = {
    ...NEW,
    ...secrets,
    Allow: "@acme/*\r\nleft-pad",
    MinimumReleaseAge: "7.00:00:00",
  };
  const added = await send("/administration/package-sources/new", fields);
  expect([added.status, added.headers.get("location")]).toEqual([303, `${SOURCES}?notice=added`]);
  const [row] = await ports.sources.list();
  expect(row).toMatchObject({ name: "npmjs", url: "https://registry.npmjs.org/", isEnabled: true });
  expect(JSON.parse(row?.settings ?? "")).toEqual({
    allow: ["@acme/*", "left-pad"],
    minimumReleaseAgeMs: 7 * 24 * HOUR_MS,
  });
  expect(secretIn(row?.credentials)).toContain(" s3cret text ");
  expect([callers, changes]).toEqual([["ada"], ["sources"]]);
  for (const path of [`${SOURCES}?notice=added`, `${SOURCES}/npmjs`]) {
    const page = await (await get(path, "ada")).text();
    expect(page).toContain("User name and password");
    expect(page).not.toContain("s3cret");
  }
});

test.each([
  [{ Name: "<b>x" }, '"Name" is not allowed; allowed: up to 64 letters'],
  [{ Protocol: "pypi" }, 'Protocol: "pypi" is not a protocol'],
  [{ FeedUrl: "javascript:alert(1)" }, "is not an http or https URL"],
  [{ FeedUrl: "https://ada:x@registry.example" }, "has credentials in the URL"],
  [{ FeedUrl: HOME }, "is an address of this registry"],
  [{ FeedUrl: `https://x.example/${"x".repeat(3_000)}` }, "is not an http or https URL"],
  [{ Type: "sideways" }, '"sideways" is not allowed; use upstream'],
  [{ Priority: "-1" }, '"-1" is not a whole number'],
  [{ Surface: "docker" }, "is only for sources of images"],
  [{ Allow: "a\nb<script>" }, '"b<script>" is not a name pattern'],
  [{ CachingStrategy: "Everything" }, '"Everything" is not allowed'],
  [{ SignaturePolicy: "Merge" }, "is only for sources of NuGet packages"],
  [{ TrustedCertificates: "abc" }, '"abc" is not a SHA-256 fingerprint'],
  [{ MinimumReleaseAge: "soon" }, "is not a time span such as 7.00:00:00"],
  [{ MinimumReleaseAge: "9999999.00:00:00" }, "is not a time span such as 7.00:00:00"],
  [{ Username: "ada" }, '"Password" is required together with the user name'],
  [{ Token: "a b" }, '"Bearer token" has spaces or characters other than ASCII'],
  [{ Token: "x", ApiKey: "y" }, "is a second kind of credentials"],
  [{ Headers: "X-Key" }, '"X-Key" is not a header with a value'],
  [{ TokenRealms: "https://auth.example" }, "is only for sources of images"],
  [{ CaPath: "/nowhere/ca.pem" }, '"File with certificate authorities" cannot be read'],
] as const satisfies readonly (readonly [Fields, string])[])(
  "the form of a new source refuses %j, and keeps the typed texts",
  async (fields, problem) => {
    const { send, ports } = await openAsBrowser();
    const typed = { ...NEW, Deny: "@typed/*", Priority: "7", ...fields };
    const answer = await send("/administration/package-sources/new", typed);
    const page = await answer.text();
    expect([answer.status, wordsOf(page)]).toEqual([422, expect.stringContaining(problem)]);
    expect(page).toContain("@typed/*");
    expect(page).toContain('aria-invalid="true"');
    expect(page).not.toMatch(/<script>|<b>/);
    for (const value of Object.values<string>(fields)) {
      if (!/[<\n]/.test(value) && !("Type" in fields || "Protocol" in fields)) {
        expect(page).toContain(value);
      }
    }
    expect(await ports.sources.list()).toEqual([]);
  },
);

test("refuses credentials when everyone may read, and a name that exists", async () => {
  const { send } = await openAsBrowser({ stored: [exampleSource()], anonymousPull: true });
  const refused = await send("/administration/package-sources/new", {
    ...NEW,
    Name: "x",
    Token: "secret",
  });
  expect(wordsOf(await refused.text())).toContain(
    '"Readers without a token may get its packages" is not set',
  );
  const twice = await send("/administration/package-sources/new", { ...NEW, Name: "NPMJS" });
  expect(wordsOf(await twice.text())).toContain('"Name" is the name of another source');
});

const KEPT = exampleSource({
  name: "feed",
  protocol: "nuget",
  url: "https://feed.example/v3/index.json",
  credentials: { type: "bearer", token: "hidden" },
});

const EDITED = {
  Protocol: "nuget",
  FeedUrl: "https://feed.example/v3/index.json",
  IsEnabled: "true",
  Credentials: "keep",
  Priority: "5",
};

test.each([
  [{}, undefined, "hidden"],
  [{ FeedUrl: "https://feed.example/other/index.json" }, undefined, "hidden"],
  [{ FeedUrl: "https://evil.example/v3/index.json" }, "cannot be kept", "hidden"],
  [{ FeedUrl: "http://feed.example/v3/index.json" }, "cannot be kept", "hidden"],
  [{ CredentialOrigins: "https://evil.example" }, "cannot be kept", "hidden"],
  [{ Protocol: "npm" }, "cannot be kept", "hidden"],
  [{ Token: "newer" }, 'is "Keep", but new ones are entered', "hidden"],
  [{ Credentials: "replace" }, "but none are entered", "hidden"],
  [{ Credentials: "replace", Token: "newer" }, undefined, "newer"],
  [
    { Credentials: "replace", Token: "newer", FeedUrl: "https://evil.example/v3/index.json" },
    undefined,
    "newer",
  ],
  [{ Credentials: "remove", Token: "newer" }, undefined, ""],
  [{ Credentials: "show" }, "has no such choice", "hidden"],
] as const satisfies readonly (readonly [Fields, string | undefined, string])[])(
  "a changed source with %j does not tell its credentials to another address",
  async (fields, problem, secret) => {
    const { send, ports } = await openAsBrowser({ stored: [KEPT] });
    const answer = await send(`${SOURCES}/feed`, { ...EDITED, ...fields });
    const words = wordsOf(await answer.text());
    if (problem === undefined) expect(answer.status).toBe(303);
    else expect([answer.status, words]).toEqual([422, expect.stringContaining(problem)]);
    expect(words).not.toContain("hidden");
    const [row] = await ports.sources.list();
    expect(row?.priority).toBe(problem === undefined ? 5 : 100);
    const stored = secretIn(row?.credentials);
    expect(stored).toBe(secret === "" ? "" : `{"type":"bearer","token":"${secret}"}`);
  },
);

test("disables, enables, tests and removes a source", async () => {
  const fetched: string[] = [];
  const { send, get, ports, callers } = await openAsBrowser({
    stored: [exampleSource()],
    fetch: (url) => {
      fetched.push(url.pathname);
      return new Response("<b>no</b>", { status: 500 });
    },
  });
  const act = (action: string) => send(`${SOURCES}/npmjs`, {}, `${SOURCES}/npmjs/${action}`);
  expect((await act("disable")).status).toBe(303);
  expect(wordsOf(await (await get(SOURCES, "ada")).text())).toContain("npm Disabled Database");
  expect((await act("enable")).status).toBe(303);
  const tested = await (await act("test")).text();
  expect(wordsOf(tested)).toContain("The source does not work");
  expect(tested).not.toContain("<b>");
  expect(fetched.length).toBeGreaterThan(0);
  expect((await act("remove")).status).toBe(303);
  expect(await ports.sources.list()).toEqual([]);
  expect(callers).toEqual(["ada", "ada", "ada"]);
  expect((await get(`${SOURCES}/npmjs`, "ada")).status).toBe(404);
});

test("a source of the settings is read-only, and its page gives the reason", async () => {
  const { get, post, proofOn, ports } = await openAsBrowser({
    configured: [exampleSource({ name: "fixed", from: "configuration" })],
  });
  for (const path of [SOURCES, `${SOURCES}/fixed`]) {
    const words = wordsOf(await (await get(path, "ada")).text());
    expect(words).toContain("comes from the settings of the host, so it can be changed only there");
    expect(words).not.toMatch(/Disable|Remove/);
  }
  const proof = await proofOn(SOURCES, `${SOURCES}/fixed/test`);
  expect((await post(`${SOURCES}/fixed/test`, { proof })).status).toBe(200);
  expect((await post(`${SOURCES}/fixed/remove`, { proof })).status).toBe(403);
  expect(await ports.sources.list()).toEqual([]);
});

test("a form about an older state of a source changes nothing", async () => {
  const { get, post, hiddenOn, sources, ports } = await openAsBrowser({ stored: [KEPT] });
  const hidden = await hiddenOn(`${SOURCES}/feed`, `${SOURCES}/feed`);
  await sources.enable("feed", false, { actor: "eve" });
  const late = await post(`${SOURCES}/feed`, { ...hidden, ...EDITED, Deny: "@typed/*" });
  const page = await late.text();
  expect([late.status, wordsOf(page)]).toEqual([
    422,
    expect.stringContaining('"Source" was changed since this page was opened'),
  ]);
  expect(page).toContain("@typed/*");
  expect((await ports.sources.list())[0]).toMatchObject({ isEnabled: false, priority: 100 });
  const [, revision = ""] = /name="revision" value="([^"]+)"/.exec(page) ?? [];
  expect((await post(`${SOURCES}/feed`, { ...hidden, ...EDITED, revision })).status).toBe(303);
  expect((await get(`${SOURCES}/feed`, "ada")).status).toBe(200);
});

test("credentials without their key stay in the database until someone replaces them", async () => {
  let hasKey = true;
  const { get, send, ports } = await openAsBrowser({ stored: [KEPT], hasKey: () => hasKey });
  hasKey = false;
  const words = wordsOf(await (await get(`${SOURCES}/feed`, "ada")).text());
  expect(words).toContain("The key ring cannot decrypt the credentials of this source");
  for (const [fields, action, problem] of [
    [EDITED, "", "cannot be kept, because they cannot be decrypted"],
    [{ ...EDITED, Credentials: "replace" }, "", "but none are entered"],
    [{}, "/disable", "cannot be decrypted; enter them again"],
  ] as const) {
    const answer = await send(`${SOURCES}/feed`, fields, `${SOURCES}/feed${action}`);
    expect([answer.status, wordsOf(await answer.text())]).toEqual([
      422,
      expect.stringContaining(problem),
    ]);
  }
  expect(secretIn((await ports.sources.list())[0]?.credentials)).toContain("hidden");
  const replaced = { ...EDITED, Credentials: "replace", Token: "newer" };
  expect((await send(`${SOURCES}/feed`, replaced)).status).toBe(303);
  expect(secretIn((await ports.sources.list())[0]?.credentials)).toContain("newer");
});

test("the page of a source has its failures of the last hour, and what came from it", async () => {
  const { get, ports } = await openAsBrowser({
    stored: [exampleSource()],
    mirrored: () => ({ names: 3, versions: 7 }),
  });
  const at = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
  const words = "answered with status 503 <script>";
  await ports.states.note("npmjs", {
    lastErrorAt: at(1),
    lastError: words,
    recentErrors: [
      { at: at(1), words },
      { at: at(61), words: "too old" },
    ],
  });
  const html = await (await get(`${SOURCES}/npmjs`, "ada")).text();
  const text = wordsOf(html);
  expect(text).toContain("Here from it: 3 names with 7 versions.");
  expect(text).toContain("Failures of the last hour 1");
  expect(text).toMatch(/UTC *, 1 minute ago answered with status 503/);
  expect(html).not.toContain("too old");
  expect(html).not.toContain("503 <script>");
});
