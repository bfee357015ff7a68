import { expect, test } from "vitest";
import { createSettings, readSources, unknownKeys } from "@sealhouse/settings";
import { parseAdvisorySources } from "./parse-sources.ts";
import { ADVISORY_SETTINGS } from "./table.ts";

const SOURCES = "Feed__NuGet__Vulnerabilities__Sources";

function parsed(env: Record<string, string>, file?: object) {
  const { entries } = readSources({
    table: ADVISORY_SETTINGS,
    environmentKey: "App__Environment",
    env,
    args: [],
    folders: file ? ["/app"] : [],
    readFile: (path) => (path === "/app/appsettings.json" ? JSON.stringify(file) : undefined),
  });
  const settings = createSettings(entries, { table: ADVISORY_SETTINGS, env });
  const config = parseAdvisorySources(settings);
  const unknown = unknownKeys(entries, new Map(Object.entries(ADVISORY_SETTINGS)));
  return { config, problems: settings.problems, unknown };
}

test("by default there are no sources, and the interval is six hours", () => {
  expect(parsed({})).toEqual({
    config: { sources: [], refreshIntervalMs: 6 * 60 * 60_000 },
    problems: [],
    unknown: [],
  });
});

test("reads sources from environment variables, in the order of their numbers", () => {
  const { config, problems, unknown } = parsed({
    [`${SOURCES}__10__Name`]: "upstream",
    [`${SOURCES}__10__Url`]: "https://up.example/v3/index.json",
    [`${SOURCES}__2__name`]: "own",
    [`${SOURCES}__2__PATH`]: "/srv/advisories",
    Feed__NuGet__Vulnerabilities__RefreshInterval: "00:30:00",
  });
  expect(problems).toEqual([]);
  expect(unknown).toEqual([]);
  expect(config).toEqual({
    sources: [
      { name: "own", location: "/srv/advisories", setting: `${SOURCES}__2__Path` },
      {
        name: "upstream",
        location: "https://up.example/v3/index.json",
        setting: `${SOURCES}__10__Url`,
      },
    ],
    refreshIntervalMs: 30 * 60_000,
  });
});

test("reads sources from a settings file", () => {
  const section = { Sources: [{ Name: "osv", Url: "https://osv.example/all.zip" }] };
  const { config } = parsed({}, { Feed: { NuGet: { Vulnerabilities: section } } });
  expect(config.sources).toEqual([
    { name: "osv", location: "https://osv.example/all.zip", setting: `${SOURCES}__0__Url` },
  ]);
});

test("reads sources for both protocols, and those under the former name after them", () => {
  const { config, problems, unknown } = parsed({
    [`${SOURCES}__0__Name`]: "former",
    [`${SOURCES}__0__Path`]: "/srv/former",
    Feed__Vulnerabilities__Sources__0__Name: "own",
    Feed__Vulnerabilities__Sources__0__Path: "/srv/own",
    Feed__NuGet__Vulnerabilities__RefreshInterval: "00:30:00",
    Feed__Vulnerabilities__RefreshInterval: "00:20:00",
  });
  expect([problems, unknown]).toEqual([[], []]);
  expect(config.sources.map(({ name }) => name)).toEqual(["own", "former"]);
  expect(config.refreshIntervalMs).toBe(20 * 60_000);
});

test("two sources with one name are a problem, whichever keys they have", () => {
  const { problems } = parsed({
    [`${SOURCES}__0__Name`]: "own",
    [`${SOURCES}__0__Path`]: "/srv/former",
    Feed__Vulnerabilities__Sources__0__Name: "own",
    Feed__Vulnerabilities__Sources__0__Path: "/srv/own",
  });
  expect(problems.join()).toMatch(/NuGet__Vulnerabilities__Sources__0__Name: another source has/);
});

test.each([
  [{ __0__Path: "/srv/advisories" }, /__0__Name: a source of advisories needs a name/],
  [{ __0__Name: "no spaces", __0__Path: "/srv" }, /__0__Name: .* allowed: up to 64 letters/],
  [{ __0__Name: "one" }, /Sources__0: set either Path or Url/],
  [
    { __0__Name: "one", __0__Path: "/srv", __0__Url: "https://x.example" },
    /Sources__0: set either Path or Url/,
  ],
  [{ __0__Name: "one", __0__Url: "ftp://x.example" }, /__0__Url: "ftp:\/\/x.example" is not allo/],
  [
    { __0__Name: "one", __0__Path: "/a", __1__Name: "one", __1__Path: "/b" },
    /__1__Name: another source has this name/,
  ],
])("%j is a problem", (settings, words) => {
  const env = Object.fromEntries(
    Object.entries(settings).map(([key, text]) => [`${SOURCES}${key}`, text]),
  );
  expect(parsed(env).problems.join("\n")).toMatch(words);
});

test("warns about a field that sources do not have", () => {
  const { unknown } = parsed({ [`${SOURCES}__0__Link`]: "https://x.example" });
  expect(unknown.join("\n")).toMatch(/Sources__0__Link .* is not a known setting/);
});
