import { describe, expect, test } from "vitest";
import { ENGLISH_RULES } from "./english-rules.ts";
import { textsOfPage, textsOfSource } from "./english-texts.ts";
import {
  englishBreaches,
  englishFigures,
  englishTable,
  folderOf,
  hitsOf,
  missedGoals,
} from "./english.ts";

const ids = (text: string) => hitsOf({ kind: "comment", line: 1, text }).map(({ rule }) => rule.id);

describe("the texts of a TypeScript file", () => {
  const texts = (source: string, path = "packages/a/src/a.ts") =>
    textsOfSource(path, source).map(({ kind, line, text }) => [kind, line, text]);

  test("are docstrings, comments and strings with words", () => {
    const source = '/** A first text. */\n// A second\n// text.\nconst a = "A third text.";\n';
    expect(texts(source)).toEqual([
      ["docstring", 1, "A first text."],
      ["comment", 2, "A second\ntext."],
      ["string", 4, "A third text."],
    ]);
  });

  test("join the parts of a template, and read strings inside its values", () => {
    const source = "x(`it is ${a ? `an ${b} inner` : {}} here`); // the end";
    expect(texts(source)).toEqual([
      ["string", 1, "it is … here"],
      ["string", 1, "an … inner"],
      ["comment", 1, "the end"],
    ]);
  });

  test("do not begin inside a regular expression", () => {
    expect(texts('const a = /["`/]x y/.test(b) ? 1 / 2 : "two words";')).toEqual([
      ["string", 1, "two words"],
    ]);
  });

  test("contain the names of parametrised tests", () => {
    const source = 'test.each([\n  ["a", 1],\n])("reads %s as %i", () => {});\n';
    expect(texts(source, "packages/a/src/a.test.ts")).toEqual([["test name", 3, "reads %s as %i"]]);
  });

  test("leave out SQL and lists of names", () => {
    expect(texts('run("select id from rows where a = ?"); run("id, name, version");')).toEqual([]);
  });

  test("are names and comments only in tests", () => {
    const source = 'test("a name of words", () => expect(a).toBe("some other words"));';
    expect(texts(source, "packages/a/src/a.test.ts")).toEqual([
      ["test name", 1, "a name of words"],
    ]);
  });
});

test("the texts of a page are its prose without code, front matter and links", () => {
  const page =
    "---\na: b c\n---\n# A heading\n\nTwo\nlines, [a link](x.md).\n\n```sh\nrun it\n```\n";
  expect(textsOfPage("docs/a.md", `${page}| a b | \`c\` |\n- an item\n`)).toEqual([
    { kind: "page", line: 4, text: "# A heading", isSentence: false },
    { kind: "page", line: 6, text: "Two lines, a link.", isSentence: true },
    { kind: "page", line: 12, text: "a b", isSentence: false },
    { kind: "page", line: 12, text: "`c`", isSentence: false },
    { kind: "page", line: 13, text: "an item", isSentence: true },
  ]);
});

describe("the rules", () => {
  test("find the phrases that docs/style.md advises against", () => {
    expect(ids("x is no code")).toEqual(["is-no"]);
    expect(ids("nobody may read it")).toEqual(["nobody"]);
    expect(ids("it stands in the log beside it")).toEqual(["beside", "stands"]);
  });

  test("accept ordinary phrases and quoted code", () => {
    expect(ids("it is no longer valid; see `nobody` and `beside`")).toEqual([]);
  });

  test("have unique names, a reason and a replacement", () => {
    expect(new Set(ENGLISH_RULES.map(({ id }) => id)).size).toBe(ENGLISH_RULES.length);
    expect(ENGLISH_RULES.filter(({ why, instead }) => why === "" || instead === "")).toEqual([]);
  });
});

test("a folder with more hits than its row allows is reported with each hit", () => {
  const hits = hitsOf({ kind: "comment", line: 3, text: "nobody, whoever" }).map((hit) => ({
    ...hit,
    path: "packages/a/src/a.ts",
  }));
  expect(englishBreaches(hits, { "packages/a": { error: 2, warn: 0 } })).toEqual([]);
  expect(englishBreaches(hits, { "packages/a": { error: 1, warn: 0 } })).toHaveLength(3);
  expect(englishBreaches(hits, {}).join("\n")).toContain('packages/a/src/a.ts:3: "nobody"');
});

test("a file counts for its package, its first folder or the root", () => {
  expect(folderOf("hosts/registry/src/main.ts")).toBe("hosts/registry");
  expect(folderOf("docs/signing/a.md")).toBe("docs");
  expect(folderOf("README.md")).toBe(".");
});

test("the table measures sentence length, passive sentences and hits of each kind", () => {
  const text = "The file is written by nobody. It has three words.";
  const figures = englishFigures([{ kind: "comment", line: 1, text, isSentence: true }]);
  expect(englishTable(figures)).toContain("| comment | 2 | 5 | 0 % | 50 % | 1 | 100 |");
});

test("a figure above its goal, and a kind without a goal, are breaches", () => {
  const figures = englishFigures([
    { kind: "comment", line: 1, text: "The file is written. It has words.", isSentence: true },
  ]);
  const goal = { long: 0, passive: 50, hits: 0 };
  expect(missedGoals(figures, { comment: goal, all: goal })).toEqual([]);
  expect(missedGoals(figures, { comment: { ...goal, passive: 49 } })).toEqual([
    "comment: % of sentences in the passive: 50, at most 49",
    "all: has no goal in tools/english-goals.ts",
  ]);
});
