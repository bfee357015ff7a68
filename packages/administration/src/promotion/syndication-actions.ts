import type { Promotion, Release, Syndication, SyndicationSource } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Asked } from "../action.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, invalidField, RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";
import { flag, named, NAME_MAX, nameField, optionalText } from "./fields.ts";

const FROM = z.union([
  z.strictObject({ type: z.literal("group"), group: z.string() }),
  z.strictObject({
    type: z.literal("pattern"),
    protocol: z.enum(["nuget", "npm", "oci"]),
    pattern: z.string(),
  }),
]);
const PARTS = {
  name: z.string(),
  from: FROM,
  target: z.string(),
  isEnabled: z.boolean(),
  filter: z.strictObject({ prerelease: z.boolean(), version: z.string().optional() }),
};
const ADDED = z.strictObject(PARTS);
const SYNDICATION = z
  .strictObject({ ...PARTS, released: z.int(), failed: z.int(), waiting: z.int() })
  .meta({ id: "Syndication", title: "What is published after each upload" });

/** A syndication with its releases of each kind, as the API and commands show it. */
export type ShownSyndication = z.output<typeof SYNDICATION>;
/** A syndication that was added. */
export type AddedSyndication = z.output<typeof ADDED>;

/** Releases that a list or a replay looks at. */
const RELEASES_MAX = 1_000;

// It decides what leaves the registry without a further command.
const COMMON = { scope: "targets:write", form: { none: "Syndications have no page." } } as const;

const addSyndication = defineAction({
  ...COMMON,
  id: "syndications.add",
  summary: "publish uploads to a target from now on",
  method: "POST",
  path: "/syndications",
  command: "syndication add",
  input: z.strictObject({
    target: nameField("Target"),
    group: optionalText(NAME_MAX, "Group", "Names of the members of this group."),
    member: optionalText(600, "Member", "Names like these instead: npm:@acme/*, oci:team/**."),
    name: optionalText(NAME_MAX, "Name", "Name of the syndication (default: made of both)."),
    prerelease: flag(
      "Prereleases",
      "Publish prereleases, and tags of images that are not versions.",
    ),
    versionPattern: optionalText(255, "Version", "Only versions or tags like this: 2.*."),
    replace: flag("Replace", "Replace the syndication with this name."),
  }),
  output: ADDED,
  refusals: ["exists"],
  lasting: "change-targets",
  async run({ input, parts, caller }) {
    const promotion = await parts.promotion();
    const from = await sourceIn(promotion, input);
    const target = await targetOf(promotion, input.target);
    const name = await nameOf(input.name ?? defaultName(from, target));
    const { syndications } = promotion;
    if (named(await syndications.list(), name) && input.replace !== true) {
      const message = `There is a syndication "${name}" already. To replace it: --replace`;
      throw new RefusedActionError("exists", message);
    }
    const { prerelease = false, versionPattern: version } = input;
    const filter = { prerelease, ...(version !== undefined && { version }) };
    const syndication = { name, from, target, isEnabled: true, filter };
    await syndications.put(syndication, caller);
    return syndication;
  },
});

const listSyndications = defineAction({
  ...COMMON,
  id: "syndications.list",
  summary: "list syndications with their failed and waiting releases",
  method: "GET",
  path: "/syndications",
  command: "syndication list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(SYNDICATION),
  refusals: [],
  async run({ input, parts }) {
    const promotion = await parts.promotion();
    const all = await promotion.syndications.list();
    const { items, ...page } = pageOf(all, input, ({ name }) => name.toLowerCase());
    const counted: ShownSyndication[] = [];
    for (const one of items) counted.push(await withCounts(promotion, one));
    return { ...page, items: counted };
  },
});

const byName = z.strictObject({ name: nameField("Syndication") });

const showSyndication = defineAction({
  ...COMMON,
  id: "syndications.show",
  summary: "show a syndication with its failed and waiting releases",
  method: "GET",
  path: "/syndications/{name}",
  command: "syndication show <name>",
  input: byName,
  output: SYNDICATION,
  refusals: ["absent"],
  volatile: ["released", "failed", "waiting"],
  async run(asked) {
    const { promotion, found } = await find(asked);
    return withCounts(promotion, found);
  },
});

const SWITCHED = z.strictObject({ name: z.string(), isEnabled: z.boolean() });

/** A syndication that was paused or resumed. */
export type SwitchedSyndication = z.output<typeof SWITCHED>;

const CHANGE = {
  ...COMMON,
  input: byName,
  refusals: ["absent"],
  lasting: "change-targets",
  changes: "syndications.show",
} as const;

const pauseSyndication = defineAction({
  ...CHANGE,
  id: "syndications.pause",
  summary: "publish no further uploads",
  method: "POST",
  path: "/syndications/{name}/pause",
  command: "syndication pause <name>",
  output: SWITCHED,
  run: (asked) => enable(asked, false),
});

