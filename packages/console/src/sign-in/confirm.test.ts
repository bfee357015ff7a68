import type { PasskeyRecord } from "@sealhouse/identity";
import { createSoftwarePasskey } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { NEW_SOURCE } from "../administration/administration-page.ts";
import { wordsOf } from "../testing/page-text.ts";
import { openSessionBrowser } from "../testing/session-browser.ts";
import { openExample, openSignedIn, SESSION } from "../testing/signed-in-example.ts";

const MINUTE_MS = 60_000;
const NEW = "/account/passkeys/new";
const START = "/account/passkeys/start";
const REMOVE = "/account/passkeys/remove";
const TOKEN = "/account/new-token";
const FIELDS = { name: "laptop", "scope-read": "true", "scope-publish": "true", expires: "90d" };
const site = { origin: "https://registry.example", rpId: "registry.example" };

type Browser = Awaited<ReturnType<typeof openSignedIn>>;

async function formOn({ get }: Pick<Browser, "get">, path: string) {
  const page = await (await get(path)).text();
  const found = /data-options="([^"]*)"/.exec(page)?.[1] ?? "{}";
  const options = JSON.parse(found.replaceAll("&quot;", '"')) as object;
  return { page, options, proof: /name="proof"\s+value="([^"]*)"/.exec(page)?.[1] ?? "" };
}

/** Sends the form of a new token, and returns the path of its confirmation. */
async function askForToken({ post, proofOn }: Pick<Browser, "post" | "proofOn">, fields = FIELDS) {
  const proof = await proofOn(TOKEN, TOKEN);
  const asked = await post(TOKEN, { ...fields, proof });
  const path = asked.headers.get("location") ?? "";
  expect([asked.status, path]).toEqual([
    303,
    expect.stringMatching(/^\/account\/confirm\/[\w-]{43}$/),
  ]);
  return path;
}

/** A browser whose user has a passkey, long after the sign-in. */
async function openWithPasskey() {
  const browser = await openSignedIn({ canAskAgain: false });
  const device = createSoftwarePasskey(site);
  const form = await formOn(browser, NEW);
  const answer = JSON.stringify(device.create(form.options));
  const added = await browser.post(NEW, { proof: form.proof, answer, name: "Laptop" });
  expect(added.headers.get("location")).toBe("/account");
  browser.advance(11 * MINUTE_MS);
  const usePasskey = async (path: string) => {
    const { options: wish, proof } = await formOn(browser, path);
    return browser.post(path, { proof, answer: JSON.stringify(device.confirm(wish)) });
  };
  return { ...browser, device, usePasskey };
}

const locationOf = ({ status, headers }: Response) => [status, headers.get("location")];

test("a confirmation keeps what was typed, does it once, and nothing else", async () => {
  const browser = await openWithPasskey();
  const { get, usePasskey, tokens, cookies } = browser;
  const before = (await tokens.list()).length;
  const path = await askForToken(browser);
  const other = await askForToken(browser, { ...FIELDS, name: "desktop" });
  expect(wordsOf(await (await get(path)).text())).toContain(
    "You are about to create a token. Change laptop with read, publish; limits: None; expires: 90d",
  );
  expect((await tokens.list()).length).toBe(before);
  const secret = cookies.get(SESSION);
  const created = await usePasskey(path);
  expect([created.status, wordsOf(await created.text())]).toEqual([
    200,
    expect.stringMatching(/Token created laptop .*shp_\w{49}/),
  ]);
  const [made] = (await tokens.list()).slice(before);
  expect(made).toMatchObject({ name: "laptop", scopes: ["read", "publish"] });
  expect((await usePasskey(path)).status).toBe(403);
  expect((await get(path)).status).toBe(404);
  expect((await get(other)).status).toBe(200);
  await askForToken(browser);
  expect((await tokens.list()).length).toBe(before + 1);
  expect(cookies.get(SESSION)).toBe(secret);
});

test("an answer for one form confirms no other, and no other session", async () => {
  const browser = await openWithPasskey();
  const { post, device, get, tokens } = browser;
  const before = (await tokens.list()).length;
  const [path, other] = [await askForToken(browser), await askForToken(browser)];
  const { options } = await formOn(browser, path);
  const { proof } = await formOn(browser, other);
  const answer = JSON.stringify(device.confirm(options));
  expect((await post(other, { proof, answer })).status).toBe(403);
  const second = openSessionBrowser(browser);
  await second.get(`/signin-microsoft?code=good&state=${await second.startAtProvider()}`);
  expect((await second.get(path)).status).toBe(404);
  expect((await get(path)).status).toBe(200);
  expect((await tokens.list()).length).toBe(before);
});

