import type {
  ChangedVersions,
  DeletedName,
  DeletedVersion,
  ListedVersion,
  ShownTombstone,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { Print, Prints } from "../actions/print.ts";

/** Prints of actions on packages. */
export const PACKAGE_PRINTS: Prints = {
  "packages.deprecate": deprecated("deprecated"),
  "packages.deprecate-npm": deprecated("deprecated"),
  "packages.undeprecate": deprecated("no longer deprecated"),
  "packages.set-listed": printOf<ListedVersion>({
    text: ({ name, version, listed }, { stderr }) =>
      stderr(`${name} ${version}: ${listed ? "listed" : "unlisted"}.`),
  }),
  "packages.delete": printOf<DeletedVersion>({
    text({ protocol, name: key, version }, { stderr, input, isDryRun }) {
      const name = `${String(input["name"])} ${String(input["version"])}`;
      if (isDryRun) stderr(`Would delete ${key} ${version}. Use --apply to delete it.`);
      else if (protocol === "oci") stderr(`${name} is deleted.`);
      else stderr(`${name} is deleted for good, and its number stays taken.`);
      if (protocol === "nuget" && !isDryRun) {
        stderr(`To use it again: sealhouse package allow-reuse ${name}`);
      }
    },
    json: ({ protocol, name: id, version }) => ({ id, version, protocol, outcome: "deleted" }),
  }),
  "packages.delete-name": printOf<DeletedName>({
    text({ name, versions, deleted, kept, dependents, targets }, { stdout, stderr, isDryRun }) {
      const count = `${isDryRun ? versions : deleted} of ${versions} versions or tags`;
      for (const dependent of dependents.names) stdout(`dependent  ${dependent}`);
      for (const target of targets) stdout(`target  ${target}`);
      for (const tag of kept) stdout(`kept  ${tag}`);
      stderr(`${name}: ${isDryRun ? "would delete" : "deleted"} ${count}.`);
      stderr(`${dependents.count} packages here depend on it.`);
    },
    code: ({ kept }) => (kept.length > 0 ? 1 : 0),
  }),
  "packages.tombstones": printOf<{ readonly items: readonly ShownTombstone[] }>({
    text({ items }, { stdout, stderr, input }) {
      if (items.length === 0) stderr(`Nothing of ${String(input["name"])} was deleted.`);
      for (const { version, deletedAt, deletedBy } of items) {
        stdout([version, `deleted ${deletedAt}`, `by ${deletedBy}`].join("  "));
      }
    },
  }),
  "packages.allow-reuse": printOf<{ readonly name: string; readonly version: string }>({
    text: ({ version }, { stderr, input }) =>
      stderr(`${String(input["name"])} ${version} can be pushed again.`),
    json: ({ name: id, version }) => ({ id, version, outcome: "allowed" }),
  }),
};

function deprecated(state: string): Print {
  return printOf<ChangedVersions>({
    text({ changed }, { stderr, input }) {
      if (changed.length === 0) stderr("Nothing had to change.");
      else stderr(`${String(input["name"])} ${changed.join(", ")}: ${state}.`);
    },
    json: ({ name: id, changed }) => ({ id, changed }),
  });
}