const resumeSyndication = defineAction({
  ...CHANGE,
  id: "syndications.resume",
  summary: "publish uploads again",
  method: "POST",
  path: "/syndications/{name}/resume",
  command: "syndication resume <name>",
  output: SWITCHED,
  run: (asked) => enable(asked, true),
});

const replaySyndication = defineAction({
  ...COMMON,
  id: "syndications.replay",
  summary: "try the failed releases of a syndication again, oldest first",
  scope: "releases:run",
  method: "POST",
  path: "/syndications/{name}/replay",
  command: "syndication replay <name>",
  isLong: true,
  input: byName,
  output: z.strictObject({ name: z.string(), releases: z.int() }),
  refusals: ["absent"],
  lasting: "run-releases",
  async run(asked) {
    const { promotion, found } = await find(asked);
    const { releases } = promotion;
    const own = await releases.list({ group: found.name, limit: RELEASES_MAX });
    const failed = own.filter(hasFailed).toReversed();
    for (const { id } of failed) {
      asked.signal.throwIfAborted();
      await releases.resume(id, asked.caller);
    }
    return { name: found.name, releases: failed.length };
  },
});

const removeSyndication = defineAction({
  ...CHANGE,
  id: "syndications.remove",
  summary: "remove a syndication; its releases stay in the history",
  method: "DELETE",
  path: "/syndications/{name}",
  command: "syndication remove <name>",
  output: z.strictObject({ name: z.string() }),
  async run({ input: { name }, parts, caller }) {
    const outcome = await (await parts.promotion()).syndications.remove(name, caller);
    if (outcome === "absent") throw noSyndication(name);
    return { name };
  },
});

/** Publishing to targets after each upload. */
export const SYNDICATION_ACTIONS = [
  addSyndication,
  listSyndications,
  showSyndication,
  pauseSyndication,
  resumeSyndication,
  replaySyndication,
  removeSyndication,
];

type Named = Pick<Asked<{ readonly name: string }>, "input" | "parts" | "caller">;

async function find({ input: { name }, parts }: Named) {
  const promotion = await parts.promotion();
  const found = named(await promotion.syndications.list(), name);
  if (!found) throw noSyndication(name);
  return { promotion, found };
}

async function enable(asked: Named, isEnabled: boolean): Promise<SwitchedSyndication> {
  const { promotion, found } = await find(asked);
  await promotion.syndications.put({ ...found, isEnabled }, asked.caller);
  return { name: found.name, isEnabled };
}

/** @throws RefusedActionError */
async function sourceIn(
  { groups }: Promotion,
  { group, member }: z.output<typeof addSyndication.input>,
): Promise<SyndicationSource> {
  if ((group === undefined) === (member === undefined)) {
    throw new RefusedActionError("invalid", "Give either --group or --member.");
  }
  if (group !== undefined) {
    const found = named(await groups.list(), group);
    if (found) return { type: "group", group: found.name };
    throw invalidField("group", `"${group}" does not exist: sealhouse group list`);
  }
  const { parseMember } = await import("@sealhouse/promotion");
  const parsed = parseMember(member ?? "", { type: "latest" });
  if (parsed) return { type: "pattern", protocol: parsed.protocol, pattern: parsed.pattern };
  throw invalidField("member", `must be a pattern, such as npm:@acme/*.`);
}

/** @throws RefusedActionError */
async function targetOf({ targets }: Promotion, name: string): Promise<string> {
  const { isLent } = await import("@sealhouse/promotion");
  const target = named(await targets.list(), name);
  if (!target) throw invalidField("target", `"${name}" does not exist: sealhouse target list`);
  if (!isLent(target)) return target.name;
  const words = "its releases need a key of a pipeline, which uploads do not have";
  throw invalidField("target", `${target.name} stores no key; ${words}`);
}

/** @throws RefusedActionError */
async function nameOf(name: string): Promise<string> {
  const { TARGET_NAME } = await import("@sealhouse/promotion");
  if (TARGET_NAME.test(name)) return name;
  throw invalidField("name", `"${name}" is not a name of up to 64 letters, digits and . _ -`);
}

function defaultName(from: SyndicationSource, target: string): string {
  const source = from.type === "group" ? from.group : `${from.protocol}-${from.pattern}`;
  return `${source}-to-${target}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, NAME_MAX);
}

async function withCounts(
  { releases }: Promotion,
  syndication: Syndication,
): Promise<ShownSyndication> {
  const own = await releases.list({ group: syndication.name, limit: RELEASES_MAX });
  const count = (isCounted: (release: Release) => boolean) => own.filter(isCounted).length;
  return shown({
    ...syndication,
    released: count(({ state }) => state === "released"),
    failed: count(hasFailed),
    waiting: count(({ endedAt }) => endedAt === undefined),
  });
}

function hasFailed({ state }: Release): boolean {
  return state === "failed" || state === "rolled-back";
}

function noSyndication(name: string): RefusedActionError {
  return absent(`There is no syndication "${name}": sealhouse syndication list`);
}
