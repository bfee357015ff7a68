// Faults of any text file: what a merge left behind, and commands that do not work as printed. Used
// by `pnpm tidy`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * Marks of a merge conflict, also as the formatter writes them in Markdown: in a table, escaped, and
 * as seven quotes.
 */
const MERGE_MARK =
  /^\s*(?:\| )?(?:<{7}(?: .*)?|\|{7}(?: .*)?|\\?={7}|>{7}(?: .*)?)\s*\|?$|^\s*(?:> ){6}>(?: |$)/;

/** A call of pnpm or of our command line by npx: its options, the package and the version. */
const NPX =
  /\bnpx (?<options>(?:-\S+ )*)(?<name>pnpm|@sealhouse\/[\w-]+)(?:@(?<version>[\w.^~-]+))?/g;

/** `packageManager` is that of the root's package.json, such as `pnpm@12.21.0`. */
export function textFaults(text: string, packageManager: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      [...mergeFaults(line), ...commandFaults(line, packageManager)].map(
        (fault) => `${index + 1}: ${fault}`,
      ),
    );
}

function mergeFaults(line: string): readonly string[] {
  return MERGE_MARK.test(line) ? ["a merge left this mark: resolve the conflict"] : [];
}

function commandFaults(line: string, packageManager: string): readonly string[] {
  return [...line.matchAll(NPX)].flatMap(({ groups = {} }) => {
    const { options = "", name = "", version = "" } = groups;
    const isExact = name !== "pnpm" || `pnpm@${version}` === packageManager;
    if (/^-y |^--yes /.test(options) && isExact) return [];
    const exact = name === "pnpm" ? packageManager : name;
    return [`npx asks a question, or does not find its copy again: write npx -y ${exact}`];
  });
}

/** The text files of the repository that git tracks, and new ones, each with its text. */
export function readTextFiles(): ReadonlyMap<string, string> {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  const texts = new Map<string, string>();
  for (const file of files.split("\0").filter((path) => path !== "" && existsSync(path))) {
    const text = readFileSync(file, "utf8");
    if (!text.includes("\0")) texts.set(file, text);
  }
  return texts;
}
