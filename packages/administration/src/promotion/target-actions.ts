import type { Promotion, PublishTarget } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict } from "../refusal.ts";
import { LEND, loansOf, named, nameField, optionalText, textField } from "./fields.ts";
import { CONTENT, MODE, PROTOCOL, TARGET_INPUT } from "./target-input.ts";

const PARTS = {
  name: z.string(),
  protocol: PROTOCOL,
  endpoint: z.string(),
  credentials: z
    .enum(["none", "api-key", "bearer", "basic", "lent key", "lent id-token", "lost"])
    .describe("lost: the key ring cannot decrypt them."),
  expiresAt: z.iso.datetime().optional(),
  pausedAt: z.iso.datetime().optional(),
  pauseReason: z.string().optional(),
  options: z.strictObject({
    nugetContent: CONTENT,
    publish: MODE,
    attestations: z.boolean(),
    includeForeign: z.boolean(),
    immutableTags: z.boolean(),
    allowedOrigins: z.array(z.string()),
    allowPrivateNetwork: z.boolean(),
    caPath: z.string().optional(),
  }),
  usedBy: z.array(z.string()).describe("Groups whose releases go there."),
};
const TARGET = z.strictObject(PARTS).meta({ id: "Target", title: "A registry to publish to" });
const ADDED = z.strictObject({
  ...PARTS,
  warning: z.string().optional().describe("The target does not answer."),
});

/** A target without its secret, as the API and commands show it. */
export type ShownTarget = z.output<typeof TARGET>;
/** A target that was added, and a warning when it does not answer. */
export type AddedTarget = z.output<typeof ADDED>;

const NO_PAGE = { none: "Targets have no page." };
const COMMON = { scope: "targets:write", form: NO_PAGE } as const;

export const addTarget = defineAction({
  ...COMMON,
  id: "targets.add",
  summary: "add a target",
  method: "POST",
  path: "/targets",
  command: "target add <name>",
  input: TARGET_INPUT,
  output: ADDED,
  refusals: ["exists"],
  lasting: "change-targets",
  // Calls into the network of the registry, and names of files on its machine.
  needsAdmin: ({ allowPrivateNetwork, caPath }) =>
    allowPrivateNetwork === true || caPath !== undefined,
  run: async (asked) => {
    const { added, warning } = await (await import("./add-target.ts")).addTarget(asked);
    return { ...shownTarget(added, []), ...(warning !== undefined && { warning }) };
  },
});

const listTargets = defineAction({
  ...COMMON,
  id: "targets.list",
  summary: "list targets and the groups that use them, without secrets",
  method: "GET",
  path: "/targets",
  command: "target list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(TARGET),
  refusals: [],
  run: async ({ input, parts }) => pageOf(await allTargets(await parts.promotion()), input, keyOf),
});

const showTarget = defineAction({
  ...COMMON,
  id: "targets.show",
  summary: "show a target and the groups that use it, without secrets",
  method: "GET",
  path: "/targets/{name}",
  command: "target show <name>",
  input: z.strictObject({ name: nameField("Target") }),
  output: TARGET,
  refusals: ["absent"],
  async run({ input: { name }, parts }) {
    const found = named(await allTargets(await parts.promotion()), name);
    if (!found) throw noTarget(name);
    return found;
  },
});

const PROBE = z.strictObject({
  status: z.enum(["ready", "unproven", "refused", "failed", "unauthorized"]),
  words: z.string().describe("The question, and what the answer proves."),
});
const TESTED = z.strictObject({
  target: z.string(),
  probe: PROBE.optional(),
  packages: z.array(PROBE.extend({ member: z.string() })).optional(),
});

/** Answers of a target. */
export type TestedTarget = z.output<typeof TESTED>;

const testTarget = defineAction({
  ...COMMON,
  id: "targets.test",
  summary: "ask a target whether it would take packages; publishes nothing",
  method: "POST",
  path: "/targets/{name}/test",
  command: "target test <name>",
  isLong: true,
  changesNothing: true,
  input: z.strictObject({
    name: nameField("Target"),
    repository: optionalText(
      255,
      "Repository",
      "Images: the repository in which an upload is begun and abandoned.",
    ),
    package: optionalText(
      600,
      "Package",
      "Would it take this package: npm:@acme/bar, oci:team/app=exact:1.4.",
    ),
    lend: LEND,
  }),
  output: TESTED,
  refusals: ["absent", "conflict"],
  async run({ input, parts, signal }) {
    const promotion = await parts.promotion();
    const target = named(await promotion.targets.list(), input.name);
    if (!target) throw noTarget(input.name);
    if (input.package !== undefined) {
      const { testPackage } = await import("./test-package.ts");
      const wanted = { text: input.package, loans: loansOf(input.lend) };
      const packages = await testPackage(promotion, target, wanted, signal);
      return { target: target.name, packages: [...packages] };
    }
    const { repository } = input;
    const place = repository === undefined ? {} : { repository };
    return { target: target.name, probe: await promotion.probe(target, place, signal) };
  },
});

