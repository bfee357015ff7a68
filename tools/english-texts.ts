// Finds the texts that people read: comments, strings and test names of TypeScript, prose of Markdown.

export type TextKind =
  | "page"
  | "decision"
  | "readme"
  | "changeset"
  | "docstring"
  | "comment"
  | "string"
  | "test name";

export type Text = {
  readonly kind: TextKind;
  readonly line: number;
  readonly text: string;
  /** Headings and table cells are not whole sentences; they do not count for sentence length. */
  readonly isSentence: boolean;
};

type Piece = {
  readonly type: "docstring" | "comment" | "string";
  readonly index: number;
  text: string;
  /** The last word of code before a string, such as `test` in `test("…")`. */
  readonly before: string;
};

const TEST_FILE = /\.test(?:\.support)?\.ts$|\/testing\/|\/test\/|^packages\/benchmarks\//;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const QUOTED = /"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'/y;
const TEMPLATE_PART = /[`}](?<text>(?:\\[^]|\$(?!\{)|[^`\\$])*)(?<end>`|\$\{)/y;
const REGEX =
  /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*\/\w*/y;
const WORD = /[\w$]+/y;
const REGEX_MAY_FOLLOW =
  /^(?:|[([{,;:=!&|?+\-*%~^<>}]|return|typeof|case|in|of|delete|void|throw|new|else|yield|await)$/;
const SQL =
  /\b(?:select|insert into|update|delete from|create (?:table|index|unique|trigger)|alter table|order by)\b/i;

/** The texts of a TypeScript file. In test files only comments and the names of tests count. */
export function textsOfSource(path: string, source: string): readonly Text[] {
  return piecesOf(source).flatMap(({ type, index, text, before }) => {
    const kind = type === "string" ? kindOfString(path, text, before) : type;
    if (!kind) return [];
    const line = source.slice(0, index).split("\n").length;
    return [{ kind, line, text: kind === "string" ? withoutTags(text) : text, isSentence: true }];
  });
}

/** The prose of a Markdown file: paragraphs, list items, headings and table cells without code. */
export function textsOfPage(path: string, markdown: string): readonly Text[] {
  const kind = kindOfPage(path);
  const prose = markdown.replaceAll(
    /^---\n[^]*?\n---\n|^ *(?<fence>`{3,}|~{3,})[^]*?^ *\k<fence>/gm,
    (code) => "\n".repeat(code.split("\n").length - 1),
  );
  let paragraph: string[] = [];
  const texts: Text[] = [];
  const add = (text: string, line: number, isSentence: boolean) =>
    texts.push({ kind, line, text: withoutLinks(text), isSentence });
  const endParagraph = (line: number) => {
    if (paragraph.length > 0) add(paragraph.join(" "), line - paragraph.length, true);
    paragraph = [];
  };
  for (const [index, line] of `${prose}\n`.split("\n").entries()) {
    const isOther = line.trim() === "" || /^#+ |^\s*\|/.test(line);
    if (isOther || /^\s*(?:[-*+]|\d+\.) /.test(line)) endParagraph(index + 1);
    if (!isOther) paragraph.push(line.replace(/^\s*(?:[-*+]|\d+\.) /, "").trim());
    const cells = isOther ? line.split("|").filter((cell) => /\w/.test(cell)) : [];
    for (const cell of cells) add(cell, index + 1, false);
  }
  return texts;
}

type Scan = {
  readonly source: string;
  readonly pieces: Piece[];
  /** Templates with an open `${`, and how many braces were open before it. */
  readonly templates: { readonly piece: Piece; readonly depth: number }[];
  index: number;
  depth: number;
  /** The last token of code. */
  last: string;
  word: string;
};

function piecesOf(source: string): readonly Piece[] {
  const scan: Scan = {
    source,
    pieces: [],
    templates: [],
    index: 0,
    depth: 0,
    last: "",
    word: "",
  };
  while (scan.index < source.length) {
    if (!scanTemplate(scan) && !scanComment(scan) && !scanQuoted(scan) && !scanRegex(scan))
      scanCode(scan);
  }
  return scan.pieces;
}

function matchAt({ source, index }: Scan, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(source);
}

