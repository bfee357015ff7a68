import type { PasskeyRecord } from "@sealhouse/identity";
import { createSoftwarePasskey } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { openExample, openSignedIn, SESSION } from "../testing/signed-in-example.ts";

const MINUTE_MS = 60_000;
const NEW = "/account/passkeys/new";
const REMOVE = "/account/passkeys/remove";
const CONFIRM = "/account/confirm?action=change-passkeys&returnUrl=%2Faccount";
const WANTED = { action: "change-passkeys", returnUrl: "/account" };
const site = { origin: "https://registry.example", rpId: "registry.example" };

type Browser = Awaited<ReturnType<typeof openSignedIn>>;

async function formOn({ get }: Browser, path: string) {
  const page = await (await get(path)).text();
  const found = /data-options="([^"]*)"/.exec(page)?.[1] ?? "{}";
  const options = JSON.parse(found.replaceAll("&quot;", '"')) as object;
  return { page, options, proof: /name="proof"\s+value="([^"]*)"/.exec(page)?.[1] ?? "" };
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
  const confirm = async () => {
    const { options: wish, proof } = await formOn(browser, CONFIRM);
    const used = JSON.stringify(device.confirm(wish));
    return browser.post("/account/confirm", { ...WANTED, proof, answer: used });
  };
  return { ...browser, device, confirm };
}

const locationOf = ({ status, headers }: Response) => [status, headers.get("location")];

test("a passkey is added soon after the sign-in, and removed with a confirmation", async () => {
  const { get, post, proofOn, device, confirm, cookies, passkeys, users } = await openWithPasskey();
  const removal = async () => ({ proof: await proofOn("/account", REMOVE), passkey: device.id });
  expect(locationOf(await post(REMOVE, await removal()))).toEqual([303, CONFIRM]);
  expect(locationOf(await get(NEW))).toEqual([
    303,
    "/account/confirm?action=change-passkeys&returnUrl=%2Faccount%2Fpasskeys%2Fnew",
  ]);
  const before = cookies.get(SESSION);
  expect(locationOf(await confirm())).toEqual([303, "/account"]);
  expect(cookies.get(SESSION)).not.toBe(before);
  expect((await get(NEW)).status).toBe(200);
  expect(locationOf(await post(REMOVE, await removal()))).toEqual([303, "/account"]);
  const [user] = [...users.values()];
  expect(await passkeys.list(user?.id ?? "")).toEqual([]);
  cookies.set(SESSION, before ?? "");
  expect((await get("/account")).status).toBe(303);
});

test("a confirmation is valid for ten minutes, and asked for again after eleven", async () => {
  const { get, confirm, advance } = await openWithPasskey();
  await confirm();
  expect(locationOf(await get(CONFIRM))).toEqual([303, "/account"]);
  advance(11 * MINUTE_MS);
  expect((await get(CONFIRM)).status).toBe(200);
  expect((await get(NEW)).status).toBe(303);
});

test.each([
  ["cannot ask again", { canAskAgain: false }, [200, 303]],
  ["can ask again", { canAskAgain: true }, [303, 303]],
])("a first passkey soon and long after a sign-in that %s", async (_, options, statuses) => {
  const { get, advance } = await openSignedIn(options);
  const soon = (await get(NEW)).status;
  advance(10 * MINUTE_MS);
  expect([soon, (await get(NEW)).status]).toEqual(statuses);
});

test.each<[string, Record<string, string>]>([
  ["without its code", { proof: "" }],
  ["for another action", { action: "add-trust" }],
  ["with another page to return to", { returnUrl: "/packages" }],
  ["without an answer", { answer: "" }],
  ["with an answer of no passkey", { answer: "{}" }],
])("refuses a confirmation %s", async (_, change) => {
  const browser = await openWithPasskey();
  const { options, proof } = await formOn(browser, CONFIRM);
  const answer = JSON.stringify(browser.device.confirm(options));
  const sent = await browser.post("/account/confirm", { ...WANTED, proof, answer, ...change });
  expect(sent.status).toBe(403);
  expect((await browser.get(NEW)).status).toBe(303);
});

test("a refused passkey is an event of its user", async () => {
  const browser = await openWithPasskey();
  const { proof } = await formOn(browser, CONFIRM);
  const refused = await browser.post("/account/confirm", { ...WANTED, proof, answer: "{}" });
  expect(await refused.text()).toContain("could not be verified");
  expect(browser.unconfirmed).toMatchObject([{ by: { actor: "ada" }, code: "passkey-refused" }]);
});

