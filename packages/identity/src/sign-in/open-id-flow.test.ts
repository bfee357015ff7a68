import { afterAll, beforeEach, expect, test } from "vitest";
import { SignInUnavailableError } from "../errors.ts";
import type { IdTokenForgery } from "../testing/forged-id-token.ts";
import { openOpenIdStandIn } from "../testing/open-id-stand-in.ts";
import type { CannedAnswer } from "../testing/provider-server.ts";
import { signInAt } from "../testing/sign-in-browser.ts";
import { newAttempt, providerOf, REDIRECT_URI, signIn } from "./sign-in.test.support.ts";

const standIn = await openOpenIdStandIn({
  kind: "google",
  users: { ada: {} },
  redirectUris: [REDIRECT_URI],
});
afterAll(() => standIn[Symbol.asyncDispose]());
beforeEach(() => {
  standIn.forge(undefined);
  for (const path of [DISCOVERY, TOKEN, KEYS]) standIn.answer(path, undefined);
});

const DISCOVERY = "/.well-known/openid-configuration";
const TOKEN = "/token";
const KEYS = "/jwks";
const NO_STATE = "state-mismatch";

test.each<[string, (callback: URL) => void, string]>([
  ["without state", ({ searchParams }) => searchParams.delete("state"), NO_STATE],
  ["of another browser", ({ searchParams }) => searchParams.set("state", "x".repeat(43)), NO_STATE],
  [
    "with two states",
    ({ searchParams: all }) => all.append("state", all.get("state") ?? ""),
    NO_STATE,
  ],
  ["without code", ({ searchParams }) => searchParams.delete("code"), "answer-invalid"],
  ["with two codes", ({ searchParams }) => searchParams.append("code", "x"), "answer-invalid"],
  ["with another code", ({ searchParams }) => searchParams.set("code", "x"), "code-refused"],
  [
    "of another issuer",
    ({ searchParams }) => searchParams.set("iss", "https://x"),
    "answer-invalid",
  ],
  ["without issuer", ({ searchParams }) => searchParams.delete("iss"), "answer-invalid"],
])("refuses an answer %s", async (_, change, code) => {
  const person = await signIn(providerOf(standIn.settings), "ada", change);
  expect(person).toMatchObject({ status: "refused", code });
});

test("a code is valid for one sign-in, with the verifier that belongs to it", async () => {
  const provider = providerOf(standIn.settings);
  const attempt = newAttempt();
  const page = await provider.start(attempt);
  expect(page.searchParams.get("code_challenge_method")).toBe("S256");
  const wish = { login: "ada", redirectUri: REDIRECT_URI };
  const callback = await signInAt(page, wish);
  expect(await provider.finish(callback, attempt)).toMatchObject({ status: "verified" });
  expect(await provider.finish(callback, attempt)).toMatchObject({ code: "code-refused" });
  const second = newAttempt();
  const stolen = await signInAt(await provider.start(second), wish);
  const { verifier } = newAttempt();
  expect(await provider.finish(stolen, { ...second, verifier })).toMatchObject({
    code: "code-refused",
  });
});

test("a proxy may change the address of the callback", async () => {
  const provider = providerOf(standIn.settings);
  const person = await signIn(provider, "ada", (callback) => {
    callback.protocol = "http:";
    callback.host = "10.0.0.5:8080";
  });
  expect(person).toMatchObject({ status: "verified" });
});

test("an error in the address is not repeated verbatim", async () => {
  const person = await signIn(providerOf(standIn.settings), "ada", ({ searchParams }) => {
    searchParams.delete("code");
    searchParams.set("error", "Call 555-0100 now");
  });
  expect(person).toMatchObject({
    code: "provider-refused",
    reason: expect.stringMatching(/with the error unknown\./),
  });
});

test("a person may cancel", async () => {
  const provider = providerOf(standIn.settings);
  const attempt = newAttempt();
  const callback = await signInAt(await provider.start(attempt), {
    login: "ada",
    redirectUri: REDIRECT_URI,
    decision: "cancel",
  });
  expect(await provider.finish(callback, attempt)).toMatchObject({ code: "access-denied" });
});

const IN_AN_HOUR = Math.floor(Date.now() / 1_000) + 3_600;
const HOUR_AGO = Math.floor(Date.now() / 1000) - 3600;

test.each<[string, IdTokenForgery, string]>([
  ["with changed claims", { signature: "broken" }, "answer-invalid"],
  ["without signature", { signature: "none" }, "answer-invalid"],
  ["with an unknown key", { signature: "other-key" }, "id-token-key-unknown"],
  ["for another client", { claims: { aud: "other" } }, "id-token-wrong"],
  ["for two clients", { claims: { aud: ["sealhouse", "other"] } }, "id-token-wrong"],
  ["without nonce", { claims: { nonce: undefined } }, "answer-invalid"],
  ["with another nonce", { claims: { nonce: "other" } }, "id-token-wrong"],
  ["that has expired", { claims: { exp: HOUR_AGO } }, "id-token-expired"],
  ["for later", { claims: { nbf: HOUR_AGO + 7200 } }, "id-token-expired"],
  ["of another issuer", { claims: { iss: "https://accounts.example" } }, "issuer-wrong"],
  ["without subject", { claims: { sub: undefined } }, "answer-invalid"],
])("refuses an ID token %s", async (_, forgery, code) => {
  standIn.forge(forgery);
  expect(await signIn(providerOf(standIn.settings), "ada")).toMatchObject({
    status: "refused",
    code,
  });
});

