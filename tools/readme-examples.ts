// The examples of a README: blocks of TypeScript, and what they print.

export type Example = {
  readonly code: string;
  /** The `text` block that follows; undefined when the README shows no output. */
  readonly output?: string;
};

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
