import { expect, test } from "vitest";
import { teamGroupProblem } from "./team-group.ts";

const GUID = "00000000-0000-4000-8000-000000000001";

test.each([
  ["microsoft", GUID, undefined],
  ["microsoft", "Web people", /is not the object id/],
  ["github", "web-people", undefined],
  ["github", "Web people", /is not the slug/],
  ["google", "web", /does not report groups/],
  [undefined, GUID, undefined],
  [undefined, "web-people", undefined],
  [undefined, "Web people", /is not the slug/],
] as const)("with %s, the group %s has the problem %s", (provider, text, problem) => {
  const found = teamGroupProblem(text, provider);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
