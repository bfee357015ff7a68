import { expect, test } from "vitest";
import { createTarget } from "../target/create-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import { exchangeIdToken } from "./exchange-id-token.ts";

// Stand-ins that answer as npmjs and nuget.org are documented or were read to answer.

const NOW = new Date("2026-01-01T00:00:00Z");
const { signal } = new AbortController();

const NPMJS = createTarget({ name: "npmjs", protocol: "npm", endpoint: "https://npm.example/" });
const NUGET = "https://api.nuget.example/v3/index.json";
const GALLERY = "https://www.nuget.example";

const galleryWith = (allowedOrigins: readonly string[]) =>
  createTarget({
    name: "gallery",
    protocol: "nuget",
    endpoint: NUGET,
    options: { allowedOrigins },
  });

/** Runs one exchange; `answer` is that of the token endpoint. */
async function exchanged(target: PublishTarget, answer: () => Response) {
  const seen: { readonly call: string; readonly secret: string | null; readonly body: string }[] =
    [];
  const fetch = async (url: URL, init: RequestInit) => {
    const request = new Request(url, init);
    if (url.href === NUGET) {
      expect(request.headers.get("authorization")).toBeNull();
      const push = { "@id": `${GALLERY}/api/v2/package`, "@type": "PackagePublish/2.0.0" };
      return Response.json({ version: "3.0.0", resources: [push] });
    }
    const secret = request.headers.get("authorization");
    seen.push({ call: `${request.method} ${url.href}`, secret, body: await request.text() });
    return answer();
  };
  const request = { idToken: "id.of.job", name: "@acme/bar", username: "acme" };
  const key = await exchangeIdToken(target, request, { fetch, now: () => NOW }, signal);
  return { key, seen };
}

test.each([
  {
    case: "npmjs: one key for each package",
    target: NPMJS,
    answer: { token: "npm_key", expires: "2026-01-01T01:00:00.000Z" },
    call: "POST https://npm.example/-/npm/v1/oidc/token/exchange/package/@acme%2fbar",
    body: {},
    key: { secret: "npm_key", expiresAt: new Date("2026-01-01T01:00:00Z") },
  },
  {
    case: "npmjs: without a time",
    target: NPMJS,
    answer: { token: "npm_key" },
    call: "POST https://npm.example/-/npm/v1/oidc/token/exchange/package/@acme%2fbar",
    body: {},
    key: { secret: "npm_key", expiresAt: new Date("2026-01-01T00:15:00Z") },
  },
  {
    case: "nuget.org: one key for the account, at the host of the push address",
    target: galleryWith([GALLERY]),
    answer: { tokenType: "ApiKey", expires: "2026-01-01T00:15:00Z", apiKey: "oy2" },
    call: "POST https://www.nuget.example/api/v2/token",
    body: { username: "acme", tokenType: "ApiKey" },
    key: { secret: "oy2", expiresAt: new Date("2026-01-01T00:15:00Z") },
  },
])("exchanges an ID token at $case", async ({ target, answer, call, body, key }) => {
  const done = await exchanged(target, () => Response.json(answer, { status: 201 }));
  expect(done.key).toEqual({ status: "exchanged", ...key });
  const text = JSON.stringify(body);
  expect(done.seen).toEqual([{ call, secret: "Bearer id.of.job", body: text }]);
});

test.each([
  [401, { error: "The token has been used." }, "unauthorized", "The token has been used."],
  [404, { message: "No trusted publisher fits." }, "refused", "No trusted publisher fits."],
  [503, {}, "failed", "503"],
  [200, {}, "refused", "200"],
  [400, { error: "The token id.of.job is bad." }, "refused", "The token *** is bad."],
])("an answer %i gives no key", async (status, answer, outcome, words) => {
  const { key } = await exchanged(NPMJS, () => Response.json(answer, { status }));
  expect(key).toMatchObject({ status: outcome, reason: expect.stringContaining(words) });
});

test("sends no ID token to another host than those of the target", async () => {
  const { key, seen } = await exchanged(galleryWith([]), () => Response.json({}));
  expect(key).toMatchObject({ status: "refused", reason: expect.stringContaining(GALLERY) });
  expect(seen).toEqual([]);
});

test.each([
  [307, "https://evil.example/token", "redirects what it was sent to another server"],
  [308, "https://evil.example/token", "redirects what it was sent to another server"],
  [307, "https://user:password@npm.example/token", "with credentials in it"],
  [307, "http://npm.example/token", "redirects what it was sent to another server"],
  [307, "https://npm.example/again", "more than 5 redirects"],
  [302, "https://evil.example/token", "302"],
])("a redirect %i to %s is refused for good", async (status, location, words) => {
  const { key, seen } = await exchanged(
    NPMJS,
    () => new Response(undefined, { status, headers: { location } }),
  );
  expect(key).toMatchObject({ status: "refused", reason: expect.stringContaining(words) });
  const servers = new Set(seen.map(({ call }) => new URL(call.split(" ")[1] ?? "").host));
  expect([...servers]).toEqual(["npm.example"]);
});
