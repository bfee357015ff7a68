import type { ShownGroup, ShownGroupMember } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

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
  "groups.members": printOf<{ readonly items: readonly ShownGroupMember[] }>({
    text({ items }, { stdout }) {
      for (const { protocol, name, version, problem, released, isNew } of items) {
        const now = problem ?? `${version}${isNew ? " (new)" : ""}`;
        const before = released === undefined ? "never released" : `released ${released}`;
        stdout(printableLine(`${protocol}:${name}  ${now}  ${before}`));
      }
    },
  }),
  "groups.remove": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) =>
      stderr(`Removed the group ${name}. Its releases stay in the history.`),
  }),
};

function lineOf({ name, members, targets }: ShownGroup): string {
  return `${name}  ${members.join(" ")}  to ${targets.join(", ") || "no target"}`;
}
