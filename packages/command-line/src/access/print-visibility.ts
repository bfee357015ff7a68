import type { SetVisibility, ShownVisibility } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints who may see names. */
export const VISIBILITY_PRINTS = {
  "visibility.list": printOf<{ readonly items: readonly ShownVisibility[] }>({
    text({ items }, { stdout, stderr }) {
      for (const entry of items) stdout(lineOf(entry));
      if (items.length === 0) stderr("All names are public.");
    },
  }),
  "visibility.show": printOf<ShownVisibility>({
    text: (entry, { stdout }) => stdout(lineOf(entry)),
  }),
  "visibility.set": printOf<SetVisibility>({
    text: ({ name, visibility, outcome }, { stderr }) =>
      stderr(`${name} is ${visibility} ${outcome === "set" ? "now" : "already"}.`),
  }),
};

function lineOf({ protocol, name, visibility }: ShownVisibility): string {
  return [protocol, name, visibility].join("  ");
}
