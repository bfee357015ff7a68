import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PROTOCOL } from "../names/name-fields.ts";
import { textField } from "../promotion/fields.ts";
import { counted, namedFirst } from "./rows.ts";

const NUGET = field(PROTOCOL.default("nuget"), "Protocol", "nuget, npm or oci.");
const NAME = textField(255, "Name", "The name of the package or repository.");
const COMMON = {
  scope: "storage:write",
  method: "DELETE",
  form: { page: "/administration/actions" },
  lasting: "delete-permanently",
  hasDryRun: true,
} as const;

const DELETED = z
  .strictObject({ protocol: PROTOCOL, name: z.string(), version: z.string() })
  .meta({ id: "DeletedVersion", title: "A deleted version" });

/** A deleted version as the API and commands show it. */
export type DeletedVersion = z.output<typeof DELETED>;

const remove = defineAction({
  ...COMMON,
  id: "packages.delete",
  summary: "delete a version permanently; the number of a package cannot be reused",
  path: "/packages/{protocol}/{name}/versions/{version}",
  command: "package delete <name> <version>",
  input: z.strictObject({
    protocol: NUGET,
    name: NAME,
    version: textField(256, "Version", "The version; of images the tag or the digest."),
  }),
  output: DELETED,
  refusals: ["absent", "conflict"],
  ending: ({ protocol, name, version }) => ({
    title: `Delete ${name} ${version} permanently?`,
    ends: [
      protocol === "oci"
        ? "Pulls by this tag or digest fail. The collection of garbage deletes its bytes."
        : "It can no longer be installed, and this number cannot be published again.",
    ],
    button: "Delete the version",
  }),
  async run({ input, isDryRun, ...asked }) {
    const { deleteOne } = await import("./deletions.ts");
    const { protocol, name } = input;
    return { protocol, name, version: await deleteOne(asked, input, isDryRun) };
  },
});

const DELETED_NAME = z
  .strictObject({
    protocol: PROTOCOL,
    name: z.string(),
    versions: z.int().describe("Versions, or tags, that were there."),
    deleted: z.int(),
    kept: z.array(z.string()).describe("Tags that are immutable."),
    dependents: z.strictObject({
      count: z.int(),
      names: z.array(z.string()).describe("At most ten."),
    }),
    targets: z.array(z.string()).describe("Targets that it was released to, which keep it."),
  })
  .meta({ id: "DeletedName", title: "A name without versions" });

/** A deleted name as the API and commands show it. */
export type DeletedName = z.output<typeof DELETED_NAME>;

const removeName = defineAction({
  ...COMMON,
  id: "packages.delete-name",
  summary: "delete all versions of a package, or all tags of a repository, permanently",
  path: "/packages/{protocol}/{name}",
  command: "package delete-name <name>",
  isLong: true,
  input: z.strictObject({ protocol: NUGET, name: NAME }),
  output: DELETED_NAME,
  refusals: ["absent", "conflict"],
  ending: ({ protocol, name, versions, dependents, targets }) => ({
    title: `Delete all of ${name} permanently?`,
    ends: [
      `${counted(versions, protocol === "oci" ? "tag" : "version")} can no longer be installed.`,
      `${namedFirst(dependents.count, "dependent", dependents.names)} They are here, and fail.`,
      `${namedFirst(targets.length, "target", targets)} They keep what was released to them.`,
    ],
    button: "Delete the name",
    typed: name,
  }),
  async run({ input: { protocol, name: typed }, isDryRun, ...asked }) {
    const { deleteName, findName } = await import("./deletions.ts");
    const { name, versions, dependents, targets } = await findName(asked.parts, {
      protocol,
      name: typed,
    });
    const { deleted, kept } = isDryRun
      ? { deleted: 0, kept: [] }
      : await deleteName(asked, { protocol, name });
    return {
      protocol,
      name,
      versions: versions.length,
      deleted,
      kept: [...kept],
      dependents: { ...dependents, names: [...dependents.names] },
      targets: [...targets],
    };
  },
});

/** The deletion of versions and names. */
export const DELETION_ACTIONS = [remove, removeName];
