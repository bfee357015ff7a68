// Checks our texts against docs/style.md, and measures them.
import { globSync, readFileSync } from "node:fs";
import type { EnglishGoal } from "./english-goals.ts";
import { ENGLISH_MAX } from "./english-max.ts";
import { ENGLISH_RULES } from "./english-rules.ts";
import type { EnglishRule } from "./english-rules.ts";
import { textsOfPage, textsOfSource } from "./english-texts.ts";
import type { Text } from "./english-texts.ts";

export type Hit = { readonly rule: EnglishRule; readonly line: number; readonly words: string };
export type Level = EnglishRule["level"];
type FileText = Text & { readonly path: string };

const LONG_SENTENCE = 25;
const FILES = [
  "{packages,hosts}/*/{src,test}/**/*.ts",
  "{packages,hosts}/*/README.md",
  "{tools,vectors}/*.ts",
  "docs/**/*.md",
  ".changeset/*.md",
  "*.md",
];
const PASSIVE =
  /\b(?:am|is|are|was|were|be|been|being)\b(?:\s+(?:not|never|always|only|\w+ly))*\s+(?:\w{3,}ed|built|done|found|given|held|kept|made|put|read|sent|set|shown|taken|told|written)\b/i;

/** The hits of all rules in one text. Code in backticks is not checked. */
export function hitsOf({ kind, line, text }: Omit<Text, "isSentence">): readonly Hit[] {
  const prose = text.replaceAll(/`[^`]*`/g, "CODE").replaceAll(/\s+/g, " ");
  return ENGLISH_RULES.filter((rule) => !rule.kind || rule.kind === kind).flatMap((rule) =>
    [...prose.matchAll(rule.pattern)].map(({ 0: words }) => ({ rule, line, words })),
  );
}

/** Folders with more hits than `most` allows. A folder without a row may have no hit. */
export function englishBreaches(
  hits: readonly (Hit & { readonly path: string })[],
  most: Readonly<Record<string, Readonly<Record<Level, number>>>>,
): readonly string[] {
  const groups = Map.groupBy(hits, ({ path, rule }) => `${folderOf(path)} ${rule.level}`);
  return [...groups].flatMap(([group, own]) => {
    const [folder, level] = group.split(" ") as [string, Level];
    const limit = most[folder]?.[level] ?? 0;
    if (own.length <= limit) return [];
    const lines = own.map(
      ({ path, line, words, rule }) =>
        `  ${path}:${line}: "${words}". ${rule.why} Instead: ${rule.instead}`,
    );
    return [
      `${folder}: ${own.length} phrases that docs/style.md advises against (${level}), at most ${limit}:`,
      ...lines,
    ];
  });
}

/** The row of `ENGLISH_MAX` that a file counts for: its package, or its first folder. */
export function folderOf(path: string): string {
  return /^(?:packages|hosts)\/[^/]+|^[^/]+(?=\/)/.exec(path)?.[0] ?? ".";
}

/** All texts of the repository. */
export function readTexts(): readonly FileText[] {
  return globSync(FILES)
    .filter((path) => !path.includes("node_modules") && !path.startsWith("tools/english-rules"))
    .filter((path) => !path.startsWith("tools/english.test"))
    .toSorted()
    .flatMap((path) => {
      const content = readFileSync(path, "utf8");
      const texts = path.endsWith(".md")
        ? textsOfPage(path, content)
        : textsOfSource(path, content);
      return texts.map((text) => ({ ...text, path }));
    });
}

export function findEnglishBreaches(): readonly string[] {
  const hits = readTexts().flatMap((text) =>
    hitsOf(text).map((hit) => ({ ...hit, path: text.path })),
  );
  return englishBreaches(hits, ENGLISH_MAX);
}

/** Figures of one kind of text; shares in percent. */
export type EnglishFigures = {
  readonly kind: string;
  readonly sentences: number;
  readonly meanWords: number;
  readonly long: number;
  readonly passive: number;
  readonly hits: number;
  readonly hitsPer1000: number;
};

/** The figures of each kind of text, and of all. */
export function englishFigures(texts: readonly Text[]): readonly EnglishFigures[] {
  const kinds = [...Map.groupBy(texts, ({ kind }) => kind), ["all", texts] as const];
  return kinds.map(([kind, own]) => {
    const sentences = own.filter(({ isSentence }) => isSentence).flatMap(sentencesOf);
    const lengths = sentences.map((sentence) => sentence.match(/[\w'’./:-]+/g)?.length ?? 0);
    const words = lengths.reduce((sum, length) => sum + length, 0);
    const long = lengths.filter((length) => length > LONG_SENTENCE).length;
    const passive = sentences.filter((sentence) => PASSIVE.test(sentence)).length;
    const hits = own.flatMap(hitsOf).length;
    return {
      kind,
      sentences: sentences.length,
      meanWords: ratio(words, sentences.length),
      long: ratio(100 * long, sentences.length),
      passive: ratio(100 * passive, sentences.length),
      hits,
      hitsPer1000: ratio(1000 * hits, words),
    };
  });
}

/** A Markdown table of the figures. */
export function englishTable(figures: readonly EnglishFigures[]): string {
  const rows = figures.map((of) => {
    const shares = [`${of.long} %`, `${of.passive} %`];
    const cells = [of.kind, of.sentences, of.meanWords, ...shares, of.hits, of.hitsPer1000];
    return `| ${cells.join(" | ")} |`;
  });
  const head =
    "| text | sentences | mean words | over 25 words | passive | hits | per 1,000 words |";
  return [head, `|${" --- |".repeat(7)}`, ...rows].join("\n");
}

/** The goals of `ENGLISH_GOALS` that the figures exceed. */
export function missedGoals(
  figures: readonly EnglishFigures[],
  goals: Readonly<Record<string, EnglishGoal>>,
): readonly string[] {
  return figures.flatMap(({ kind, long, passive, hitsPer1000 }) => {
    const goal = goals[kind];
    if (!goal) return [`${kind}: has no goal in tools/english-goals.ts`];
    const over = (what: string, value: number, most: number) =>
      value > most ? [`${kind}: ${what}: ${value}, at most ${most}`] : [];
    return [
      ...over("% of sentences over 25 words", long, goal.long),
      ...over("% of sentences in the passive", passive, goal.passive),
      ...over("hits per 1,000 words", hitsPer1000, goal.hits),
    ];
  });
}

/** The sentences of a text. The options of a help text are a list, and no sentence. */
function sentencesOf({ text }: Text): readonly string[] {
  const prose = text.replaceAll(/`[^`]*`/g, "CODE");
  return prose
    .split(/\n(?=\s*--\w)/)
    .flatMap((part) => part.replaceAll(/\s+/g, " ").split(/(?<=[.!?])\s+(?=["'(]?[A-Z0-9])/))
    .filter((sentence) => sentence.split(" ").length > 2);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10 * part) / whole) / 10;
}
