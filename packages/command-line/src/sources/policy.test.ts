import { afterAll, expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

const commands = await openTestCommands();
afterAll(() => commands[Symbol.asyncDispose]());
const run = (words: readonly string[]) => commands.run("policy", ...words);

const deny = (...options: readonly string[]) =>
  run(["deny", "--protocol", "npm", "--name", "left-pad", "--reason", "Bad.", ...options]);

test("adds, lists and removes rules, each with an event", async () => {
  expect((await run(["list"])).stderr).toContain("There are no rules");
  const all = ["--versions", "<2.0.0", "--licenses", "GPL-*", "--severity", "high"];
  const added = await deny(...all, "--install-scripts", "--expires", "2999-01-01");
  const id = added.printed.trim();
  expect(added.code).toBe(0);
  const rule = {
    id,
    effect: "deny",
    protocol: "npm",
    pattern: "left-pad",
    versions: "<2.0.0",
    licenses: ["GPL-*"],
    installScripts: true,
    severity: "high",
    reason: "Bad.",
    createdBy: expect.stringMatching(/^command line/),
    createdAt: expect.any(String),
    expiresAt: "2999-01-01T00:00:00.000Z",
    isExpired: false,
  };
  expect(JSON.parse((await run(["list", "--json"])).printed)).toEqual([rule]);
  const { printed } = await run(["list"]);
  expect(printed).toMatch(
    / deny {2}npm {2}left-pad {2}<2\.0\.0 .* reason: Bad\. .* until 2999-01-01/,
  );
  expect((await run(["remove", id])).code).toBe(0);
  const again = await run(["remove", id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`no rule "${id}"`)]);
  const audit = await commands.run("audit", "list", "--json");
  expect(audit.printed.match(/policy\.changed/g)).toHaveLength(2);
});

test.each([
  [["--protocol", "maven"], "--protocol must be one of: npm, nuget, oci"],
  [
    ["--protocol", "nuget", "--versions", "^1.0.0"],
    '"^1.0.0" is not a version or a range of nuget',
  ],
  [["--protocol", "nuget", "--install-scripts"], "--install-scripts is for npm"],
  [["--protocol", "oci", "--severity", "high"], "--protocol oci has no licenses"],
  [["--name", "a b"], "--name must be a name or a pattern"],
  [["--versions", "1.x.y.z"], '--versions "1.x.y.z" is not a version'],
  [["--severity", "bad"], "--severity must be one of: low"],
  [["--reason", " "], "--reason must have 1 to 500 characters"],
  [["--expires", "2020-01-01"], "--expires must be a date in the future"],
])("%s is refused", async (options, text) => {
  const { code, stderr } = await deny(...options);
  expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
});
