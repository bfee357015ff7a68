// Checks the pages: their links, the maps of the documentation, and the size of ARCHITECTURE.md. Used
// by `pnpm tidy`.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";

/** The groups of the documentation in README.md and docs/README.md, in order. */
const GROUPS = ["Use", "Operate", "Extend", "Contribute"];
/** Two screens: most lines of ARCHITECTURE.md, and most columns of a line. */
const ARCHITECTURE_LINES_MAX = 120;
const ARCHITECTURE_COLUMNS_MAX = 150;
/** Most rows of its table "Where do I find". */
const PLACES_MAX = 20;

const PAGES = ["*.md", "docs/**/*.md", "{packages,hosts}/*/README.md", ".changeset/*.md"];
/** Sources whose texts may name pages. Tests have made-up names. */
const SOURCES = [
  "{packages,hosts}/*/src/**/*.ts",
  "tools/*.{ts,mjs,sh}",
  "deploy/**/*",
  "hosts/*/Containerfile",
];
const FENCE = /^ *(?<fence>`{3,}|~{3,})[^]*?^ *\k<fence>/gm;
const LINK = /\]\((?<target>[^)\s]+)\)/g;
const HEADING = /^#{1,6} (?<title>.*)$/gm;
const MENTION = /(?<![\w/.-])docs\/(?:[\w-]+\/)*[\w-]+\.md/g;

/** The beginning of a path: a folder of the root, or `src` or `test` of a package. */
const PATH = /^(?:(?:packages|hosts|tools|docs|deploy|vectors)\/|[a-z][\w-]*\/(?:src|test)\b)/;

/** Texts by path, relative to the root of the repository. */
export type Pages = ReadonlyMap<string, string>;

/** All faults of the pages of this repository. */
export function findPageFaults(): readonly string[] {
  const pages = readAll(PAGES);
  const files = new Set(globSync(["*", "**/*", ".changeset/*"], { exclude: isLeftOut }));
  const sources = readAll(SOURCES.flatMap((pattern) => globSync(pattern, { exclude: isLeftOut })));
  return [
    ...brokenLinks(pages, files),
    ...brokenMentions(new Map([...pages, ...sources]), files),
    ...["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((page) =>
      brokenPaths(page, pages.get(page) ?? "", files),
    ),
    ...mapFaults(pages),
    ...architectureFaults(pages.get("ARCHITECTURE.md") ?? ""),
  ];
}

function isLeftOut(path: string): boolean {
  return /(?:^|\/)(?:node_modules|dist|\.git|\.turbo)(?:\/|$)/.test(path);
}

function readAll(patterns: readonly string[]): Pages {
  const paths = globSync([...patterns]).filter((path) => /\.\w+$|Containerfile$/.test(path));
  const texts = paths.map((path) => [path, readFileSync(path, "utf8")] as const);
  return new Map(texts.filter(([path]) => !/\.test(?:\.support)?\.ts$|\/testing\//.test(path)));
}

/** Links to files and headings of the repository that do not exist. */
export function brokenLinks(pages: Pages, files: ReadonlySet<string>): readonly string[] {
  return [...pages].flatMap(([path, text]) => {
    const targets = [...proseOf(text).matchAll(LINK)].map(({ groups }) => groups?.["target"] ?? "");
    return targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .flatMap((target) => {
        const [file = "", heading] = target.split("#");
        const to = file === "" ? path : join(dirname(path), file).replace(/\/$/, "");
        if (!files.has(to)) return [`${path}: links to ${target}, which does not exist`];
        const page = pages.get(to);
        if (heading === undefined || page === undefined || anchorsOf(page).has(heading)) return [];
        return [`${path}: links to ${target}: the page has no such heading`];
      });
  });
}

/** Names of pages, such as `docs/style.md`, in texts and sources, that do not exist. */
export function brokenMentions(texts: Pages, files: ReadonlySet<string>): readonly string[] {
  return [...texts].flatMap(([path, text]) => {
    const names = new Set([...text.matchAll(MENTION)].map(([name]) => name));
    return [...names]
      .filter((name) => !files.has(name))
      .map((name) => `${path}: names ${name}, which does not exist`);
  });
}

/**
 * Paths in backticks that do not exist. A path begins with a folder of the repository, or with that
 * of a package (`identity/src/authorize.ts`); one with `<`, `*` or `…` names many, and counts
 * up to there.
 */
export function brokenPaths(
  page: string,
  text: string,
  files: ReadonlySet<string>,
): readonly string[] {
  const codes = [...text.replaceAll(FENCE, "").matchAll(/`([^`\n]+)`/g)];
  const paths = codes.flatMap(([, code = ""]) => code.split(" ").filter((word) => PATH.test(word)));
  return paths.flatMap((path) => {
    const [known = ""] = /^[\w./-]*(?=\/[^/]*[<*…])|^[\w./-]+/.exec(path) ?? [];
    const names = [known, `packages/${known}`].map((name) => name.replace(/\/$/, ""));
    if (names.some((name) => files.has(name))) return [];
    return [`${page}: names ${path}, which does not exist`];
  });
}

function proseOf(text: string): string {
  return text.replaceAll(FENCE, "").replaceAll(/`[^`\n]*`/g, "");
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.replaceAll(FENCE, "").matchAll(HEADING)];
  const counts = new Map<string, number>();
  const anchors = titles.map(({ groups }) => {
    const slug = (groups?.["title"] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/**
 * Faults of both maps: README.md and docs/README.md have the four groups, each with links, and
 * docs/README.md links every page of `docs` except single decisions.
 */
export function mapFaults(pages: Pages): readonly string[] {
  const map = pages.get("docs/README.md") ?? "";
  const linked = new Set(
    [...map.matchAll(LINK)].map(({ groups }) => join("docs", groups?.["target"] ?? "")),
  );
  const unlisted = [...pages.keys()]
    .filter((path) => /^docs\/(?!README\.md$|decisions\/)/.test(path) && !linked.has(path))
    .map((path) => `docs/README.md: does not list ${path}`);
  const groups = ["README.md", "docs/README.md"].flatMap((path) =>
    groupFaults(path, pages.get(path) ?? ""),
  );
  return [...unlisted, ...groups];
}

function groupFaults(path: string, text: string): readonly string[] {
  return GROUPS.flatMap((group) => {
    const [, after] = text.split(new RegExp(`^#{2,3} ${group}$`, "m"));
    const links = after?.split(/^#/m)[0]?.match(LINK) ?? [];
    return links.length > 1 ? [] : [`${path}: has no links below a heading "${group}"`];
  });
}

/** Whether ARCHITECTURE.md still fits on two screens. */
export function architectureFaults(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n");
  const rows = (text.split(/^## Where do I find$/m)[1] ?? "").split(/^## /m)[0] ?? "";
  const places = [...rows.matchAll(/^\|/gm)].length - 2;
  const over = (what: string, count: number, most: number) =>
    count > most ? [`ARCHITECTURE.md: has ${count} ${what}, at most ${most}`] : [];
  return [
    ...over("lines", lines.length, ARCHITECTURE_LINES_MAX),
    ...lines.flatMap((line, index) =>
      over(`columns in line ${index + 1}`, line.length, ARCHITECTURE_COLUMNS_MAX),
    ),
    ...over('rows in "Where do I find"', places, PLACES_MAX),
    ...(places > 0 ? [] : ['ARCHITECTURE.md: has no table below "Where do I find"']),
  ];
}
