import { createJobRunner } from "@sealhouse/administration/api";
import {
  createMemoryLeases,
  JOB_ACTIONS,
  memoryJobs,
  RULE_ACTIONS,
} from "@sealhouse/administration/testing";
import { defineAction, field } from "@sealhouse/administration/inputs";
import { RefusedActionError } from "@sealhouse/administration";
import type { Action, AdministrationParts } from "@sealhouse/administration";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { z } from "zod";
import { browserOf } from "../testing/administration-browser.ts";
import { openExampleAdministration } from "../testing/example-administration.ts";
import { wordsOf } from "../testing/page-text.ts";
import { createActionApp } from "./action-app.ts";

const RULE = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Bad." };
const PAGES = "/administration/actions";

/** An action of which each kind of field and each end can be seen. */
const removeThing = defineAction({
  id: "things.remove",
  summary: "remove a thing",
  scope: "storage:write",
  method: "POST",
  path: "/things",
  command: "thing remove",
  form: { none: "A test." },
  input: z.strictObject({ name: z.string(), isLong: z.boolean().optional() }),
  output: z.strictObject({ name: z.string(), count: z.int() }),
  refusals: ["conflict"],
  lasting: "change-rules",
  hasDryRun: true,
  ending: ({ name, count }) => ({
    title: `Remove ${name}?`,
    ends: [`${count} files are deleted.`],
    button: "Remove the thing",
  }),
  async run({ input: { name }, isDryRun }) {
    if (name === "held") throw new RefusedActionError("conflict", "It is held: release it first.");
    if (!isDryRun) removed.push(name);
    return { name, count: 3 };
  },
});
const removeName = defineAction({
  ...removeThing,
  id: "things.remove-name",
  path: "/things/{name}",
  ending: ({ name }) => ({ title: "Remove all?", ends: [], button: "Remove", typed: name }),
});
const removeWithKey = defineAction({
  ...removeThing,
  id: "things.remove-with-key",
  input: z.strictObject({
    name: z.string(),
    key: field(z.string().min(1), "Key", "The key of the thing.", { isSecret: true }),
  }),
});
const slow = defineAction({ ...removeThing, id: "things.collect", isLong: true });
const removed: string[] = [];

async function openPages() {
  const example = openExampleAdministration();
  const { rules: access, site, forms, confirm } = example.parts;
  const { policies } = example;
  const jobs = memoryJobs();
  const leases = createMemoryLeases();
  const rows = { administration: { jobs }, upstream: { rules: policies }, leases };
  const parts = { rows: async () => rows } as unknown as AdministrationParts;
  const actions: readonly Action[] = [
    ...RULE_ACTIONS,
    ...JOB_ACTIONS,
    removeThing,
    removeName,
    removeWithKey,
    slow,
  ];
  const runner = createJobRunner({ jobs, now: access.now, stop: undefined, onFailure: () => {} });
  const app = new Hono().route(
    "/",
    createActionApp({
      site,
      rules: access,
      forms,
      confirm,
      actions: { load: async () => actions, parts, runner },
    }),
  );
  return { ...example, ...browserOf({ ...example, app }) };
}

test("lists all actions for administrators only", async () => {
  const { get } = await openPages();
  const page = await get(PAGES, "ada");
  expect(wordsOf(await page.text())).toContain("Remove a rule");
  expect((await get(PAGES)).status).toBe(401);
  for (const user of ["reader", "narrow"] as const) {
    expect((await get(PAGES, user)).status).toBeGreaterThan(400);
    expect((await get(`${PAGES}/rules.list`, user)).status).toBeGreaterThan(400);
  }
  expect((await get(`${PAGES}/rules.nothing`, "ada")).status).toBe(404);
});

test("the reference of the API has each operation, its fields and a form to try it", async () => {
  const { get } = await openPages();
  const page = await get("/api");
  const text = await page.text();
  expect(page.status).toBe(200);
  const words = wordsOf(text);
  expect(words).toContain("GET /rules/{id}");
  expect(words).toContain("deny, allow");
  expect(words).toContain("409 conflict");
  expect(text).toContain(`href="${PAGES}/things.remove"`);
  expect(words).toContain(`curl -X DELETE -H "Authorization: Bearer $SEALHOUSE_TOKEN"`);
});