function scanTemplate(scan: Scan): boolean {
  const character = scan.source[scan.index];
  const isResumed = character === "}" && scan.templates.at(-1)?.depth === scan.depth - 1;
  const part = character === "`" || isResumed ? matchAt(scan, TEMPLATE_PART) : null;
  if (!part) return false;
  const open = isResumed ? scan.templates.pop() : undefined;
  const piece: Piece = open?.piece ?? {
    type: "string",
    index: scan.index,
    text: "",
    before: wordBefore(scan),
  };
  if (open) scan.depth -= 1;
  else scan.pieces.push(piece);
  piece.text += unescaped(part.groups?.["text"] ?? "");
  const isEnd = part.groups?.["end"] === "`";
  if (!isEnd) {
    piece.text += "…";
    scan.templates.push({ piece, depth: scan.depth });
    scan.depth += 1;
  }
  scan.last = isEnd ? "`" : "{";
  scan.index += part[0].length;
  return true;
}

/** The word before a string. The names of `test.each(…)("…")` count as those of `test("…")`. */
function wordBefore({ source, index, word }: Scan): string {
  return /\)\(\s*$/.test(source.slice(Math.max(0, index - 20), index)) ? "test" : word;
}

function scanComment(scan: Scan): boolean {
  const comment = matchAt(scan, COMMENT)?.[0];
  if (comment === undefined) return false;
  addComment(scan.pieces, scan.source, scan.index, comment);
  scan.index += comment.length;
  return true;
}

function scanQuoted(scan: Scan): boolean {
  const quoted = matchAt(scan, QUOTED)?.[0];
  if (quoted === undefined) return false;
  const text = unescaped(quoted.slice(1, -1));
  scan.pieces.push({ type: "string", index: scan.index, text, before: wordBefore(scan) });
  scan.last = '"';
  scan.index += quoted.length;
  return true;
}

function scanRegex(scan: Scan): boolean {
  const regex = REGEX_MAY_FOLLOW.test(scan.last) ? matchAt(scan, REGEX)?.[0] : undefined;
  if (regex === undefined) return false;
  scan.last = "regex";
  scan.index += regex.length;
  return true;
}

function scanCode(scan: Scan): void {
  const character = scan.source[scan.index] ?? "";
  if (character === "{") scan.depth += 1;
  if (character === "}") scan.depth -= 1;
  const name = matchAt(scan, WORD)?.[0];
  if (name !== undefined) scan.word = name;
  if (character.trim() !== "") scan.last = name ?? character;
  scan.index += name?.length ?? 1;
}

/** Comment lines that follow one another are one text. */
function addComment(pieces: Piece[], source: string, index: number, comment: string): void {
  if (comment.startsWith("/*")) {
    const text = comment
      .slice(2, -2)
      .replaceAll(/^\s*\*+ ?/gm, "")
      .trim();
    pieces.push({
      type: comment.startsWith("/**") ? "docstring" : "comment",
      index,
      text,
      before: "",
    });
    return;
  }
  const text = comment.slice(2).trim();
  const previous = pieces.at(-1);
  const between = previous ? source.slice(previous.index, index) : "";
  if (previous?.type === "comment" && /^(?:\s*\/\/[^\n]*\n)+\s*$/.test(between))
    previous.text += `\n${text}`;
  else pieces.push({ type: "comment", index, text, before: "" });
}

function kindOfString(path: string, text: string, before: string): TextKind | undefined {
  const isTest = TEST_FILE.test(path);
  if (/^(?:test|it|describe)$/.test(before)) return isTest ? "test name" : undefined;
  return isTest || !isProse(withoutTags(text)) ? undefined : "string";
}

/** Whether a literal has words that a user may read, rather than SQL, CSS or a list of names. */
function isProse(text: string): boolean {
  if (!/[A-Za-z]{2,},? [A-Za-z…]/.test(text)) return false;
  if (SQL.test(text) && /[_=(?]|\bfrom\b|\bset\b/.test(text)) return false;
  if (/^[a-z.\d]+(?:\s+[a-z.\d]+){19,}$/.test(text)) return false;
  return !/^[\s…]*(?:[\w.]+,\s+)+[\w.…]+,?\s*$|^\s*[{.#][\w\s-]|[{};]\s*$|max-age/.test(text);
}

function kindOfPage(path: string): TextKind {
  if (path.startsWith(".changeset/")) return "changeset";
  if (path.startsWith("docs/decisions/")) return "decision";
  return /^(?:packages|hosts)\//.test(path) ? "readme" : "page";
}

function unescaped(text: string): string {
  return text.replaceAll(/\\[nt]/g, " ").replaceAll(/\\([^])/g, "$1");
}

function withoutTags(text: string): string {
  return text.replaceAll(/<[^>]*>/g, " ").trim();
}

function withoutLinks(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .trim();
}
