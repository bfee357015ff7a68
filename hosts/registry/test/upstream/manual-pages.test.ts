import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { readManual, textsOf } from "../manual-page.ts";

const run = promisify(execFile);

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
/** Lines that call a source, or need files of a project. */
const ELSEWHERE =
  /^(?:sealhouse (?:source (?:test|conflicts)|mirror|bundle|audit)|\w+=\.\.\.|npm |dotnet |skopeo )/;

const folder = await mkdtemp(join(tmpdir(), "sealhouse-manual-"));
afterAll(() => rm(folder, { recursive: true }));

/** The commands of a page that manage sources and rules, a block each. */
async function commandsOf(page: string): Promise<readonly string[]> {
  const blocks = textsOf(await readManual(`../../../docs/${page}.md`), "sh");
  return blocks
    .map((block) =>
      block
        .replaceAll("\\\n", " ")
        .split("\n")
        .filter((line) => line.startsWith("sealhouse ") && !ELSEWHERE.test(line))
        .join("\n"),
    )
    .filter((block) => block !== "");
}

const pages = ["upstream", "policies"] as const;
const cases = (
  await Promise.all(
    pages.map(async (page) =>
      (await commandsOf(page)).map((text, index) => [page, index, text] as const),
    ),
  )
).flat();

test("the pages have commands", () => {
  expect(cases.length).toBeGreaterThan(5);
});

test.each(cases)("the commands of %s, block %i, work", async (page, index, text) => {
  const data = join(folder, `${page}-${index}`);
  const script = [
    "set -e",
    `sealhouse() { "${process.execPath}" "${MAIN}" "$@"; }`,
    // What earlier blocks of the page have added. Sources that are enabled are called.
    "sealhouse source add npmjs --protocol npm --url https://npm.example --replace --disabled",
    text
      .replaceAll(/^(sealhouse source add .*)$/gm, "$1 --replace --disabled")
      .replaceAll(
        /^sealhouse (source release|policy remove).*$/gm,
        "sealhouse $1 npm left-pad || true",
      ),
  ].join("\n");
  const env = { ...process.env, ASPNETCORE_ENVIRONMENT: "Development", Host__DataPath: data };
  await expect(run("bash", ["-c", script], { cwd: folder, env })).resolves.toMatchObject({});
});