test("the form of an action adds a row, whose page links its other actions", async () => {
  const { get, send } = await openPages();
  const form = `${PAGES}/rules.add`;
  const empty = await (await get(form, "ada")).text();
  expect(wordsOf(empty)).toContain("A name or a pattern: left-pad");
  expect(empty).toMatch(/aria-current="true">All actions</);
  const wrong = await send(form, { ...RULE, effect: "", expires: "2001-01-01" });
  const words = wordsOf(await wrong.text());
  expect(wrong.status).toBe(422);
  expect(words).toContain('"Kind of rule" must be one of: deny, allow.');
  const late = await send(form, { ...RULE, expires: "2001-01-01", licenses: "MIT\r\nISC" });
  const lateText = await late.text();
  expect(wordsOf(lateText)).toContain('"Ends" must be a date in the future');
  expect(lateText).toMatch(/MIT\r?\nISC/);
  expect((await send(form, RULE)).status).toBe(200);
  const list = await (await get(`${PAGES}/rules.list`, "ada")).text();
  const [, id = ""] = /rules\.show\?id=([\w-]+)/.exec(list) ?? [];
  const shown = await (await get(`${PAGES}/rules.show?id=${id}`, "ada")).text();
  expect(wordsOf(shown)).toContain("left-pad");
  const removal = `${PAGES}/rules.remove`;
  expect(shown).toContain(`${removal}?id=${id}`);
  expect((await send(`${removal}?id=${id}`, { id }, removal)).status).toBe(200);
  const gone = await get(`${PAGES}/rules.show?id=${id}`, "ada");
  expect(wordsOf(await gone.text())).toContain("There is no rule");
});

test("a form that is older than the last change of its row changes nothing", async () => {
  const { get, post, hiddenOn, send, ports } = await openPages();
  await send(`${PAGES}/rules.add`, RULE);
  const [rule] = await ports.rules.list();
  const id = rule?.id ?? "";
  const removal = `${PAGES}/rules.remove`;
  const hidden = await hiddenOn(`${removal}?id=${id}`, removal);
  expect(hidden["entity-tag"]).toMatch(/^[\w-]{22}$/);
  const stale = await post(removal, { ...hidden, id, "entity-tag": "other" });
  expect([stale.status, wordsOf(await stale.text())]).toEqual([
    422,
    expect.stringContaining("is older than the last change"),
  ]);
  expect(await get(`${PAGES}/rules.show?id=${id}`, "ada")).toMatchObject({ status: 200 });
});

test("asks first what ends, and shows why an action was refused", async () => {
  const { send } = await openPages();
  const form = `${PAGES}/things.remove`;
  const asked = wordsOf(await (await send(form, { name: "x", sure: "" })).text());
  expect(asked).toContain("Remove x? 3 files are deleted.");
  expect(removed).toEqual([]);
  const held = await send(form, { name: "held" });
  expect([held.status, wordsOf(await held.text())]).toEqual([
    422,
    expect.stringContaining("It is held: release it first."),
  ]);
  expect(wordsOf(await (await send(form, { name: "x" })).text())).toContain("Done.");
  expect(removed).toEqual(["x"]);
});

test("a name is removed only when it was typed", async () => {
  const { send } = await openPages();
  const form = `${PAGES}/things.remove-name`;
  for (const typed of [undefined, "", "other"]) {
    const asked = await send(form, {
      name: "acme",
      ...(typed !== undefined && { "typed-name": typed }),
    });
    expect(wordsOf(await asked.text())).toContain("Type acme to confirm");
  }
  expect(removed).not.toContain("acme");
  const done = await send(form, { name: "acme", "typed-name": " acme " });
  expect(wordsOf(await done.text())).toContain("Done.");
  expect(removed).toContain("acme");
});

test("the page that asks first wants a secret again, and never has it", async () => {
  const { send } = await openPages();
  const form = `${PAGES}/things.remove-with-key`;
  const asked = await (await send(form, { name: "z", key: "s3cret", sure: "" })).text();
  expect(asked).not.toContain("s3cret");
  expect(wordsOf(asked)).toContain("Key, once more");
  expect(removed).not.toContain("z");
  expect((await send(form, { name: "z" })).status).toBe(422);
  expect(wordsOf(await (await send(form, { name: "z", key: "s3cret" })).text())).toContain("Done.");
  expect(removed).toContain("z");
});

test("a long action redirects to the page of its job", async () => {
  const { get, send } = await openPages();
  const started = await send(`${PAGES}/things.collect`, { name: "y" });
  const location = started.headers.get("location") ?? "";
  expect([started.status, location]).toEqual([
    303,
    expect.stringMatching(/jobs\.show\?id=[\w-]+$/),
  ]);
  const path = location.slice(location.indexOf(PAGES));
  await expect
    .poll(async () => wordsOf(await (await get(path, "ada")).text()))
    .toMatch(/State done .* Count 3/);
});

test("a form of another site, or without its code, changes nothing", async () => {
  const { post, hiddenOn, ports } = await openPages();
  const form = `${PAGES}/rules.add`;
  expect((await post(form, RULE)).status).toBe(403);
  const hidden = await hiddenOn(form, form);
  const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  expect((await post(form, { ...hidden, ...RULE }, foreign)).status).toBe(403);
  expect((await post(form, { ...hidden, ...RULE }, { user: "eve" })).status).toBe(403);
  expect(await ports.rules.list()).toEqual([]);
});
