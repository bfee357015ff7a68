import type {
  AddedSyndication,
  ShownSyndication,
  SwitchedSyndication,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { Print } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

const switched = printOf<SwitchedSyndication>({
  text: ({ name, isEnabled }, { stderr }) =>
    stderr(`${isEnabled ? "Resumed" : "Paused"} the syndication ${name}.`),
});

/** Prints what is published after each upload. */
export const SYNDICATION_PRINTS: Readonly<Record<string, Print>> = {
  "syndications.add": printOf<AddedSyndication>({
    text: ({ name }, { stderr }) =>
      stderr(`Added the syndication ${name}. Uploads from now on are published.`),
  }),
  "syndications.list": printOf<{ readonly items: readonly ShownSyndication[] }>({
    text({ items }, { stdout, stderr }) {
      for (const syndication of items) stdout(lineOf(syndication));
      if (items.length === 0) stderr("There are no syndications: sealhouse syndication add");
    },
  }),
  "syndications.show": printOf<ShownSyndication>({
    text: (syndication, { stdout }) => stdout(lineOf(syndication)),
  }),
  "syndications.pause": switched,
  "syndications.resume": switched,
  "syndications.replay": printOf<{ readonly releases: number }>({
    text: ({ releases }, { stderr }) =>
      stderr(`${releases} releases are tried again. A running host continues them.`),
  }),
  "syndications.remove": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) => stderr(`Removed the syndication ${name}.`),
  }),
};

function lineOf(syndication: ShownSyndication): string {
  const { name, from, target, isEnabled, released, failed, waiting } = syndication;
  const source = from.type === "group" ? `group ${from.group}` : `${from.protocol}:${from.pattern}`;
  const counts = `${released} released, ${waiting} waiting, ${failed} failed`;
  const state = isEnabled ? "enabled" : "paused";
  return printableLine([name, source, `to ${target}`, state, counts].join("  "));
}
