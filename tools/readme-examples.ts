// The examples of a README: blocks of TypeScript, and what they print.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The READMEs of packages and hosts, below the root of the repository. */
export const READMES = "{packages,hosts}/*/README.md";

export type Example = {
  readonly code: string;
  /** The `text` block that follows; undefined when the README shows no output. */
  readonly output?: string;
};

/** An example of the README of a package or host. */
export type PackageExample = Example & {
  /** The folder of the package, such as `packages/jobs`. */
  readonly package: string;
  /** Whether it prints its output only with a service, such as S3. */
  readonly needsService: boolean;
};

/** `src/readme.test.ts` of each runs its example with a stand-in of its service. */
const NEEDS_SERVICE = /^packages\/(?:signing-|storage-(?!providers))/;

const BLOCK = /^```(\w*)\n(.*?)^```$/gms;

/** Reads the `ts` blocks of a Markdown text, each with the `text` block that follows it. */
export function readmeExamples(markdown: string): readonly Example[] {
  const examples: { code: string; output?: string }[] = [];
  let previous = "";
  for (const [, language = "", content = ""] of markdown.matchAll(BLOCK)) {
    const last = examples.at(-1);
    if (language === "ts") examples.push({ code: content });
    else if (language === "text" && previous === "ts" && last) last.output = content;
    previous = language;
  }
  return examples;
}

/** Reads the examples of all packages and hosts of a repository. */
export function examplesOfPackages(root: string): readonly PackageExample[] {
  return globSync(READMES, { cwd: root })
    .toSorted()
    .flatMap((readme) => {
      const folder = dirname(readme);
      const owner = { package: folder, needsService: NEEDS_SERVICE.test(folder) };
      const examples = readmeExamples(readFileSync(join(root, readme), "utf8"));
      return examples.map((example) => ({ ...example, ...owner }));
    });
}