const SWITCHED = z.strictObject({
  name: z.string(),
  isChanged: z.boolean().describe("False: it was so already."),
});

/** A target that was paused or resumed. */
export type SwitchedTarget = z.output<typeof SWITCHED>;

const CHANGE = {
  ...COMMON,
  refusals: ["absent"],
  lasting: "change-targets",
  changes: "targets.show",
} as const;

const pauseTarget = defineAction({
  ...CHANGE,
  id: "targets.pause",
  summary: "send nothing to a target until it is resumed",
  method: "POST",
  path: "/targets/{name}/pause",
  command: "target pause <name>",
  input: z.strictObject({
    name: nameField("Target"),
    reason: textField(500, "Reason", "Why, for the people who wait."),
  }),
  output: SWITCHED,
  async run({ input: { name, reason }, parts, caller }) {
    const { targets } = await parts.promotion();
    if (!named(await targets.list(), name)) throw noTarget(name);
    return { name, isChanged: await targets.pause(name, reason, caller) };
  },
});

const resumeTarget = defineAction({
  ...CHANGE,
  id: "targets.resume",
  summary: "use a paused target again",
  method: "POST",
  path: "/targets/{name}/resume",
  command: "target resume <name>",
  input: z.strictObject({ name: nameField("Target") }),
  output: SWITCHED,
  async run({ input: { name }, parts, caller }) {
    const { targets } = await parts.promotion();
    if (!named(await targets.list(), name)) throw noTarget(name);
    return { name, isChanged: await targets.resume(name, caller) };
  },
});

const removeTarget = defineAction({
  ...CHANGE,
  id: "targets.remove",
  summary: "remove a target that no group uses",
  method: "DELETE",
  path: "/targets/{name}",
  command: "target remove <name>",
  refusals: ["absent", "conflict"],
  input: z.strictObject({ name: nameField("Target") }),
  output: z.strictObject({ name: z.string() }),
  async run({ input: { name }, parts, caller }) {
    const outcome = await (await parts.promotion()).targets.remove(name, caller);
    if (outcome === "absent") throw noTarget(name);
    if (outcome === "used") {
      throw conflict(`A group uses the target ${name}: sealhouse target list`);
    }
    return { name };
  },
});

/** Registries that packages are published to. */
export const TARGET_ACTIONS = [
  addTarget,
  listTargets,
  showTarget,
  testTarget,
  pauseTarget,
  resumeTarget,
  removeTarget,
];

const keyOf = ({ name }: { readonly name: string }) => name.toLowerCase();

async function allTargets({ targets, groups }: Promotion): Promise<readonly ShownTarget[]> {
  const allGroups = await groups.list();
  return (await targets.list()).map((target) => {
    const users = allGroups.filter((group) =>
      group.targets.some((used) => used.toLowerCase() === keyOf(target)),
    );
    return shownTarget(
      target,
      users.map(({ name }) => name),
    );
  });
}

function noTarget(name: string) {
  return absent(`There is no target "${name}": sealhouse target list`);
}

function shownTarget(target: PublishTarget, usedBy: readonly string[]): ShownTarget {
  const { name, protocol, endpoint, expiresAt, pause, options } = target;
  return {
    name,
    protocol,
    endpoint: endpoint.href,
    credentials: credentialsWord(target),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(pause && { pausedAt: pause.at.toISOString(), pauseReason: pause.reason }),
    options: { ...options, allowedOrigins: [...options.allowedOrigins] },
    usedBy: [...usedBy],
  };
}

function credentialsWord({
  credentials,
  hasLostCredentials,
}: PublishTarget): ShownTarget["credentials"] {
  if (hasLostCredentials) return "lost";
  if (credentials?.type === "lent") return `lent ${credentials.kind}`;
  return credentials?.type ?? "none";
}
