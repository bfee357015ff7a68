import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTestCommands } from "../testing/test-commands.ts";

const commands = await openTestCommands();
afterAll(() => commands[Symbol.asyncDispose]());

/** Completes a line in bash, as the key Tab does. */
async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const script = join(commands.folder, "completion.bash");
  await writeFile(script, (await commands.run("completion", "bash")).printed);
  const typed = words.map((word) => `'${word}'`).join(" ");
  const lines = [
    `source '${script}'`,
    `COMP_WORDS=(sealhouse ${typed})`,
    `COMP_CWORD=${words.length}`,
    "_sealhouse",
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  const printed = execFileSync("bash", ["-c", lines.join("\n")], { encoding: "utf8" });
  return printed.split("\n").filter((word) => word !== "");
}

test.each([
  [["tok"], ["token"]],
  [["policy", "de"], ["deny"]],
  [
    ["oci", "hold", ""],
    ["add", "list", "remove"],
  ],
  [["policy", "deny", "--name", "x", "--rea"], ["--reason"]],
  [["nothing", "policy", "li"], ["list"]],
])("bash completes %j to %j", async (words, expected) => {
  expect(await completed(...words)).toEqual(expect.arrayContaining(expected));
});

test("zsh and fish have the words of all commands", async () => {
  const zsh = (await commands.run("completion", "zsh")).printed;
  expect(zsh).toContain("bashcompinit");
  const fish = (await commands.run("completion", "fish")).printed;
  expect(fish).toMatch(/__fish_seen_subcommand_from policy; and not .*deny/);
  expect(fish).toMatch(/__fish_seen_subcommand_from policy; and .* deny" -l reason/);
  const other = await commands.run("completion", "tcsh");
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("use bash, zsh or fish")]);
});
