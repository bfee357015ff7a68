import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { openAuthenticator } from "../authenticator.ts";
import type { NewToken } from "../create-token.ts";
import {
  createMemoryTokenStore,
  createTestToken,
  TEST_PEPPER,
  tokenRecord,
} from "../testing/index.ts";
import { createLeakReports } from "./leak-reports.ts";

const now = new Date("2026-02-01T00:00:00Z");
const scanner = generateKeyPairSync("ec", { namedCurve: "P-256" });
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
const place = { type: "sealhouse_token", url: "https://code.example/a/b", source: "content" };
const context = { id: "request-1", address: "192.0.2.1" };

function openReports(options: { readonly signed?: boolean; readonly isAway?: boolean } = {}) {
  const { signed = true, isAway = false } = options;
  const tokens = createMemoryTokenStore();
  const places: object[] = [];
  const prefixes: string[] = [];
  const reports = createLeakReports({
    tokens: {
      findByPrefix: async (prefix) => {
        prefixes.push(prefix);
        return tokens.findByPrefix(prefix);
      },
      reportLeak: async (id, leak, by) => {
        places.push({ id, ...leak, by });
        return tokens.reportLeak(id, leak, by);
      },
    },
    authenticator: openAuthenticator({ tokens, use: tokens, pepper: TEST_PEPPER, now: () => now }),
    pepper: TEST_PEPPER,
    now: () => now,
    onError: () => undefined,
    keys: signed
      ? async (id) => {
          if (isAway) throw new Error("away");
          return id === "key-1" ? scanner.publicKey : undefined;
        }
      : undefined,
  });
  const insert = async (fields: Partial<NewToken> = {}) => {
    const made = createTestToken(fields);
    await tokens.insert(made.record, { actor: "test" });
    return { ...made, state: () => tokens.findById(made.record.id) };
  };
  const report = (body: string, headers: Record<string, string> = {}) =>
    reports({ body: Buffer.from(body), headers: new Headers(headers), context });
  return { tokens, places, prefixes, insert, report };
}

const bodyOf = (...texts: readonly string[]) =>
  JSON.stringify(texts.map((token) => ({ token, ...place })));
const signatureOf = (body: string, { privateKey } = scanner, id = "key-1") => ({
  "github-public-key-identifier": id,
  "github-public-key-signature": sign("sha256", Buffer.from(body), privateKey).toString("base64"),
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a signed report revokes known tokens with their descendants, and labels all", async () => {
  const { insert, report, tokens, places, prefixes } = openReports();
  const leaked = await insert();
  const child = tokenRecord({ parentId: leaked.record.id });
  await tokens.insert(child, { actor: "test" });
  const unknown = createTestToken().token;
  const damaged = `${leaked.token.slice(0, -1)}${leaked.token.endsWith("0") ? "1" : "0"}`;
  const body = bodyOf(leaked.token, unknown, damaged, leaked.token, "ghp_something");
  const outcome = await report(body, signatureOf(body));
  expect(outcome).toEqual({
    status: "handled",
    tokens: [leaked.token, unknown, damaged, leaked.token, "ghp_something"].map((token, index) => ({
      token_raw: token,
      token_type: "sealhouse_token",
      label: index === 0 || index === 3 ? "true_positive" : "false_positive",
    })),
  });
  expect(await leaked.state()).toMatchObject({ revokedAt: now, leakedAt: now });
  expect(await tokens.findById(child.id)).toMatchObject({ revokedAt: now });
  const by = { actor: "secret scanner", requestId: "request-1", address: "192.0.2.1" };
  const { url, source } = place;
  expect(places).toEqual([{ id: leaked.record.id, at: now, url, source, by }]);
  // A wrong checksum costs no lookup.
  expect(prefixes).toEqual([leaked.token, unknown].map((token) => token.slice(0, 12)));
});

