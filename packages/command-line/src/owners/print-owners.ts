import { OWNERS_OF_NAME_MAX } from "@sealhouse/identity";
import type {
  AdoptedNames,
  GrantedLevel,
  ImportedOwners,
  RevokedOwner,
  ShownOwner,
  ShownRefusal,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

type List<Item> = { readonly items: readonly Item[] };

/** Prints the owners of names. */
export const OWNER_PRINTS = {
  "owners.list": printOf<List<ShownOwner>>({
    text({ items }, { stdout, stderr, input }) {
      if (items.length === 0) stderr(`${String(input["name"])} has no owners.`);
      for (const { handle, kind, level } of items) stdout([handle, kind, level].join("  "));
    },
  }),
  "owners.add": printOf<GrantedLevel>({
    text({ handle, level, outcome }, { stderr, input }) {
      if (outcome === "unchanged") stderr(`${handle} has the level ${level} already.`);
      else stderr(`${handle} has the level ${level} on ${String(input["name"])}.`);
    },
  }),
  "owners.remove": printOf<RevokedOwner>({
    text: ({ handle }, { stderr, input }) =>
      stderr(`${handle} is no longer an owner of ${String(input["name"])}.`),
  }),
  "owners.report": printOf<List<ShownRefusal>>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) {
        stderr(
          "Nothing would have been refused. " +
            "Requests count since Host__Access__Owners is report.",
        );
      }
      for (const { last, actor, subject, action, reason } of items) {
        const words = [last, printableLine(actor), action, subject, printableLine(reason)];
        stdout(words.join("  "));
      }
    },
  }),
  "owners.import": printOf<ImportedOwners>({ text: printImported }),
  "owners.adopt": printOf<AdoptedNames>({
    text({ names, owner, dryRun }, { stdout, stderr }) {
      for (const { protocol, name } of names) stdout(printableLine(`${protocol}  ${name}`));
      const total = names.length === 1 ? "1 name" : `${names.length} names`;
      if (dryRun) stderr(`${total} without an owner.`);
      else stderr(`${owner ?? ""} owns ${total} that had no owner.`);
    },
  }),
};

/** Prints the names that stay without owners, and publishers that did not become owners. */
function printImported(
  { adopted, left, crowded }: ImportedOwners,
  { stdout, stderr }: PrintPlace,
): void {
  stderr(`${adopted} names have owners now.`);
  for (const { protocol, name, others } of crowded) {
    const count = others.length === 1 ? "1 publisher" : `${others.length} publishers`;
    const words = `${protocol} ${name} has ${OWNERS_OF_NAME_MAX} owners, the most for one name`;
    stderr(printableLine(`${words}; ${count} did not become owners: ${others.join(", ")}`));
  }
  if (left.length === 0) return;
  stderr(`${left.length} names have no publisher that is a user or a team:`);
  for (const { protocol, name } of left) stdout(`${protocol}  ${name}`);
  stderr("Add their owners: sealhouse owner add <protocol> <name> <handle>");
}
