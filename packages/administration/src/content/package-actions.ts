import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { optionalText, textField } from "../promotion/fields.ts";
import { absent } from "../refusal.ts";
import { shown } from "../shown.ts";
import { DELETION_ACTIONS } from "./deletion-actions.ts";

const COMMON = { scope: "storage:write", form: { page: "/administration/actions" } } as const;
const NAME = textField(255, "Name", "The name of the package.");
const VERSION = textField(256, "Version", "The version, such as 1.2.3.");
const VERSIONS = field(
  z.array(z.string().max(256)).max(1_000).optional(),
  "Versions",
  "Only these versions. Absent: all.",
  { example: ["1.2.3"] },
);
const CHANGED = z
  .strictObject({ name: z.string(), changed: z.array(z.string()) })
  .meta({ id: "ChangedVersions", title: "Versions that changed" });

/** Versions that an action changed. */
export type ChangedVersions = z.output<typeof CHANGED>;

const deprecate = defineAction({
  ...COMMON,
  id: "packages.deprecate",
  summary: "deprecate versions, or all versions of a NuGet package",
  method: "PUT",
  path: "/packages/nuget/{name}/deprecation",
  command: "package deprecate <name> [versions...]",
  input: z.strictObject({
    name: NAME,
    versions: VERSIONS,
    reasons: field(
      z.array(z.string().max(50)).min(1).max(10),
      "Reasons",
      "Legacy, CriticalBugs or Other.",
      { option: "--reasons <list>", example: ["Legacy"] },
    ),
    message: optionalText(4_000, "Message", "For users, up to 4000 characters."),
    alternate: optionalText(300, "Alternate", "Package to use instead: Id, or Id@range.", {
      option: "--alternate <id[@range]>",
    }),
  }),
  output: CHANGED,
  refusals: ["absent"],
  lasting: "change-packages",
  async run({ input: { alternate, ...fields }, ...asked }) {
    const { alternateOf, deprecateNuget } = await import("./deprecations.ts");
    return deprecateNuget(asked, "sets", {
      ...fields,
      ...(alternate !== undefined && { alternatePackage: alternateOf(alternate) }),
    });
  },
});

const deprecateOfNpm = defineAction({
  ...COMMON,
  id: "packages.deprecate-npm",
  summary: "deprecate versions, or all versions of an npm package",
  method: "PUT",
  path: "/packages/npm/{name}/deprecation",
  command: "package deprecate-npm <name> [versions...]",
  input: z.strictObject({
    name: NAME,
    versions: VERSIONS,
    message: field(z.string().min(1).max(8_192), "Message", "npm install prints it.", {
      option: "--message <text>",
      example: "Use @acme/other.",
    }),
  }),
  output: CHANGED,
  refusals: ["absent"],
  lasting: "change-packages",
  async run({ input, ...asked }) {
    return (await import("./deprecations.ts")).deprecateNpm(asked, input);
  },
});

const undeprecate = defineAction({
  ...COMMON,
  id: "packages.undeprecate",
  summary: "remove the deprecation of versions, or of all",
  method: "DELETE",
  path: "/packages/{protocol}/{name}/deprecation",
  command: "package undeprecate <name> [versions...]",
  input: z.strictObject({
    protocol: field(z.enum(["nuget", "npm"]).default("nuget"), "Protocol", "nuget or npm."),
    name: NAME,
    versions: VERSIONS,
  }),
  output: CHANGED,
  refusals: ["absent"],
  lasting: "change-packages",
  async run({ input: { protocol, ...named }, ...asked }) {
    const { deprecateNpm, deprecateNuget } = await import("./deprecations.ts");
    return protocol === "npm" ? deprecateNpm(asked, named) : deprecateNuget(asked, "lifts", named);
  },
});

const LISTED = z.strictObject({ name: z.string(), version: z.string(), listed: z.boolean() });

/** Whether searches find a version. */
export type ListedVersion = z.output<typeof LISTED>;

const setListed = defineAction({
  ...COMMON,
  id: "packages.set-listed",
  summary: "hide a NuGet version from searches, or show it again",
  method: "PUT",
  path: "/packages/nuget/{name}/versions/{version}/listing",
  command: [
    {
      words: "package unlist <name> <version>",
      summary: "hide a NuGet version from searches; it can still be installed",
      sets: { listed: false },
    },
    {
      words: "package relist <name> <version>",
      summary: "show a NuGet version in searches again",
      sets: { listed: true },
    },
  ],
  input: z.strictObject({
    name: NAME,
    version: VERSION,
    listed: field(z.boolean(), "Listed", "Whether searches find it."),
  }),
  output: LISTED,
  refusals: ["absent"],
  lasting: "change-packages",
  async run({ input: { listed, ...named }, parts, caller }) {
    const { nugetVersion } = await import("./deprecations.ts");
    const { id, version } = nugetVersion(named);
    const { recorder } = (await parts.content()).nuget;
    const outcome = await recorder.setListed(id, version, listed, caller);
    if (outcome === "absent") throw absent(`There is no ${named.name} ${named.version}.`);
    return { name: id, version, listed };
  },
});

const TOMBSTONE = z
  .strictObject({
    id: z.string(),
    version: z.string(),
    sha256: z.string(),
    deletedAt: z.iso.datetime(),
    deletedBy: z.string(),
  })
  .meta({ id: "Tombstone", title: "A deleted version, whose number stays taken" });

/** A tombstone as the API and commands show it. */
export type ShownTombstone = z.output<typeof TOMBSTONE>;

const tombstones = defineAction({
  ...COMMON,
  id: "packages.tombstones",
  summary: "list permanently deleted versions",
  method: "GET",
  path: "/packages/nuget/{name}/tombstones",
  command: "package tombstones <name>",
  input: z.strictObject({ name: NAME }),
  output: z.strictObject({ items: z.array(TOMBSTONE) }),
  refusals: [],
  async run({ input: { name }, parts }) {
    const { packageId } = await import("./deprecations.ts");
    const { lifecycle } = (await parts.content()).nuget;
    return shown({ items: await lifecycle.tombstones(packageId(name)) });
  },
});

const allowReuse = defineAction({
  ...COMMON,
  id: "packages.allow-reuse",
  summary: "allow a deleted version to be pushed again",
  method: "DELETE",
  path: "/packages/nuget/{name}/tombstones/{version}",
  command: "package allow-reuse <name> <version>",
  input: z.strictObject({ name: NAME, version: VERSION }),
  output: z.strictObject({ name: z.string(), version: z.string() }),
  refusals: ["absent"],
  lasting: "change-packages",
  async run({ input, parts, caller }) {
    const { nugetVersion } = await import("./deprecations.ts");
    const { id, version } = nugetVersion(input);
    const { lifecycle } = (await parts.content()).nuget;
    if ((await lifecycle.allowReuse(id, version, caller)) === "allowed") {
      return { name: id, version };
    }
    throw absent(`No deleted version of ${input.name} has the number ${version}.`);
  },
});

/** Published versions. */
export const PACKAGE_ACTIONS = [
  deprecate,
  deprecateOfNpm,
  undeprecate,
  setListed,
  ...DELETION_ACTIONS,
  tombstones,
  allowReuse,
];
