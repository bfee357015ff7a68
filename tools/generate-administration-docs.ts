// Writes docs/administration-actions.md and docs/administration-openapi.json from the actions of
// administrators. `--check` compares them instead.
// node --conditions=@sealhouse/source tools/generate-administration-docs.ts [--check]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { loadActions, openApiDocument } from "../packages/administration/src/api/index.ts";
import type { Action } from "../packages/administration/src/index.ts";

const PAGE = new URL("../docs/administration-actions.md", import.meta.url);
const DOCUMENT = new URL("../docs/administration-openapi.json", import.meta.url);

const actions = await loadActions();
const document = openApiDocument(actions, {
  version: "1",
  server: "https://packages.example.com/api/admin/v1",
});
const files = [
  { file: PAGE, text: pageOf(actions) },
  { file: DOCUMENT, text: `${JSON.stringify(document, undefined, 1)}\n` },
];
for (const { file, text } of files) {
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.log(`${file.pathname} is not current: run this program without --check`);
    process.exitCode = 1;
  }
}

function pageOf(all: readonly Action[]): string {
  const groups = Map.groupBy(all, ({ id }) => id.split(".")[0] ?? id);
  const parts = [...groups].map(([name, of]) =>
    [
      `## ${name}`,
      "",
      "| action | command | route | scope | page |",
      "| --- | --- | --- | --- | --- |",
      ...of.map(rowOf),
      "",
    ].join("\n"),
  );
  return [
    "# Actions of administrators",
    "",
    "<!-- Written by tools/generate-administration-docs.ts. -->",
    "",
    "Every action has a route below `/api/admin/v1` and a command. [Administration](administration.md) shows how to use",
    "both, and [the OpenAPI document](administration-openapi.json) has the fields of each action.",
    `The registry has ${all.length} actions in ${groups.size} groups.`,
    "",
    parts.join("\n"),
  ].join("\n");
}

function rowOf({ summary, command, method, path, scope, form }: Action): string {
  const words = typeof command === "string" ? [command] : command.map((form) => form.words);
  const page = "page" in form ? `\`${form.page}\`` : "";
  const commands = words.map((text) => `\`${text}\``).join(", ");
  return `| ${summary} | ${commands} | \`${method} ${path}\` | \`${scope}\` | ${page} |`;
}