test.each([
  ["a changed body", (body: string) => [`${body} `, signatureOf(body)]],
  ["another key", (body: string) => [body, signatureOf(body, stranger)]],
  ["an unknown key id", (body: string) => [body, signatureOf(body, scanner, "key-2")]],
  ["no signature", (body: string) => [body, { "github-public-key-identifier": "key-1" }]],
  [
    "an unknown key and a token of an administrator",
    (body: string, admin: string) => [body, { ...signatureOf(body, stranger), ...bearer(admin) }],
  ],
] as const)("refuses a report with %s", async (_what, made) => {
  const { insert, report, places } = openReports();
  const [leaked, admin] = [await insert(), await insert({ scopes: ["admin"] })];
  const [body, headers] = made(bodyOf(leaked.token), admin.token) as [
    string,
    Record<string, string>,
  ];
  const outcome = await report(body, headers);
  expect(outcome).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("signature"),
  });
  expect(places).toEqual([]);
});

test("accepts no signature without configured keys or while the service is away", async () => {
  const body = bodyOf("x");
  const headers = signatureOf(body);
  expect(await openReports({ signed: false }).report(body, headers)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("Host__LeakedTokens__PublicKeysUrl"),
  });
  expect(await openReports({ isAway: true }).report(body, headers)).toEqual({
    status: "unavailable",
  });
});

test.each([
  ["no JSON", "token"],
  ["an object", '{"token":"x"}'],
  ["an entry without a token", '[{"type":"x"}]'],
  ["a number as the token", '[{"token":1}]'],
  ["a very long token", JSON.stringify([{ token: "x".repeat(501) }])],
  ["10,000 entries", JSON.stringify(Array.from({ length: 10_000 }, () => ({ token: "x" })))],
])("refuses %s as malformed", async (_what, body) => {
  const { report } = openReports();
  expect(await report(body, signatureOf(body))).toMatchObject({ status: "malformed" });
  expect(await report(body)).toMatchObject({ status: "malformed" });
});

test("an administrator reports several tokens, its own included", async () => {
  const { insert, report, tokens } = openReports();
  const [one, admin, two] = [await insert(), await insert(), await insert()];
  const body = bodyOf(one.token, admin.token, two.token);
  expect(await report(body, bearer(admin.token))).toMatchObject({ status: "handled" });
  for (const { state } of [one, admin, two]) expect((await state())?.leakedAt).toEqual(now);
  expect(await tokens.replace(one.record.id, tokenRecord({}), { actor: "test" })).toBe("absent");
});

test.each([
  ["no token", undefined],
  ["a token without the scope admin", { scopes: ["read", "write"] }],
  ["an administrator's token for some names", { patterns: ["@acme/*"] }],
  ["an administrator's token for a network", { networks: ["192.0.2.0/24"] }],
  ["an administrator's token for npm", { protocols: ["npm"] }],
] as const)("does not accept several tokens with %s", async (_what, fields) => {
  const { insert, report, places } = openReports();
  const [one, two] = [await insert(), await insert()];
  const headers = fields ? bearer((await insert(fields)).token) : {};
  const outcome = await report(bodyOf(one.token, two.token), headers);
  expect(outcome).toMatchObject({ status: "refused", reason: expect.stringContaining("admin") });
  expect(places).toEqual([]);
});

test("the holder of a token reports it without a signature, which is not a use", async () => {
  const { insert, report } = openReports();
  const { token, state } = await insert({ scopes: ["read"] });
  expect(await report(bodyOf(token))).toMatchObject({ tokens: [{ label: "true_positive" }] });
  expect(await state()).toMatchObject({ leakedAt: now });
  expect((await state())?.lastUsedAt).toBeUndefined();
  expect(await report(bodyOf(token))).toMatchObject({ tokens: [{ label: "true_positive" }] });
});

test("wrong tokens from one address are limited", async () => {
  const { report } = openReports();
  const statuses = new Set<string>();
  for (let count = 0; count < 100; count += 1) {
    statuses.add((await report(bodyOf(createTestToken().token))).status);
  }
  expect([...statuses]).toEqual(["handled", "limited"]);
});

test("no event contains the token or control characters of a place", async () => {
  const { insert, report, places } = openReports();
  const { token, record } = await insert();
  const url = `https://code.example/search?q=${token}\n\u{202e}x`;
  await report(JSON.stringify([{ token, url, source: "" }]));
  expect(places).toMatchObject([{ id: record.id, url: "https://code.example/search?q=... x" }]);
  expect(JSON.stringify(places)).not.toContain("source");
});