test("reads new keys at the next sign-in", async () => {
  const provider = providerOf(standIn.settings);
  expect(await signIn(provider, "ada")).toMatchObject({ status: "verified" });
  await standIn.rotate();
  expect(await signIn(provider, "ada")).toMatchObject({ code: "id-token-key-unknown" });
  expect(await signIn(provider, "ada")).toMatchObject({ status: "verified" });
});

test("a wrong client secret is a refusal that names the setting", async () => {
  const provider = providerOf(standIn.settings, { Google__ClientSecret: "expired" });
  expect(await signIn(provider, "ada")).toMatchObject({
    code: "client-refused",
    reason: expect.stringMatching(/Host__Authentication__Google__ClientSecret/),
  });
});

const LARGE = { status: 200, body: JSON.stringify({ text: "x".repeat(300_000) }) };
const ELSEWHERE = { status: 302, headers: { location: "https://evil.example/" } };

test.each<[string, string, CannedAnswer]>([
  ["large metadata", DISCOVERY, LARGE],
  ["metadata elsewhere", DISCOVERY, ELSEWHERE],
  ["metadata of another issuer", DISCOVERY, metadata({ issuer: "https://evil.example" })],
  ["no JSON", DISCOVERY, { status: 200, headers: { "content-type": "text/html" }, body: "<p>" }],
  ["a large token answer", TOKEN, LARGE],
  ["tokens elsewhere", TOKEN, ELSEWHERE],
  ["an error without reason", TOKEN, { status: 500 }],
  ["too many requests", TOKEN, { status: 429, body: JSON.stringify({ error: "slow_down" }) }],
  ["large keys", KEYS, LARGE],
  ["keys elsewhere", KEYS, ELSEWHERE],
])("%s: the provider cannot be asked", async (_, path, answer) => {
  const provider = providerOf(standIn.settings);
  standIn.answer(path, answer);
  await expect(signIn(provider, "ada")).rejects.toThrow(SignInUnavailableError);
  standIn.answer(path, undefined);
  expect(await signIn(providerOf(standIn.settings), "ada")).toMatchObject({ status: "verified" });
});

function metadata(more: object): CannedAnswer {
  const endpoints = {
    issuer: standIn.issuer,
    authorization_endpoint: `${standIn.issuer}/auth`,
    token_endpoint: `${standIn.issuer}${TOKEN}`,
    jwks_uri: `${standIn.issuer}${KEYS}`,
  };
  return { status: 200, body: JSON.stringify({ ...endpoints, ...more }) };
}

test("sends no secret to an address without https", async () => {
  const called: string[] = [];
  const provider = providerOf(
    standIn.settings,
    {},
    {
      fetch: async (input, init) => {
        called.push(input instanceof Request ? input.url : input.toString());
        return fetch(input, init);
      },
    },
  );
  standIn.answer(DISCOVERY, metadata({ token_endpoint: "http://idp.example/token" }));
  await expect(signIn(provider, "ada")).rejects.toThrow(/idp.example must have an https address/);
  expect(called).toEqual([`${standIn.issuer}${DISCOVERY}`]);
});

test("reads the metadata at the first sign-in, after a failure and after a day", async () => {
  let now = Date.now();
  const provider = providerOf(standIn.settings, {}, { now: () => new Date(now) });
  const count = () => standIn.requests.filter((request) => request.endsWith(DISCOVERY)).length;
  const before = count();
  standIn.answer(DISCOVERY, { status: 503 });
  await expect(provider.start(newAttempt())).rejects.toThrow(/^Google cannot be asked: .*later\.$/);
  standIn.answer(DISCOVERY, undefined);
  await Promise.all([provider.start(newAttempt()), provider.start(newAttempt())]);
  expect(count() - before).toBe(2);
  now += 23 * 3_600_000;
  await provider.start(newAttempt());
  expect(count() - before).toBe(2);
  now += 2 * 3_600_000;
  await provider.start(newAttempt());
  expect(count() - before).toBe(3);
});

test("an unreachable provider is asked only when a person signs in", async () => {
  const settings = {
    ...standIn.settings,
    Host__Authentication__Google__Issuer: "http://127.0.0.1:9",
  };
  const provider = providerOf(settings);
  await expect(provider.start(newAttempt())).rejects.toThrow(SignInUnavailableError);
  const grant = new TextEncoder().encode(JSON.stringify({ refreshToken: "x", subject: "x" }));
  expect(await provider.check(grant)).toMatchObject({ outcome: "unknown" });
});

test.each<[string, IdTokenForgery | undefined, object]>([
  ["a new sign-in", undefined, { status: "verified" }],
  ["an old sign-in", { claims: { auth_time: HOUR_AGO } }, { code: "sign-in-not-fresh" }],
  ["a future sign-in", { claims: { auth_time: IN_AN_HOUR } }, { code: "sign-in-time-unknown" }],
  ["no time", { claims: { auth_time: undefined } }, { code: "sign-in-time-unknown" }],
])("a confirmation with %s", async (_, forgery, expected) => {
  const provider = providerOf(standIn.settings);
  const attempt = { ...newAttempt(), freshSince: new Date() };
  standIn.forge(forgery);
  const callback = await signInAt(await provider.start(attempt), {
    login: "ada",
    redirectUri: REDIRECT_URI,
  });
  expect(await provider.finish(callback, attempt)).toMatchObject(expected);
});
