import type { Promotion, StoredRelease } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageSchema } from "../paging.ts";
import { absent, conflict, RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";
import { noGroup } from "./group-actions.ts";
import {
  flag,
  LEND,
  loansOf,
  named,
  NAME_MAX,
  nameField,
  ONLY_TARGETS,
  optionalText,
  textField,
} from "./fields.ts";
import { plannedEnding, undoEnding } from "./release-endings.ts";
import { listedReleases } from "./release-pages.ts";
import { LISTED_RELEASE, PROMOTED, RELEASE, RUN, STATEMENT } from "./release-schemas.ts";
import type { ReleaseRun } from "./release-schemas.ts";

const LIST = "/administration/releases";
const PAGE = `${LIST}/{id}`;
const GROUP = "/administration/package-groups/{group}";
const COMMON = { scope: "releases:run", form: { page: PAGE } } as const;

/** Characters of the id of a release, a UUID. */
const ID_MAX = 36;
const idField = (label = "Release") => textField(ID_MAX, label, "The id of the release.");

const promote = defineAction({
  ...COMMON,
  id: "releases.promote",
  summary: "release a group to its targets, all or nothing",
  method: "POST",
  path: "/groups/{group}/releases",
  command: "promote <group>",
  form: {
    page: `${GROUP}/release`,
    button: "Release the group",
    done: "The release begins.",
    after: GROUP,
  },
  hasDryRun: true,
  isLong: true,
  input: z.strictObject({
    group: nameField("Group"),
    targets: ONLY_TARGETS,
    lend: LEND,
    key: field(
      z.string().min(1).max(128).optional(),
      "Key",
      "A repeated call with this key continues the release of the first.",
    ),
    verify: flag("Verify", "Images: look for every layer at the targets, not only for new ones."),
    wait: field(
      z.boolean().default(true),
      "Wait",
      "False: do not wait for a target that shows packages later.",
      { option: "--no-wait" },
    ),
  }),
  output: PROMOTED,
  refusals: ["absent", "busy", "conflict"],
  lasting: "run-releases",
  ending: ({ plan = [] }) => plannedEnding(plan),
  async run(asked) {
    const { input, parts, caller, signal, isDryRun } = asked;
    const { group, targets, key, verify: verifies = false, wait: isWaiting } = input;
    const promotion = await parts.promotion();
    if (!named(await promotion.groups.list(), group)) throw noGroup(group);
    const request = { group, targets, key, verifies, loans: loansOf(input.lend) };
    if (isDryRun) {
      const plan = await promotion.plan(request, signal);
      if (plan.status === "refused") throw conflict(plan.reason);
      return { plan: shown({ items: plan.items }).items };
    }
    const opened = await promotion.promote(request, caller);
    if (opened.status === "absent") throw conflict(opened.reason);
    if (opened.status === "busy") throw busy(group, opened.id);
    const { id } = opened.release;
    asked.report?.(`release ${id}`);
    return finish(promotion, { id, isWaiting }, asked);
  },
});

export const listReleases = defineAction({
  ...COMMON,
  id: "releases.list",
  summary: "list releases, newest first",
  method: "GET",
  path: "/releases",
  command: "release list",
  form: { page: LIST },
  input: z.strictObject({
    ...PAGE_FIELDS,
    group: optionalText(NAME_MAX, "Group", "Only of this group."),
    limit: field(
      z.int().min(1).max(1_000).default(50),
      "Limit",
      "Maximum number of releases, up to 1000.",
    ),
  }),
  output: pageSchema(LISTED_RELEASE),
  refusals: [],
  run: async ({ input, parts }) => listedReleases((await parts.promotion()).releases, input),
});

const showRelease = defineAction({
  ...COMMON,
  id: "releases.show",
  summary: "print a release with the state of each member at each target",
  method: "GET",
  path: "/releases/{id}",
  command: "release show <id>",
  input: z.strictObject({ id: idField() }),
  output: RELEASE,
  refusals: ["absent"],
  // A running release changes by itself. `attemptsSince` changes when an operator continues or
  // undoes it.
  volatile: ["state", "items", "frozenAt", "endedAt", "nextAt", "reason"],
  run: async ({ input: { id }, parts }) => shown(await findRelease(await parts.promotion(), id)),
});

const DIFFERENCE = z.strictObject({
  name: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
});

/** A member in which two releases differ. */
export type Difference = z.output<typeof DIFFERENCE>;

const diffReleases = defineAction({
  ...COMMON,
  id: "releases.diff",
  summary: "print the members in which two releases differ",
  method: "GET",
  path: "/releases/{from}/diff/{to}",
  command: "release diff <from> <to>",
  form: { page: `${LIST}/{from}/diff/{to}` },
  input: z.strictObject({ from: idField("From"), to: idField("To") }),
  output: z.strictObject({ items: z.array(DIFFERENCE) }),
  refusals: ["absent"],
  async run({ input: { from, to }, parts }) {
    const promotion = await parts.promotion();
    const before = await versionsOf(await findRelease(promotion, from));
    const after = await versionsOf(await findRelease(promotion, to));
    const names = [...new Set([...before.keys(), ...after.keys()])];
    const changed = names.filter((name) => before.get(name) !== after.get(name));
    return shown({
      items: changed.map((name) => ({ name, from: before.get(name), to: after.get(name) })),
    });
  },
});

const CHANGE = {
  ...COMMON,
  method: "POST",
  isLong: true,
  refusals: ["absent", "conflict"],
  lasting: "run-releases",
  changes: "releases.show",
} as const;

const resumeRelease = defineAction({
  ...CHANGE,
  id: "releases.resume",
  summary: "continue a failed release",
  path: "/releases/{id}/resume",
  command: "release resume <id>",
  form: { page: `${PAGE}/resume`, button: "Continue", done: "The release continues." },
  input: z.strictObject({ id: idField(), lend: LEND }),
  output: RUN,
  async run(asked) {
    const { id, lend } = asked.input;
    const promotion = await asked.parts.promotion();
    await findRelease(promotion, id);
    // First, because the release is due at once.
    const problem = await promotion.lend(id, loansOf(lend));
    if (problem !== undefined) throw conflict(problem);
    const outcome = await promotion.releases.resume(id, asked.caller);
    if (outcome === "absent") throw noRelease(id);
    if (outcome === "ended") throw conflict(`The release ${id} has ended; start another.`);
    return finish(promotion, { id, isWaiting: true }, asked);
  },
});

const repeatRelease = defineAction({
  ...COMMON,
  id: "releases.repeat",
  summary: "release the same versions again, to the same targets or to others",
  method: "POST",
  path: "/releases/{id}/repeat",
  command: "release repeat <id>",
  form: { page: `${PAGE}/repeat`, button: "Release again", done: "Another release begins." },
  isLong: true,
  input: z.strictObject({
    id: idField(),
    targets: ONLY_TARGETS,
    lend: LEND,
  }),
  output: RUN,
  refusals: ["absent", "busy", "conflict"],
  lasting: "run-releases",
  async run(asked) {
    const { id, targets, lend } = asked.input;
    const promotion = await asked.parts.promotion();
    const { group } = await findRelease(promotion, id);
    const loans = loansOf(lend);
    const opened = await promotion.repeat(id, { targets, loans }, asked.caller);
    if (opened.status === "absent") throw conflict(opened.reason);
    if (opened.status === "busy") throw busy(group, opened.id);
    return finish(promotion, { id: opened.release.id, isWaiting: true }, asked);
  },
});

const rollBackRelease = defineAction({
  ...CHANGE,
  id: "releases.rollback",
  summary: "take back a release that runs and can still be undone",
  path: "/releases/{id}/rollback",
  command: "release rollback <id>",
  form: { page: `${PAGE}/undo`, button: "Undo the release", done: "The release is taken back." },
  input: z.strictObject({
    id: idField(),
    reason: field(
      z.string().max(500).default("An operator took it back."),
      "Reason",
      "Why, for the audit log.",
      { option: "--reason <text>" },
    ),
  }),
  output: RUN,
  async preview({ input, parts }) {
    const release = await (await parts.promotion()).releases.find(input.id);
    return release && undoEnding(release);
  },
  async run(asked) {
    const { id, reason } = asked.input;
    const promotion = await asked.parts.promotion();
    const outcome = await promotion.releases.cancel(id, reason, asked.caller);
    switch (outcome) {
      case "absent":
        throw noRelease(id);
      case "ended":
        throw conflict(`The release ${id} has ended, and cannot be taken back as a whole.`);
      case "forward":
        throw conflict(
          `The release ${id} has published what cannot be taken back: ` +
            `sealhouse release resume ${id}`,
        );
      case "cancelled":
        return finish(promotion, { id, isWaiting: true }, asked);
    }
  },
});

const EXPORTED = z.strictObject({
  id: z.string(),
  statement: STATEMENT,
  outcome: STATEMENT.optional().describe("Absent: the release has not ended."),
});

/** The signed statements of a release. */
export type ExportedRelease = z.output<typeof EXPORTED>;

const exportRelease = defineAction({
  ...COMMON,
  id: "releases.export",
  summary: "show the signed statement of a release, and that of its end",
  method: "GET",
  path: "/releases/{id}/statement",
  command: [
    {
      words: "release export <id>",
      summary: "write the signed statement, for cosign and openssl",
      sets: {},
    },
    {
      // A registry cannot prove its own statement: the command checks it with its file.
      words: "release verify <id>",
      summary: "check the signed statement with a key that you trust",
      sets: {},
      print: "releases.verify",
    },
  ],
  input: z.strictObject({ id: idField() }),
  output: EXPORTED,
  refusals: ["absent"],
  async run({ input: { id }, parts }) {
    const { statements } = await parts.promotion();
    const statement = await statements.find(id);
    if (!statement) throw absent(`The release ${id} does not exist, or has no statement yet.`);
    const outcome = await statements.outcome(id);
    return { id, statement, ...(outcome && { outcome }) };
  },
});

/** Versions that go to targets together. */
export const RELEASE_ACTIONS = [
  promote,
  listReleases,
  showRelease,
  diffReleases,
  resumeRelease,
  repeatRelease,
  rollBackRelease,
  exportRelease,
];

async function finish(
  promotion: Promotion,
  release: { readonly id: string; readonly isWaiting: boolean },
  asked: Pick<Asked<unknown>, "signal" | "report">,
): Promise<ReleaseRun> {
  const { finishRelease } = await import("./finish-release.ts");
  return finishRelease(promotion, release, asked);
}

async function findRelease({ releases }: Promotion, id: string): Promise<StoredRelease> {
  const release = await releases.find(id);
  if (!release) throw noRelease(id);
  return release;
}

async function versionsOf({ items }: StoredRelease): Promise<ReadonlyMap<string, string>> {
  const { membersOf } = await import("@sealhouse/promotion");
  return new Map(
    membersOf(items).map(({ protocol, name, version }) => [`${protocol}:${name}`, version]),
  );
}

function noRelease(id: string): RefusedActionError {
  return absent(`There is no release "${id}": sealhouse release list`);
}

function busy(group: string, id: string): RefusedActionError {
  const message = `Another release of ${group} runs: sealhouse release show ${id}`;
  return new RefusedActionError("busy", message);
}