test("a form with a secret is kept encrypted, and no page repeats the secret", async () => {
  const browser = await openSignedIn();
  const { get, post, proofOn, confirmed } = browser;
  const fields = {
    Name: "partner",
    Protocol: "npm",
    FeedUrl: "https://npm.partner.example/path",
    IsEnabled: "true",
    Username: "ada",
    Password: "hunter2",
  };
  const asked = await post(NEW_SOURCE, { ...fields, proof: await proofOn(NEW_SOURCE, NEW_SOURCE) });
  const page = await (await get(asked.headers.get("location") ?? "")).text();
  expect(wordsOf(page)).toContain("add partner with https://npm.partner.example/path");
  expect(page).not.toContain("hunter2");
  const added = await confirmed(asked);
  expect(locationOf(added)).toEqual([303, "/administration/package-sources?notice=added"]);
  const stored = await (await get("/administration/package-sources/partner")).text();
  expect(stored).toContain("User name and password");
});

test("a form waits for ten minutes", async () => {
  const browser = await openWithPasskey();
  const path = await askForToken(browser);
  browser.advance(10 * MINUTE_MS);
  expect((await browser.get(path)).status).toBe(404);
});

test("a passkey is added soon after the sign-in, and removed with a confirmation", async () => {
  const { get, post, proofOn, device, usePasskey, passkeys, users } = await openWithPasskey();
  const removal = { proof: await proofOn("/account", REMOVE), passkey: device.id };
  const asked = (await post(REMOVE, removal)).headers.get("location") ?? "";
  expect(wordsOf(await (await get(asked)).text())).toContain("remove the passkey Laptop");
  expect(locationOf(await usePasskey(asked))).toEqual([303, "/account"]);
  const [user] = [...users.values()];
  expect(await passkeys.list(user?.id ?? "")).toEqual([]);
});

test("a further passkey needs a confirmation, and each attempt needs its own", async () => {
  const browser = await openWithPasskey();
  const { get, post, proofOn, usePasskey, passkeys, users } = browser;
  expect(await (await get(NEW)).text()).not.toContain("data-passkey");
  const asked = await post(START, { proof: await proofOn(NEW, START) });
  const page = await (await usePasskey(asked.headers.get("location") ?? "")).text();
  const wish = JSON.parse(
    (/data-options="([^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&quot;", '"'),
  ) as object;
  const proof = /name="proof"\s+value="([^"]*)"/.exec(page)?.[1] ?? "";
  const second = createSoftwarePasskey(site);
  const answer = JSON.stringify(second.create(wish));
  expect(locationOf(await post(NEW, { proof, answer, name: "Key" }))).toEqual([303, "/account"]);
  const third = await post(NEW, { proof, answer: JSON.stringify(second.create(wish)) });
  expect([third.status, await third.text()]).toEqual([
    422,
    expect.not.stringContaining("data-passkey"),
  ]);
  const [user] = [...users.values()];
  expect((await passkeys.list(user?.id ?? "")).map(({ name }) => name)).toEqual(["Laptop", "Key"]);
});

test.each([
  ["cannot ask again", { canAskAgain: false }, [true, false]],
  ["can ask again", { canAskAgain: true }, [false, false]],
])("a first passkey soon and long after a sign-in that %s", async (_, options, isOffered) => {
  const { get, advance } = await openSignedIn(options);
  const offers = async () => (await (await get(NEW)).text()).includes("data-passkey");
  const soon = await offers();
  advance(10 * MINUTE_MS);
  expect([soon, await offers()]).toEqual(isOffered);
});

test.each<[string, Record<string, string>]>([
  ["without its code", { proof: "" }],
  ["without an answer", { answer: "" }],
  ["with an answer of no passkey", { answer: "{}" }],
  ["with a code that no terminal has printed", { answer: "", code: "BCDF-2345" }],
])("refuses a confirmation %s", async (_, change) => {
  const browser = await openWithPasskey();
  const before = (await browser.tokens.list()).length;
  const path = await askForToken(browser);
  const { options, proof } = await formOn(browser, path);
  const answer = JSON.stringify(browser.device.confirm(options));
  expect((await browser.post(path, { proof, answer, ...change })).status).toBe(403);
  expect((await browser.tokens.list()).length).toBe(before);
});

