import { expect, test } from "vitest";
import { HOSTILE, openExampleOverview } from "../testing/example-overview.ts";
import { wordsOf } from "../testing/page-text.ts";

const AUDIT = "/administration/audit";
const REFUSED = ["access.refused", "user.refused"];

test.each(["/administration", AUDIT, `${AUDIT}/1`, `${AUDIT}.jsonl`])(
  "%s is for administrators only",
  async (path) => {
    const { get } = openExampleOverview();
    expect((await get(path)).status).toBe(401);
    expect((await get(path, "reader")).status).not.toBe(200);
    expect((await get(path, "ada")).status).toBe(200);
  },
);

test("the overview shows what needs attention, with the page that helps", async () => {
  const { get } = openExampleOverview();
  const answer = await get("/administration", "ada");
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  const page = await answer.text();
  const words = wordsOf(page);
  expect(words).toContain("A release of widgets stopped");
  expect(page).toContain('href="/administration/releases/r1"');
  expect(words).toContain("Degraded");
  expect(words).toContain("38.4 GB stored");
  expect(words).toContain("refused: left-pad 1.3.0 is denied on this registry: Calls home");
  const calm = openExampleOverview({ attention: [], count: 0 });
  const empty = wordsOf(await (await calm.get("/administration", "ada")).text());
  expect(empty).toContain("Nothing. The registry and its sources work.");
  expect(empty).toContain("Nothing has changed yet.");
});

test("three steps find why a pull was refused: overview, refused requests, record", async () => {
  const { get } = openExampleOverview();
  const linkIn = async (path: string, pattern: RegExp) => {
    const page = await (await get(path, "ada")).text();
    return (pattern.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
  };
  const log = await linkIn("/administration", /href="([^"]+)"\s*>\s*refused requests in 24 hours/);
  expect(log).toBe("/administration/audit?type=access.refused&since=24h");
  const record = await linkIn(log, /<th scope="row">\s*<a href="([^"]+)"/);
  const words = wordsOf(await (await get(record, "ada")).text());
  expect(words).toContain("Calls home; see ticket 4711.");
  expect(words).toContain("ci-build");
  expect(words).toContain("npm/left-pad");
});

test.each([
  ["actor=ada", { actor: "ada" }],
  ["subject=npm/*&outcome=refused", { subject: "npm/*", types: REFUSED }],
  ["type=access.*&outcome=refused", { types: ["access.refused"] }],
  ["address=10.2.0.17&token=t-1", { address: "10.2.0.17", tokenId: "t-1" }],
  ["since=1h&until=2026-03-01", { since: new Date("2026-03-01T11:00:00Z") }],
])("the filter %s gives the same records on the page and in the export", async (query, wanted) => {
  const { get, asked } = openExampleOverview();
  const page = await (await get(`${AUDIT}?${query}`, "ada")).text();
  expect(asked.at(-1)).toMatchObject(wanted);
  const shown = [...page.matchAll(/<a href="\/administration\/audit\/(\d+)"/g)].map(([, id]) => id);
  const lines = (await (await get(`${AUDIT}.jsonl?${query}`, "ada")).text()).trim().split("\n");
  const ids = lines.filter((line) => line !== "").map((line) => Object(JSON.parse(line))["id"]);
  expect(shown).toEqual(ids.toReversed().slice(0, 50));
});

test("pages follow each other without a gap, and keep their filters", async () => {
  const { get } = openExampleOverview();
  const seen: string[] = [];
  let path = `${AUDIT}?outcome=refused&actor=ci-build`;
  for (let page = 0; page < 5 && path !== ""; page += 1) {
    const html = await (await get(path, "ada")).text();
    seen.push(...[...html.matchAll(/"\/administration\/audit\/(\d+)"/g)].map(([, id]) => id ?? ""));
    path = (/rel="next" href="([^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
    if (path !== "") expect(path).toContain("outcome=refused");
  }
  expect(new Set(seen).size).toBe(30);
});

test.each([
  ["since=yesterday", '"Since" must be a span'],
  ["type=nothing.here", '"Type" names no type of events'],
])("a filter that is wrong (%s) is a problem of its field", async (query, words) => {
  const { get, asked } = openExampleOverview();
  for (const path of [AUDIT, `${AUDIT}.jsonl`]) {
    const answer = await get(`${path}?${query}`, "ada");
    expect(answer.status).toBe(422);
    expect(wordsOf(await answer.text())).toContain(words);
  }
  expect(asked).toEqual([]);
});

test("texts of strangers stay text, and an unknown record is a 404", async () => {
  const { get } = openExampleOverview();
  for (const path of ["/administration", AUDIT, `${AUDIT}/117`]) {
    const page = await (await get(path, "ada")).text();
    expect(page).not.toContain("<script>alert");
    expect(wordsOf(page)).toContain(HOSTILE.slice(0, 25));
    expect(page).not.toContain("\u202E");
    expect(page).toContain("\\u202eevil");
  }
  const query = new URLSearchParams({ actor: '"><script>', after: "1 or 1=1" }).toString();
  expect(await (await get(`${AUDIT}?${query}`, "ada")).text()).not.toContain("><script>");
  expect((await get(`${AUDIT}/unknown`, "ada")).status).toBe(404);
});

test("the export reads page by page, as its reader takes it", async () => {
  const { get, asked } = openExampleOverview({ count: 5_000 });
  const answer = await get(`${AUDIT}.jsonl`, "ada");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.jsonl"');
  const reader = answer.body?.getReader();
  await reader?.read();
  expect(asked.length).toBeLessThanOrEqual(2);
  await reader?.cancel();
  const all = await (await get(`${AUDIT}.jsonl`, "ada")).text();
  expect(all.trim().split("\n")).toHaveLength(5_000);
});
