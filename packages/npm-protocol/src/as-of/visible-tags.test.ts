import { expect, test } from "vitest";
import { visibleTags } from "./visible-tags.ts";

/** Platforms of versions with `+<platform>`; the others run everywhere. */
function parsed(texts: readonly string[]) {
  const pairs = texts.map((text) => text.split("+") as [string, string?]);
  const platforms = new Map(pairs.map(([version, platform = ""]) => [version, platform]));
  return { versions: [...platforms.keys()], platforms };
}

test.each([
  ["keeps tags of visible versions", { latest: "2.0.0", next: "1.0.0" }, ["1.0.0", "2.0.0"], {}],
  ["drops other tags of hidden ones", { latest: "1.0.0", next: "2.0.0" }, ["1.0.0"], { next: "" }],
  ["moves latest down", { latest: "2.0.0" }, ["1.0.0", "1.10.0", "1.9.0"], { latest: "1.10.0" }],
  ["never moves it up", { latest: "2.0.0" }, ["1.0.0", "3.0.0"], { latest: "1.0.0" }],
  ["keeps it stable", { latest: "2.0.0" }, ["1.0.0", "2.0.0-rc.1"], { latest: "1.0.0" }],
  [
    "takes a prerelease for one",
    { latest: "2.0.0-rc.2" },
    ["1.0.0", "2.0.0-rc.1"],
    { latest: "2.0.0-rc.1" },
  ],
  ["or a stable one", { latest: "2.0.0-rc.2" }, ["1.0.0"], { latest: "1.0.0" }],
  ["drops it without a version below", { latest: "2.0.0" }, ["3.0.0"], { latest: "" }],
  ["drops it where only prereleases are left", { latest: "2.0.0" }, ["2.0.0-rc.1"], { latest: "" }],
  [
    "keeps to the platform",
    { latest: "2.0.0" },
    ["1.0.0+linux", "1.1.0+win32"],
    { latest: "1.0.0" },
  ],
  ["of the hidden latest", { latest: "2.0.0" }, ["1.1.0+win32"], { latest: "" }],
])("%s: the tags %j of the visible versions %j", (_, tags, visible, changes) => {
  const { versions, platforms } = parsed(visible);
  const platformOf = (version: string) =>
    version === "2.0.0" && [...platforms.values()].includes("win32")
      ? "linux"
      : platforms.get(version);
  const expected = Object.entries({ ...tags, ...changes }).filter(([, version]) => version !== "");
  expect(visibleTags(tags, versions, platformOf)).toEqual(Object.fromEntries(expected));
});

test("ignores platforms when that of the hidden version is unknown", () => {
  const platformOf = (version: string) => (version === "2.0.0" ? undefined : "win32");
  expect(visibleTags({ latest: "2.0.0" }, ["1.0.0"], platformOf)).toEqual({ latest: "1.0.0" });
});