test("a refused passkey is an event of its user", async () => {
  const browser = await openWithPasskey();
  const path = await askForToken(browser);
  const { proof } = await formOn(browser, path);
  const refused = await browser.post(path, { proof, answer: "{}" });
  expect(await refused.text()).toContain("could not be verified");
  expect(browser.unconfirmed).toMatchObject([{ by: { actor: "ada" }, code: "passkey-refused" }]);
});

/** Starts the confirmation of a form at the provider, and returns the state. */
async function confirmAtProvider({ get }: Pick<Browser, "get">, path: string) {
  const start = await get(`${path}/with/microsoft`);
  return new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? "";
}

test.each([
  ["good", 303],
  ["eve", 403],
  ["bad", 403],
])("a confirmation at the provider with the account %s", async (code, status) => {
  const browser = await openSignedIn();
  const { get, post, people, refusals, tokens } = browser;
  const before = (await tokens.list()).length;
  const [path, other] = [await askForToken(browser), await askForToken(browser)];
  const state = await confirmAtProvider(browser, path);
  const answer = await get(`/signin-microsoft?code=${code}&state=${state}`);
  expect(locationOf(answer)).toEqual([status, status === 303 ? path : null]);
  const send = async (to: string) => {
    const { proof } = await formOn(browser, to);
    return (await post(to, { proof })).status;
  };
  expect(await send(other)).toBe(403);
  expect(await send(path)).toBe(status === 303 ? 200 : 403);
  expect((await tokens.list()).length - before).toBe(status === 303 ? 1 : 0);
  expect((await people.list()).map(({ handle }) => handle)).toEqual(["ada"]);
  expect(refusals).toHaveLength(status === 403 ? 1 : 0);
});

test("a confirmation at the provider belongs to the session that asked for it", async () => {
  const browser = await openSignedIn();
  const { get, cookies, startAtProvider } = browser;
  const state = await confirmAtProvider(browser, await askForToken(browser));
  const other = await startAtProvider();
  await get(`/signin-microsoft?code=good&state=${other}`);
  const session = cookies.get(SESSION);
  const answer = await get(`/signin-microsoft?code=good&state=${state}`);
  expect(locationOf(answer)).toEqual([303, "/"]);
  expect(cookies.get(SESSION)).toBe(session);
});

const PASSKEY: Omit<PasskeyRecord, "userId"> = {
  credentialId: "b2xk",
  rpId: "former.example",
  publicKey: new Uint8Array(),
  counter: 0,
  isBackedUp: false,
  transports: [],
  name: "Laptop",
  createdAt: new Date(0),
};

/** Ways to a first passkey, and to one at a new address. */
const WAYS = {
  link: `href="${NEW}">Add a passkey`,
  provider: "then add a passkey on the page of",
  again: "sign in again, and add a first passkey",
  operator: "user forget-passkeys ada",
  code: "Print a new code",
};

/** A browser of Ada, or of the first administrator of a registry without a provider. */
async function openWithUser(options: NonNullable<Parameters<typeof openSignedIn>[0]>) {
  if (options.hasProvider ?? true) return openSignedIn(options);
  const browser = openExample(options);
  const path = `/first-administrator/${await browser.first.offer()}`;
  await browser.post(path, { proof: await browser.proofOn(path) });
  return browser;
}

test.each([
  ["soon after the sign-in", { canAskAgain: false }, 0, ["link"]],
  ["long after the sign-in", { canAskAgain: false }, 11, ["again"]],
  ["when the provider can ask again", {}, 0, ["provider"]],
  ["with passkeys of another address", { canAskAgain: false, isElsewhere: true }, 0, ["operator"]],
  ["soon after the link of the first administrator", { hasProvider: false }, 0, ["link", "code"]],
  ["long after the link of the first administrator", { hasProvider: false }, 11, ["code"]],
])("a user without a passkey reads what to do, %s", async (_, options, minutes, ways) => {
  const browser = await openWithUser(options);
  const { get, advance, passkeys, users } = browser;
  const [userId = ""] = [...users.keys()];
  if ("isElsewhere" in options) await passkeys.add({ ...PASSKEY, userId }, { actor: "ada" });
  advance(minutes * MINUTE_MS);
  const path = await askForToken(browser);
  const page = (await (await get(path)).text()).replaceAll(/\s+/g, " ");
  const shown = Object.entries(WAYS).filter(([, words]) => page.includes(words));
  expect(shown.map(([name]) => name)).toEqual(ways);
});

