import type { PackageGroup, PublishTarget } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { stepsOf, STEP } from "../call-steps.ts";
import type { ShownStep } from "../call-steps.ts";
import { keyAfter, PAGE_FIELDS, pageFrom, pageSchema } from "../paging.ts";
import { absent, conflict } from "../refusal.ts";
import { LEND, loansOf, nameField, optionalText, textField } from "./fields.ts";
import { CONTENT, MODE, PROTOCOL, TARGET_INPUT, TARGET_PRESETS } from "./target-input.ts";

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
  lastSuccessAt: z.iso.datetime().optional().describe("The end of its last complete release."),
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

const LIST = "/administration/publish-targets";
const PAGE = `${LIST}/{name}`;
const COMMON = { scope: "targets:write", form: { page: PAGE } } as const;

export const addTarget = defineAction({
  ...COMMON,
  id: "targets.add",
  summary: "add a target",
  method: "POST",
  path: "/targets",
  command: "target add <name>",
  form: {
    page: `${LIST}/new`,
    button: "Add the target",
    done: "The target was added. Test it before the first release.",
    after: PAGE,
    presets: TARGET_PRESETS,
  },
  input: TARGET_INPUT,
  output: ADDED,
  refusals: ["exists"],
  lasting: "change-targets",
  // Calls into the network of the registry, and names of files on its machine.
  needsAdmin: ({ allowPrivateNetwork, caPath }) =>
    allowPrivateNetwork === true || caPath !== undefined,
  run: async (asked) => {
    const { added, warning } = await (await import("./add-target.ts")).addTarget(asked);
    return { ...shownTarget(added, () => []), ...(warning !== undefined && { warning }) };
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
  async run({ input, parts }) {
    const { targets, groups } = await parts.promotion();
    const users = usersIn(await groups.list());
    const first = keyAfter(input.after);
    const page = await pageFrom<PublishTarget>(
      input.limit,
      (last, limit) => targets.list({ after: last?.name ?? first, limit }),
      keyOf,
    );
    return { ...page, items: page.items.map((target) => shownTarget(target, users)) };
  },
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
    const { targets, groups } = await parts.promotion();
    const found = await targets.find(name);
    if (!found) throw noTarget(name);
    return shownTarget(found, usersIn(await groups.list()));
  },
  volatile: ["lastSuccessAt"],
});

const PROBE = z.strictObject({
  status: z.enum(["ready", "unproven", "refused", "failed", "unauthorized"]),
  words: z.string().describe("The question, and what the answer proves."),
});
const TESTED = z.strictObject({
  target: z.string(),
  probe: PROBE.optional(),
  steps: z.array(STEP).optional(),
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
  form: { page: `${PAGE}/test`, button: "Test the target" },
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
    const target = await promotion.targets.find(input.name);
    if (!target) throw noTarget(input.name);
    if (input.package !== undefined) {
      const { testPackage } = await import("./test-package.ts");
      const wanted = { text: input.package, loans: loansOf(input.lend) };
      const packages = await testPackage(promotion, target, wanted, signal);
      return { target: target.name, packages: [...packages] };
    }
    const { repository } = input;
    const place = repository === undefined ? {} : { repository };
    const steps = stepsOf(target.endpoint, await promotion.reach(target, signal));
    const failed = steps.find(({ outcome }) => outcome === "failed");
    if (failed) {
      const probe = { status: "failed", words: failed.words } as const;
      return { target: target.name, probe, steps: [...steps] };
    }
    const probe = await promotion.probe(target, place, signal);
    return { target: target.name, probe, steps: [...steps, stepOf(probe)] };
  },
});

