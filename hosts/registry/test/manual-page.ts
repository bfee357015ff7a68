import { readFile } from "node:fs/promises";

/** A block to copy. `language` is the whole info string of the fence: `ini`, `ini password`. */
export type Block = { readonly language: string; readonly text: string };

/** The blocks of a page of `docs/signing`, in order. */
export async function readPage(name: string): Promise<readonly Block[]> {
  return readManual(`../../../docs/signing/${name}`);
}

/** The blocks of a page, in order. `path` is relative to this folder. */
export async function readManual(path: string): Promise<readonly Block[]> {
  const page = new URL(path, import.meta.url);
  const blocks = (await readFile(page, "utf8")).matchAll(/^( *)```([a-z ]+)\n(.*?)^ *```$/gms);
  return [...blocks].map(([, indent = "", language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** The blocks of one language. */
export function textsOf(page: readonly Block[], language: string): readonly string[] {
  return page.flatMap((block) => (block.language === language ? [block.text] : []));
}

/** The settings in a text of lines `Key=value`. */
export function parseIni(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").flatMap((line) => {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(lines);
}
