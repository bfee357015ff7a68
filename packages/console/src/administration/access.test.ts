import { expect, test } from "vitest";
import { browserOf, openAsBrowser } from "../testing/administration-browser.ts";
import type { Fields } from "../testing/administration-browser.ts";
import {
  exampleAdministration,
  exampleSource,
  openExampleAdministration,
} from "../testing/example-administration.ts";
import { exampleSite } from "../testing/example-packages.ts";
import { expectLinksBelow, wordsOf } from "../testing/page-text.ts";
import { createAdministrationApp } from "./administration-app.ts";

const HOME = "http://localhost:8080";
const SOURCES = "/administration/package-sources";
const HOUR_MS = 3_600_000;

const NEW: Fields = {
  Name: "npmjs",
  Protocol: "npm",
  FeedUrl: "https://registry.npmjs.org",
  IsEnabled: "true",
};
const RULE: Fields = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Bad." };

test.each([
  "",
  "/package-sources",
  "/package-sources/npmjs",
  "/package-sources/new",
  "/names",
  "/rules",
  "/rules/new",
])("/administration%s is for administrators of all names only", async (path) => {
  const { get } = await openAsBrowser({ stored: [exampleSource()] });
  const statuses = [];
  for (const user of [undefined, "reader", "narrow", "ada"] as const) {
    statuses.push((await get(`/administration${path}`, user)).status);
  }
  expect(statuses).toEqual(path === "" ? [303, 303, 303, 303] : [401, 401, 401, 200]);
  if (path !== "") {
    const page = await (await get(`/administration${path}`, "ada")).text();
    expect(page).toContain('href="/administration/rules"');
  }
});

const POSTS = [
  ["/administration/package-sources/new", NEW],
  [`${SOURCES}/old`, { ...NEW, FeedUrl: "https://other.example" }],
  [`${SOURCES}/old/enable`, {}],
  [`${SOURCES}/npmjs/disable`, {}],
  [`${SOURCES}/npmjs/remove`, {}],
  [`${SOURCES}/npmjs/test`, {}],
  ["/administration/rules/new", RULE],
  ["/administration/rules/00000000-0000-4000-8000-0000000000a1/remove", {}],
  ["/administration/names/reserve", { protocol: "npm", name: "@acme/*" }],
  ["/administration/names/release", { protocol: "npm", name: "left-pad" }],
  ["/administration/names/conflicts", { conflicts: "npm" }],
] as const satisfies readonly (readonly [string, Fields])[];

/** The page with the form for a path. */
function pageOf(action: string): string {
  if (/names/.test(action)) return "/administration/names";
  return action.replace(/\/[^/]+\/remove$/, "").replace(/\/(?:enable|disable|test)$/, "");
}

test("the attacks below cover every form", () => {
  const { app } = openExampleAdministration();
  const posts = app.routes.flatMap(({ method, path }) => (method === "POST" ? [path] : []));
  // The forms of rules are those of their actions.
  const own = POSTS.filter(([path]) => !path.includes("/rules/"));
  const attacked = own.map(([path]) => path.replace(/(sources)\/(?!new$)[^/]+/, "$1/:name"));
  expect(new Set(attacked)).toEqual(new Set(posts));
});

test.each(POSTS)("no foreign page sends %s", async (path, fields) => {
  const example = await exampleAdministration();
  const { get, post, hiddenOn, proofOn } = browserOf(example);
  const page =
    path.endsWith("/remove") && path.includes("package-sources")
      ? `${SOURCES}/npmjs`
      : pageOf(path);
  const proof = await proofOn(page, path);
  expect(proof).not.toBe("");
  const other = await proofOn("/administration/names", "");
  const state = async () =>
    JSON.stringify([await example.ports.sources.list(), await example.ports.rules.list()]);
  const before = await state();
  const sent = { ...fields, ...(await hiddenOn(page, path)) };
  const wrong = path.includes("names") ? await proofOn(SOURCES, "x") : other;
  const attacks = [
    [403, post(path, sent, { "sec-fetch-site": "cross-site" })],
    [403, post(path, sent, { "sec-fetch-site": "same-site" })],
    [403, post(path, sent, { origin: "https://evil.example" })],
    [403, post(path, sent, { origin: "null" })],
    [403, post(path, fields)],
    [403, post(path, { ...fields, proof: `${proof}x` })],
    [403, post(path, { ...fields, proof: wrong })],
    [403, post(path, sent, { user: "eve" })],
    [401, post(path, sent, { user: "reader" })],
    [401, post(path, sent, { authorization: "" })],
    [400, post(path, sent, { "content-type": "text/plain" })],
    [400, post(path, { ...sent, more: "x".repeat(40_000) })],
  ] as const;
  for (const [status, answer] of attacks) expect((await answer).status).toBe(status);
  await get(`${path}?${new URLSearchParams(sent).toString()}`, "ada");
  expect(await state()).toBe(before);
  expect([example.callers, example.changes]).toEqual([[], []]);
  const own = await post(path, sent, { origin: HOME, "sec-fetch-site": "same-origin" });
  expect([200, 303, 422]).toContain(own.status);
});

test("an expired form changes nothing, and shows the typed texts", async () => {
  const { post, proofOn, advance, ports } = await openAsBrowser();
  const source = await proofOn(
    "/administration/package-sources/new",
    "/administration/package-sources/new",
  );
  const rule = await proofOn("/administration/rules/new", "/administration/rules/new");
  advance(HOUR_MS);
  const late = [
    await post("/administration/package-sources/new", { ...NEW, proof: source }),
    await post("/administration/rules/new", { ...RULE, proof: rule }),
  ];
  for (const [index, typed] of ["https://registry.npmjs.org", "left-pad"].entries()) {
    const page = (await late[index]?.text()) ?? "";
    expect([late[index]?.status, page]).toEqual([422, expect.stringContaining(`value="${typed}"`)]);
    expect(wordsOf(page)).toContain("was open for more than an hour");
  }
  expect([await ports.sources.list(), await ports.rules.list()]).toEqual([[], []]);
});

test("all links are below the path of the registry", async () => {
  const { parts, authorizationOf } = openExampleAdministration();
  const site = () => exampleSite({ address: `${HOME}/registry`, hasAdministration: true });
  const app = createAdministrationApp({ ...parts, site });
  for (const path of ["/package-sources", "/package-sources/new", "/names"]) {
    const headers = { authorization: authorizationOf("ada") };
    const page = await app.request(`${HOME}/administration${path}`, { headers });
    expectLinksBelow("/registry", await page.text());
  }
});
