import type { ShownGroup } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints packages that are released together. */
export const GROUP_PRINTS = {
  "groups.add": printOf<ShownGroup>({
    text({ name }, { stderr }) {
      stderr(`Added the group ${name}.`);
      stderr(`To see what a release would do: sealhouse promote ${name} --dry-run`);
    },
  }),
  "groups.list": printOf<{ readonly items: readonly ShownGroup[] }>({
    text({ items }, { stdout, stderr }) {
      for (const group of items) stdout(lineOf(group));
      if (items.length === 0) stderr("There are no groups: sealhouse group add");
    },
  }),
  "groups.show": printOf<ShownGroup>({ text: (group, { stdout }) => stdout(lineOf(group)) }),
  "groups.remove": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) =>
      stderr(`Removed the group ${name}. Its releases stay in the history.`),
  }),
};

function lineOf({ name, members, targets }: ShownGroup): string {
  return `${name}  ${members.join(" ")}  to ${targets.join(", ") || "no target"}`;
}