test("the first administrator confirms with a code, long after the link", async () => {
  const browser = await openWithUser({ hasProvider: false });
  const { post, proofOn, printed, advance, tokens } = browser;
  advance(60 * MINUTE_MS);
  const before = (await tokens.list()).length;
  const [path, other] = [await askForToken(browser), await askForToken(browser)];
  const proof = await proofOn(path, path);
  const remote = await post(`${path}/code`, { proof }, { ...SAME, "x-forwarded-for": "192.0.2.1" });
  expect([remote.status, printed]).toEqual([403, []]);
  expect((await post(`${path}/code`, { proof })).status).toBe(200);
  const [code = ""] = printed;
  expect(code).toMatch(/^\w{4}-\w{4}$/);
  const elsewhere = await post(other, { proof: await proofOn(other, other), code });
  expect(elsewhere.status).toBe(403);
  expect((await post(path, { proof, code: "BBBB-2222" })).status).toBe(403);
  expect((await post(path, { proof, code: code.toLowerCase() })).status).toBe(200);
  expect((await tokens.list()).length).toBe(before + 1);
  expect(browser.unconfirmed.map((one) => one.code)).toEqual(["code-refused", "code-refused"]);
});

const SAME = { "sec-fetch-site": "same-origin" };

test("the page tells users of a provider that cannot ask again what to do", async () => {
  const browser = await openSignedIn({ canAskAgain: false });
  const { get, advance } = browser;
  advance(11 * MINUTE_MS);
  const path = await askForToken(browser);
  const page = await (await get(path)).text();
  expect(page).toContain("only a passkey confirms this");
  expect(page).not.toContain(`${path}/with/`);
  expect(locationOf(await get(`${path}/with/microsoft`))).toEqual([303, "/account"]);
});

test("a session of a token is confirmed with the same token", async () => {
  const browser = openExample({ hasProvider: false });
  const { signInWith, tokenOf, post, proofOn, unconfirmed } = browser;
  await signInWith(tokenOf("ada"));
  const form = "/administration/names/reserve";
  const fields = { protocol: "npm", name: "left-pad" };
  const reserve = async () => {
    const proof = await proofOn("/administration/names");
    return (await post(form, { ...fields, proof })).headers.get("location") ?? "";
  };
  const path = await reserve();
  for (const token of ["", tokenOf("reader"), "shp_unknown"]) {
    const proof = await proofOn(path, path);
    expect((await post(path, { proof, token })).status).toBe(403);
  }
  expect(unconfirmed).toHaveLength(3);
  const done = await post(path, { proof: await proofOn(path, path), token: tokenOf("ada") });
  expect([done.status, wordsOf(await done.text())]).toEqual([
    200,
    expect.stringContaining("left-pad is reserved"),
  ]);
  expect(await reserve()).toMatch(/^\/account\/confirm\//);
});

test.each([
  ["no form", "/account/confirm", 404],
  ["an unknown form", `/account/confirm/${"A".repeat(43)}`, 404],
])("a link with %s", async (_, path, status) => {
  const { get } = await openWithPasskey();
  expect((await get(path)).status).toBe(status);
});

test("the removal of a passkey states its last use, and asks first", async () => {
  const { get, post, usePasskey, proofOn } = await openWithPasskey();
  const account = await (await get("/account")).text();
  const passkey = /name="passkey"\s+value="([^"]*)"/.exec(account)?.[1] ?? "";
  const fields = { passkey, proof: await proofOn("/account", REMOVE) };
  const asked = await post(REMOVE, { ...fields, sure: "" });
  expect([asked.status, wordsOf(await asked.text())]).toEqual([
    200,
    expect.stringMatching(/Remove the passkey Laptop\? .*You have 0 other passkeys\. Never used\./),
  ]);
  const path = (await post(REMOVE, fields)).headers.get("location") ?? "";
  expect(path).toMatch(/^\/account\/confirm\//);
  expect(locationOf(await usePasskey(path))).toEqual([303, "/account"]);
  expect(await (await get("/account")).text()).not.toContain("Laptop");
});
