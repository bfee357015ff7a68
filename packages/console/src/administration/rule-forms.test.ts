import { expect, test } from "vitest";
import { browserOf, openAsBrowser } from "../testing/administration-browser.ts";
import type { Fields } from "../testing/administration-browser.ts";
import { exampleAdministration, exampleSource } from "../testing/example-administration.ts";
import { expectTextStaysText, wordsOf } from "../testing/page-text.ts";

const SOURCES = "/administration/package-sources";

const RULE: Fields = { effect: "deny", protocol: "npm", pattern: "left-pad", reason: "Bad." };

test("reserves and releases names, and finds own names at a source", async () => {
  const { send, ports } = await openAsBrowser({
    stored: [exampleSource()],
    own: ["npm/left-pad", "npm/private"],
    fetch: (url) =>
      url.pathname === "/left-pad"
        ? Response.json({ name: "left-pad", "dist-tags": {}, versions: {} })
        : Response.json({}, { status: 404 }),
  });
  const names = "/administration/names";
  const change = async (action: string, name: string) => {
    const answer = await send(names, { protocol: "npm", name }, `${names}/${action}`);
    return [answer.status, wordsOf(await answer.text())];
  };
  await ports.origins.claim("npm", "mirrored", "npmjs");
  const saying = (text: string) => expect.stringContaining(text);
  expect(await change("reserve", "@acme/*")).toEqual([200, saying("@acme/* is reserved")]);
  expect(await change("reserve", "mirrored")).toEqual([422, saying("is mirrored from npmjs")]);
  expect(await change("release", "mirrored")).toEqual([200, saying("is an own name now")]);
  expect(await change("release", "@acme/*")).toEqual([200, saying("is no longer reserved")]);
  expect(await change("release", "unknown")).toEqual([
    422,
    saying("neither mirrored nor reserved"),
  ]);
  expect(await change("reserve", "a b")).toEqual([422, saying("must be one name or pattern")]);
  const conflicts = await send(names, { conflicts: "npm" }, `${names}/conflicts`);
  expect(wordsOf(await conflicts.text())).toContain("1 conflict in 3 own names");
  const wrong = await send(names, { conflicts: "pypi" }, `${names}/conflicts`);
  expect(wrong.status).toBe(422);
});

test("adds an exception and a rule, lists them, and removes one", async () => {
  const { send, get, ports, callers } = await openAsBrowser();
  const page = "/administration/rules/new";
  const fields = { effect: "allow", versions: "1.3.1", expires: "2027-01-31", severity: "high" };
  expect((await send(page, { ...RULE, ...fields })).status).toBe(303);
  const deny = { ...RULE, pattern: "**", licenses: "GPL-*, AGPL-*", installScripts: "true" };
  expect((await send(page, deny)).status).toBe(303);
  const words = wordsOf(await (await get("/administration/rules?notice=rules.add", "ada")).text());
  expect(words).toContain("The rule was added");
  expect(words).toMatch(/left-pad 1\.3\.1 Exception npm .* by ada, just now Ends 2027-01-31 00:00/);
  expect(words).toContain("licenses GPL-*, AGPL-*; with install scripts");
  const [first] = await ports.rules.list();
  const removal = `/administration/rules/${first?.id}/remove`;
  const removed = await send("/administration/rules", {}, removal);
  expect(removed.headers.get("location")).toContain("notice=rules.remove");
  expect((await ports.rules.list()).map(({ pattern }) => pattern)).toHaveLength(1);
  expect(callers).toEqual(["ada", "ada", "ada"]);
});

test.each([
  [{ effect: "destroy" }, '"Kind of rule" must be one of: deny, allow.'],
  [{ protocol: "pypi" }, '"Protocol" must be one of'],
  [{ pattern: "a b" }, '"Name" must be a name or a pattern'],
  [{ versions: "1.x.y.z" }, "is not a version or a range of npm"],
  [{ reason: "" }, '"Reason" is missing.'],
  [{ reason: "x\u0000" }, '"Reason" must not have control characters'],
  [{ severity: "extreme" }, '"Only with an advisory" must be one of'],
  [{ expires: "2020-01-01" }, '"Ends" must be a date in the future'],
  [{ protocol: "nuget", installScripts: "true" }, "have no such scripts"],
] as const satisfies readonly (readonly [Fields, string])[])(
  "the form of a new rule refuses %j, and keeps the typed texts",
  async (fields, problem) => {
    const { send, ports } = await openAsBrowser();
    const typed = { licenses: "typed", ...RULE, ...fields };
    const answer = await send("/administration/rules/new", typed);
    const page = await answer.text();
    expect([answer.status, wordsOf(page)]).toEqual([422, expect.stringContaining(problem)]);
    expect(page).toMatch(/>\s*typed<\/textarea>/);
    expect(await ports.rules.list()).toEqual([]);
  },
);

test("a list shows each state, and texts of sources stay text", async () => {
  const example = await exampleAdministration();
  const { get } = browserOf(example);
  const words = wordsOf(await (await get(SOURCES, "ada")).text());
  for (const state of ["Works", "Failing", "Paused", "Disabled", "Not in use"]) {
    expect(words).toContain(state);
  }
  expect(words).toContain("Paused until 2026-03-01 13:00 UTC");
  const rules = wordsOf(await (await get("/administration/rules", "ada")).text());
  expect(rules).toContain("npmjs npm 7.00:00:00");
  await expectTextStaysText(async (text) => {
    await example.ports.states.note("npmjs", { lastErrorAt: new Date(0), lastError: text() });
    return (await get(SOURCES, "ada")).text();
  });
});
