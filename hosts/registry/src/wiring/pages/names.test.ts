import { randomBytes } from "node:crypto";
import { createToken } from "@sealhouse/identity";
import { newNpmVersion } from "@sealhouse/npm-protocol/testing";
import { expect, test } from "vitest";
import { caller, NOW, openConsolePages, PEPPER, wordsOf } from "./pages.test.support.ts";

const APP = { protocol: "npm", name: "@acme/app" } as const;
const PAGE = "/manage/npm/@acme/app";

/** The pages of a registry with a package of Alice, and browsers of its users. */
async function openNames() {
  const pages = await openConsolePages("npm");
  const { database, get, post } = pages;
  const version = newNpmVersion({ manifest: '{"name":"@acme/app","version":"1.0.0"}' });
  await database.npm.recorder.publish({ ...version, name: APP.name }, caller);
  const userOf = async (handle: string) => {
    const id = `id-of-${handle}`;
    await database.people.add({ id, handle, displayName: handle, role: "publisher" }, NOW, caller);
    const wish = { name: handle, scopes: ["read", "write"] } as const;
    const made = createToken(wish, { pepper: PEPPER, now: NOW, random: randomBytes });
    await database.tokens.insert({ ...made.record, userId: id }, caller);
    const authorization = `Bearer ${made.token}`;
    const send = async (page: string, action: string, fields: Readonly<Record<string, string>>) => {
      const html = await (await get(page, authorization)).text();
      const form = html.split(`action="${action}"`)[1] ?? "";
      const [, proof = ""] = /name="proof" value="([^"]+)"/.exec(form) ?? [];
      const hidden = /name="(?:offer|pipeline)"\s+value="([^"]+)"/.exec(form);
      const sent = new URLSearchParams({ ...fields, proof, offer: hidden?.[1] ?? "" });
      const answer = await post(action, sent.toString(), { authorization });
      return answer.headers.get("location") ?? wordsOf(await answer.text());
    };
    return {
      id,
      send,
      read: async (page: string) => wordsOf(await (await get(page, authorization)).text()),
    };
  };
  return { ...pages, userOf };
}

test("owners, transfers, visibility and pipelines reach the database", async () => {
  await using pages = await openNames();
  const { database, userOf } = pages;
  const { ownerships } = database.ownership;
  const [alice, bob] = [await userOf("alice"), await userOf("bob")];
  await ownerships.grant(APP, { id: alice.id, kind: "user", level: "manage" }, caller);
  const offer = { to: "bob", offeredLevel: "manage", from: "alice", expires: "7d" };
  expect(await alice.send(PAGE, `${PAGE}/-/offer`, offer)).toBe(`${PAGE}?notice=offered`);
  expect(await bob.read("/account/names")).toContain("@acme/app npm package, offered by alice bob");
  expect(await bob.send("/account/names", "/account/names/accept", {})).toBe(
    "/account/names?notice=accepted",
  );
  expect(await ownerships.list(APP)).toMatchObject([{ handle: "bob", level: "manage" }]);
  const pipeline = { provider: "github", repo: "acme/app", file: "p.yml", life: "15", for: "bob" };
  const form = `${PAGE}/-/new-pipeline`;
  expect(await bob.send(form, form, pipeline)).toBe(`${PAGE}?notice=pipeline`);
  expect(await bob.read(PAGE)).toContain("Publishes for bob Added by bob");
  const hidden = await bob.send(PAGE, `${PAGE}/-/visibility`, { visibility: "private" });
  expect(hidden).toBe(`${PAGE}?notice=visibility`);
  expect(await alice.read(PAGE)).toContain("Package not found");
  const events = await database.events.outbox.pending("test", 100);
  expect(events.flatMap(({ type, caller: by }) => (by.actor === "bob" ? [type] : []))).toEqual([
    "package.owners-changed",
    "transfer.changed",
    "pipeline.changed",
    "package.access-changed",
  ]);
});

test("a sign-in returns to the page that was read, and to none of a form", async () => {
  await using pages = await openNames();
  const signInOn = async (answer: Response) =>
    /class="button" href="[^"]*(\/sign-in[^"]*)"/.exec(await answer.text())?.[1];
  const page = "/administration/users";
  expect(await signInOn(await pages.get(page))).toBe(
    "/sign-in?returnUrl=%2Fadministration%2Fusers",
  );
  const sent = await pages.post(`${page}/alice/block`, "", { "sec-fetch-site": "same-origin" });
  expect([sent.status, await signInOn(sent)]).toEqual([401, "/sign-in"]);
});