test.each([
  ["good", 303, "/packages"],
  ["eve", 403, null],
  ["bad", 403, null],
])("a confirmation at the provider with the account %s", async (code, status, location) => {
  const browser = await openSignedIn();
  const { get, cookies, people, refusals } = browser;
  const page = "/account/confirm?action=add-trust&returnUrl=%2Fpackages";
  expect(await (await get(page)).text()).toContain("add a trusted publisher");
  const start = await get("/account/confirm/with/microsoft?returnUrl=%2Fpackages");
  const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? "";
  const before = cookies.get(SESSION);
  const answer = await get(`/signin-microsoft?code=${code}&state=${state}`);
  expect(locationOf(answer)).toEqual([status, location]);
  expect(cookies.get(SESSION) === before).toBe(status === 403);
  expect((await get(NEW)).status).toBe(status === 303 ? 200 : 303);
  expect(locationOf(await get(page))[0]).toBe(status === 303 ? 303 : 200);
  expect((await people.list()).map(({ handle }) => handle)).toEqual(["ada"]);
  expect(refusals).toHaveLength(status === 403 ? 1 : 0);
});

test("a confirmation at the provider belongs to the session that asked for it", async () => {
  const { get, cookies, startAtProvider } = await openSignedIn();
  const start = await get("/account/confirm/with/microsoft?returnUrl=%2Fpackages");
  const state = new URL(start.headers.get("location") ?? "").searchParams.get("state") ?? "";
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
  link: `href="${NEW}"`,
  provider: "then add a passkey on the page of",
  again: "sign in again, and add a first passkey",
  operator: "user forget-passkeys ada",
  token: "token create --name",
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
  ["soon after the sign-in", { canAskAgain: false }, 0, "link"],
  ["long after the sign-in", { canAskAgain: false }, 11, "again"],
  ["when the provider can ask again", {}, 0, "provider"],
  ["with passkeys of another address", { canAskAgain: false, isElsewhere: true }, 0, "operator"],
  ["soon after the link of the first administrator", { hasProvider: false }, 0, "link"],
  ["long after the link of the first administrator", { hasProvider: false }, 11, "token"],
])("a user without a passkey reads one way on, %s", async (_, options, minutes, way) => {
  const { get, advance, passkeys, users } = await openWithUser(options);
  const [userId = ""] = [...users.keys()];
  if ("isElsewhere" in options) await passkeys.add({ ...PASSKEY, userId }, { actor: "ada" });
  advance(minutes * MINUTE_MS);
  const page = (await (await get(CONFIRM)).text()).replaceAll(/\s+/g, " ");
  const shown = Object.entries(WAYS).filter(([, words]) => page.includes(words));
  expect(shown.map(([name]) => name)).toEqual([way]);
});

test("the page tells users of a provider that cannot ask again what to do", async () => {
  const { get, advance } = await openSignedIn({ canAskAgain: false });
  advance(11 * MINUTE_MS);
  const page = await (await get(CONFIRM)).text();
  expect(page).toContain("only a passkey confirms this");
  expect(page).not.toContain("/account/confirm/with/");
  const start = await get("/account/confirm/with/microsoft?returnUrl=%2Fpackages");
  expect(locationOf(start)).toEqual([303, "/account"]);
});

test("a session of a token is confirmed with the same token", async () => {
  const browser = openExample({ hasProvider: false });
  const { signInWith, tokenOf, get, post, proofOn, cookies, unconfirmed } = browser;
  await signInWith(tokenOf("ada"));
  for (const token of ["", tokenOf("reader"), "shp_unknown"]) {
    const proof = await proofOn(CONFIRM);
    expect((await post("/account/confirm", { ...WANTED, proof, token })).status).toBe(403);
  }
  expect(unconfirmed).toHaveLength(3);
  const before = cookies.get(SESSION);
  const fields = { ...WANTED, proof: await proofOn(CONFIRM), token: tokenOf("ada") };
  expect(locationOf(await post("/account/confirm", fields))).toEqual([303, "/account"]);
  expect(cookies.get(SESSION)).not.toBe(before);
  expect(locationOf(await get(CONFIRM))).toEqual([303, "/account"]);
});

test.each([
  ["no action", "/account/confirm", 404, null],
  ["an unknown action", "/account/confirm?action=x", 404, null],
  ["another site to return to", "/account/confirm?action=add-trust&returnUrl=//evil", 303, "/"],
])("a link with %s", async (_, path, status, location) => {
  const { get, confirm } = await openWithPasskey();
  await confirm();
  expect(locationOf(await get(path))).toEqual([status, location]);
});