function stepOf({ status, words }: z.output<typeof PROBE>): ShownStep {
  const outcome = status === "ready" ? "works" : status === "unproven" ? status : "failed";
  return { step: "credentials", outcome, words };
}

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
  form: { page: `${PAGE}/pause`, button: "Pause the target", done: "The target is paused." },
  input: z.strictObject({
    name: nameField("Target"),
    reason: textField(500, "Reason", "Why, for the people who wait."),
  }),
  output: SWITCHED,
  async run({ input: { name, reason }, parts, caller }) {
    const { targets } = await parts.promotion();
    if (!(await targets.find(name))) throw noTarget(name);
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
  form: { page: `${PAGE}/resume`, button: "Resume the target", done: "The target is in use." },
  input: z.strictObject({ name: nameField("Target") }),
  output: SWITCHED,
  async run({ input: { name }, parts, caller }) {
    const { targets } = await parts.promotion();
    if (!(await targets.find(name))) throw noTarget(name);
    return { name, isChanged: await targets.resume(name, caller) };
  },
});

const replaceToken = defineAction({
  ...CHANGE,
  id: "targets.replace-token",
  summary: "store another token for a target, with the same address and options",
  method: "PUT",
  path: "/targets/{name}/token",
  command: "target token <name>",
  form: { page: `${PAGE}/token`, button: "Replace the token", done: "The token was replaced." },
  refusals: ["absent", "conflict"],
  input: z.strictObject({
    name: nameField("Target"),
    token: textField(20_000, "Token", "The new token, key or password.", {
      option: "--token-env <variable>",
      isSecret: true,
    }),
    username: optionalText(255, "User name", "Where the registry wants one with the token."),
    expires: optionalText(40, "Token expires", "Date on which the token expires: 2027-01-31.", {
      option: "--expires <date>",
      isDate: true,
    }),
  }),
  output: TARGET,
  run: async (asked) => {
    const { replaceToken: replace } = await import("./add-target.ts");
    const { groups } = await asked.parts.promotion();
    return shownTarget(await replace(asked), usersIn(await groups.list()));
  },
});

const removeTarget = defineAction({
  ...CHANGE,
  id: "targets.remove",
  summary: "remove a target that no group uses",
  method: "DELETE",
  path: "/targets/{name}",
  command: "target remove <name>",
  form: {
    page: `${PAGE}/remove`,
    button: "Remove the target",
    done: "The target was removed.",
    after: LIST,
  },
  refusals: ["absent", "conflict"],
  input: z.strictObject({ name: nameField("Target") }),
  output: z.strictObject({ name: z.string() }),
  async preview({ input, parts }) {
    const target = await (await parts.promotion()).targets.find(input.name);
    if (!target) return undefined;
    const { name, endpoint } = target;
    return {
      title: `Remove the target ${name}?`,
      ends: [
        `Nothing more is published to ${endpoint.origin}, and its stored token is deleted.`,
        "Past releases stay in the history. What was published there stays there.",
      ],
      button: "Remove the target",
    };
  },
  async run({ input: { name }, parts, caller }) {
    const outcome = await (await parts.promotion()).targets.remove(name, caller);
    if (outcome === "absent") throw noTarget(name);
    if (outcome === "running") {
      throw conflict(`A release to ${name} runs. Wait for its end: sealhouse release list`);
    }
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
  replaceToken,
  removeTarget,
];

const keyOf = ({ name }: { readonly name: string }) => name.toLowerCase();

/** The names of the groups that use a target. */
type Users = (target: PublishTarget) => string[];

function usersIn(groups: readonly PackageGroup[]): Users {
  const byTarget = new Map<string, string[]>();
  for (const { name, targets } of groups) {
    for (const target of new Set(targets.map((one) => one.toLowerCase()))) {
      byTarget.set(target, [...(byTarget.get(target) ?? []), name]);
    }
  }
  return (target) => byTarget.get(keyOf(target)) ?? [];
}

function noTarget(name: string) {
  return absent(`There is no target "${name}": sealhouse target list`);
}

function shownTarget(target: PublishTarget, users: Users): ShownTarget {
  const { name, protocol, endpoint, expiresAt, pause, options, lastSuccessAt } = target;
  return {
    name,
    protocol,
    endpoint: endpoint.href,
    credentials: credentialsWord(target),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(pause && { pausedAt: pause.at.toISOString(), pauseReason: pause.reason }),
    ...(lastSuccessAt && { lastSuccessAt: lastSuccessAt.toISOString() }),
    options: { ...options, allowedOrigins: [...options.allowedOrigins] },
    usedBy: users(target),
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
