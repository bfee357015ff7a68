import { afterAll, expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

const ISSUER = "https://token.actions.githubusercontent.com";
const trustedPublishing = { issuers: { github: ISSUER }, policyIssuers: [ISSUER] };
const commands = await openTestCommands({ feed: { trustedPublishing } as never });
afterAll(() => commands[Symbol.asyncDispose]());
const run = (...words: readonly string[]) => commands.run(...words);

test.each([
  [["owner", "list", "pypi", "x"], "<protocol> must be one of: nuget, npm, oci."],
  [["owner", "add", "npm", "x", "nobody"], "There is no user or team nobody."],
  [["owner", "add", "npm", "x", "a", "--level", "all"], "--level must be one of: read,"],
  [["owner", "report", "--since", "soon"], "--since must be a span such as 12h"],
  [["owner", "adopt"], "Name the user or team that becomes the owner, or pass --dry-run."],
  [["owner", "adopt", "--dry-run", "--pattern", "!"], "--pattern is not valid: "],
  [["reserve", "add", "npm", "acme*", "a"], "A prefix ends with one of the separators"],
  [["reserve", "remove", "x"], "<id> must be the number of a reservation: sealhouse reserve list."],
  [["reserve", "show", "7"], "There is no reservation 7."],
  [["transfer", "show", "7"], "There is no offer 7."],
  [["visibility", "set", "acme", "private"], '"acme" is not a name with its protocol'],
  [["visibility", "set", "npm:acme", "private"], "There is no npm package or repository with"],
  [["pipeline", "show", "7"], "There is no pipeline 7: sealhouse pipeline list"],
])("%j is refused with its reason", async (words, reason) => {
  const { code, stderr, printed } = await run(...words);
  expect([code, printed]).toEqual([1, ""]);
  expect(stderr).toContain(reason);
});

test("a protocol is read in any letter case", async () => {
  expect(await run("owner", "list", "NPM", "left-pad")).toMatchObject({
    code: 0,
    stderr: "left-pad has no owners.",
  });
});

test("visibility show prints a name that nothing hides", async () => {
  expect((await run("visibility", "show", "npm:left-pad")).printed).toBe("npm  left-pad  public");
});

test("a pipeline is added, shown, listed and removed", async () => {
  const job = ["--provider", "github", "--repo", "acme/demo", "--file", "publish.yml"];
  const words = ["pipeline", "add", "Acme.*", ...job, "--protocols", "nuget"];
  const added = await run(...words);
  expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Added the pipeline/) });
  const id = added.printed;
  const shown = await run("pipeline", "show", id.slice(0, 8));
  expect(JSON.parse(shown.printed)).toMatchObject({
    id,
    claims: { repository: "acme/demo", workflow_ref: { file: "publish.yml" } },
    lifeSeconds: 900,
    scopes: ["publish"],
  });
  expect((await run("pipeline", "list")).printed).toContain("acme/demo  nuget: Acme.*  publish");
  const refused = await run(...words, "--reusable", "x", "--issuer", "https://other.example");
  expect(refused.stderr).toMatch(/^--issuer https:\/\/other\.example is not trusted/);
  expect((await run(...words, "--life", "61")).stderr).toBe("--life must be at most 60.");
  expect((await run("pipeline", "remove", id)).code).toBe(0);
  expect(await run("pipeline", "list")).toMatchObject({
    printed: "",
    stderr: "No build job may publish: sealhouse pipeline add",
  });
});
