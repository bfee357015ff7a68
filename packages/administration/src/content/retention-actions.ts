import { z } from "zod";
import type { RetentionStep } from "@sealhouse/nuget-protocol";
import type { TagRetentionStep } from "@sealhouse/oci-distribution";
import { defineAction } from "../action.ts";
import { busy, conflict } from "../refusal.ts";
import { shown } from "../shown.ts";
import { MORE, namedFirst, outputRows } from "./rows.ts";

const COMMON = {
  scope: "storage:write",
  method: "POST",
  form: { page: "/administration/actions" },
  input: z.strictObject({}),
  refusals: ["busy", "conflict"],
  lasting: "delete-permanently",
  hasDryRun: true,
  isLong: true,
  hasLongDryRun: true,
} as const;

const VERSIONS = z
  .strictObject({
    dryRun: z.boolean(),
    action: z.enum(["Delete", "Unlist"]),
    packages: z.int(),
    candidates: z.int().describe("Versions that the rules select, and nothing needs."),
    removed: z.int(),
    versions: z.array(
      z.strictObject({
        id: z.string(),
        version: z.string(),
        publishedAt: z.iso.datetime(),
        downloadedAt: z.iso.datetime().optional(),
        reason: z.enum(["too-many", "too-old"]),
        outcome: z.enum(["planned", "deleted", "unlisted", "absent", "kept"]),
        isLast: z.literal(true).optional(),
        neededBy: z.string().optional(),
      }),
    ),
    more: MORE,
  })
  .meta({ id: "RetentionRun", title: "A run of retention" });

/** A run of retention as the API and commands show it. */
export type ShownRetention = z.output<typeof VERSIONS>;

const runRetention = defineAction({
  ...COMMON,
  id: "retention.run",
  summary: "list prereleases that the rules select, and delete or unlist them",
  path: "/retention/runs",
  command: "retention run",
  output: VERSIONS,
  dryRunDefault: ({ upkeep }) => upkeep.settings().retention.dryRun,
  ending: ({ action, candidates, versions }) => {
    const planned = versions.filter(({ outcome }) => outcome === "planned");
    const names = planned.map(({ id, version }) => `${id} ${version}`);
    const end = action === "Delete" ? "deleted permanently" : "unlisted";
    return {
      title: `${action} prereleases?`,
      ends: [namedFirst(candidates, "version", names), `They are ${end}.`],
      button: `${action} the prereleases`,
    };
  },
  async run({ parts: { upkeep }, caller, signal, isDryRun: dryRun }) {
    const { hasRule } = await import("@sealhouse/nuget-protocol/settings");
    const { applyRetention } = await import("@sealhouse/nuget-protocol");
    const { rules } = upkeep.settings().retention;
    if (!hasRule(rules)) {
      throw conflict(
        "There is no rule: set Retention__MaxPrereleaseVersionsPerPackage or " +
          "Retention__MaxPrereleaseAgeDays.",
      );
    }
    const { rows, add: onStep, more } = outputRows<RetentionStep>();
    const run = { rules, dryRun, caller, signal, onStep };
    const ended = await applyRetention(await upkeep.retention(), run);
    if (ended.status === "busy") throw busy("run of retention", ended);
    return { ...ended.result, versions: rows.map(shown), ...more() };
  },
});

const TAGS = z
  .strictObject({
    dryRun: z.boolean(),
    repositories: z.int(),
    candidates: z.int(),
    removed: z.int(),
    tags: z.array(
      z.strictObject({
        repository: z.string(),
        tag: z.string(),
        digest: z.string(),
        rule: z.string(),
        outcome: z.enum(["planned", "deleted", "kept"]),
        pushedAt: z.iso.datetime(),
        pulledAt: z.iso.datetime().optional(),
      }),
    ),
    more: MORE,
  })
  .meta({ id: "TagRetentionRun", title: "A run of the retention of tags" });

/** A run of the retention of tags as the API and commands show it. */
export type ShownTagRetention = z.output<typeof TAGS>;

const runTagRetention = defineAction({
  ...COMMON,
  id: "images.retain",
  summary: "list the tags that Feed__Oci__TagRules do not keep, and delete them",
  path: "/images/retention-runs",
  command: "oci retention",
  output: TAGS,
  dryRunDefault: ({ upkeep }) => upkeep.settings().ociTags.retention.dryRun,
  ending: ({ candidates, tags }) => ({
    title: "Delete tags?",
    ends: [
      namedFirst(
        candidates,
        "tag",
        tags.map(({ repository, tag }) => `${repository}:${tag}`),
      ),
      "Images without a tag go with the next collection of garbage.",
    ],
    button: "Delete the tags",
  }),
  async run({ parts: { upkeep }, caller, signal, isDryRun: dryRun }) {
    const { hasKeepRule } = await import("@sealhouse/oci-distribution/settings");
    const { applyTagRetention } = await import("@sealhouse/oci-distribution");
    const { rules } = upkeep.settings().ociTags;
    if (!hasKeepRule({ rules })) {
      throw conflict(
        "There is no rule: set Feed__Oci__TagRules__0__KeepNewest, __KeepPushedWithin or " +
          "__KeepPulledWithin.",
      );
    }
    const { rows, add: onStep, more } = outputRows<TagRetentionStep>();
    const run = { rules, dryRun, caller, signal, onStep };
    const ended = await applyTagRetention(await upkeep.tagRetention(), run);
    if (ended.status === "busy") throw busy("run of retention", ended);
    return { ...ended.result, tags: rows.map(shown), ...more() };
  },
});

/** The retention of NuGet prereleases. */
export const RETENTION_ACTIONS = [runRetention];

/** The retention of tags. */
export const TAG_RETENTION_ACTIONS = [runTagRetention];
