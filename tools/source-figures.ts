// Figures of formatted TypeScript source. The formatter puts each bracket where these functions look
// for it, so that they need no parser.
import { portSizes } from "./port-methods.ts";

export type SourceFile = { readonly path: string; readonly text: string };

export type Figures = {
  readonly files: number;
  /** Lines of code, without comments and blank lines. */
  readonly code: number;
  /** Lines of a file: median, 95th percentile, maximum; without comments and blank lines. */
  readonly fileLines: Spread;
  /** Lines of a function from its first to its last. */
  readonly functionLines: Spread;
  readonly longFunctions: number;
  readonly largestPort: number;
  /** Percentage of comment lines among all lines that are not blank. */
  readonly comments: number;
  /** Lines of tests for each line of code. */
  readonly testRatio: number;
  /** Casts (`as`, not `as const`) per 1,000 lines of code. */
  readonly casts: number;
  /** Uses of the type `any`. */
  readonly anys: number;
  /** Percentage of `new Error` among all errors that are made. */
  readonly plainErrors: number;
};

export type Spread = { readonly median: number; readonly p95: number; readonly max: number };

const LONG_FUNCTION = 70;
const TEST_FILE = /\.test(?:\.support)?\.ts$|\/testing\/|\/test\//;
const NOT_A_FUNCTION =
  /^\s*(?:\}\s*)?(?:if|for|while|switch|catch|else|try|do|class|interface|type)\b/;
const OPENS_FUNCTION = /(?:=>|\)(?:: [^=]+)?) \{$/;
const CAST = / as (?!const\b)\w/g;
const MADE_ERROR = /\bnew (\w*Error)\(/g;
const ANY = /(?:: |<|\bas )any\b/g;

/** Whether a file is a test or supports tests. */
export function isTestFile(path: string): boolean {
  return TEST_FILE.test(path);
}

/** Figures of one package: its source and, separately, its tests. */
export function figuresOf(files: readonly SourceFile[]): Figures {
  const isTest = ({ path }: SourceFile) => isTestFile(path);
  const sources = files.filter((file) => !isTest(file));
  const lines = sources.map(({ text }) => codeLines(text));
  const code = sum(lines.map((fileLines) => fileLines.length));
  const functions = sources.flatMap(({ text }) => functionLengths(text));
  const all = sum(sources.map(({ text }) => text.split("\n").filter(isFull).length));
  const isImport = (line: string) => /^(?:import|export) [{*]|^ {2}\w+ as \w+,$/.test(line);
  const plain = lines
    .flat()
    .filter((line) => !isImport(line))
    .join("\n");
  const made = [...plain.matchAll(MADE_ERROR)];
  const ports = sources.flatMap(({ path, text }) => portSizes(path, text));
  return {
    files: sources.length,
    code,
    fileLines: spread(lines.map((fileLines) => fileLines.length)),
    functionLines: spread(functions),
    longFunctions: functions.filter((length) => length > LONG_FUNCTION).length,
    largestPort: Math.max(0, ...ports.map(({ methods }) => methods)),
    comments: percent(all - code, all),
    testRatio: ratio(sum(files.filter(isTest).map(({ text }) => codeLines(text).length)), code),
    casts: ratio((withoutTexts(plain).match(CAST)?.length ?? 0) * 1000, code),
    anys: plain.match(ANY)?.length ?? 0,
    plainErrors: percent(made.filter(([, name]) => name === "Error").length, made.length),
  };
}

/** Code without quoted texts: names of tables have an alias after `as`, too. */
function withoutTexts(code: string): string {
  return code.replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""');
}

/** Lines that contain code. A comment has its own lines, as the formatter writes it. */
export function codeLines(text: string): readonly string[] {
  let isInside = false;
  return text.split("\n").filter((line) => {
    const start = line.trimStart();
    if (!isInside && (!isFull(line) || start.startsWith("//"))) return false;
    if (!isInside && !start.startsWith("/*")) return true;
    isInside = !line.includes("*/");
    return false;
  });
}

/** Lengths of all functions whose body has its own lines. */
export function functionLengths(text: string): readonly number[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!OPENS_FUNCTION.test(line) || NOT_A_FUNCTION.test(line)) return [];
    const indent = /^ */.exec(line)?.[0] ?? "";
    const length = lines.slice(index).findIndex((laterLine) => laterLine.startsWith(`${indent}}`));
    return length === -1 ? [] : [length + 1];
  });
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((value, other) => value - other);
  const valueAt = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { median: valueAt(0.5), p95: valueAt(0.95), max: valueAt(1) };
}

function isFull(line: string): boolean {
  return line.trim() !== "";
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 100);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10) / 10;
}
