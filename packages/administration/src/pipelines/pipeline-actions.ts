import { randomUUID } from "node:crypto";
import {
  newPolicy,
  POLICY_LIFE_S,
  POLICY_PROVIDERS,
  POLICY_STATES,
  PROTOCOLS,
  readPolicy,
} from "@sealhouse/identity";
import type { PolicyClaim, PolicyTextProblem, PublishPolicy } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import type { NameRows } from "../names/parts.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, invalidField, RefusedActionError } from "../refusal.ts";

const SCOPE = "tokens:write";
const ON_PAGE = { page: "/manage/{protocol}/{name}" };
const MINUTES = { least: POLICY_LIFE_S.least / 60, most: POLICY_LIFE_S.most / 60 };

const PIPELINE = z
  .strictObject({
    id: z.string(),
    provider: z.enum(POLICY_PROVIDERS),
    issuer: z.string(),
    claims: z.record(
      z.string(),
      z.union([z.string(), z.array(z.string()), z.strictObject({ file: z.string() })]),
    ),
    ownerId: z.string().optional(),
    makerId: z.string().optional(),
    protocols: z.array(z.enum(PROTOCOLS)),
    patterns: z.array(z.string()),
    scopes: z.array(z.string()),
    lifeSeconds: z.int(),
    mayCreate: z.boolean(),
    events: z.array(z.string()),
    fixedAudience: z.string().optional(),
    state: z.enum(POLICY_STATES),
    pinned: z.record(z.string(), z.string()).optional(),
    owner: z.string().optional(),
    isMakerGone: z.boolean().optional(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    usedAt: z.iso.datetime().optional(),
    pinEndsAt: z.iso.datetime().optional(),
  })
  .meta({ id: "Pipeline", title: "Build jobs that publish with ID tokens" });

/** A pipeline as the API and commands show it. */
export type ShownPipeline = z.output<typeof PIPELINE>;

const text = (label: string, help: string, option: string) =>
  field(z.string().max(1_000).optional(), label, help, { option });

const addPipeline = defineAction({
  id: "pipelines.add",
  summary: "let build jobs publish names: Acme.* @acme/widgets team/app/**",
  scope: SCOPE,
  method: "POST",
  path: "/pipelines",
  command: "pipeline add <names...>",
  form: ON_PAGE,
  input: z.strictObject({
    names: field(z.array(z.string().max(300)).min(1).max(100), "Names", "Names and patterns."),
    provider: field(
      z.string().max(40),
      "Provider",
      "github, gitlab, azure-devops, circleci, kubernetes or oidc (any issuer with discovery).",
      { option: "--provider <provider>" },
    ),
    protocols: field(z.string().max(40), "Protocols", "nuget, npm, oci.", {
      option: "--protocols <protocols>",
    }),
    issuer: text(
      "Issuer",
      "The claim iss. Default: the configured one of the provider.",
      "--issuer <url>",
    ),
    repo: text("Repository", "GitHub repository or GitLab project: acme/widgets.", "--repo <path>"),
    repoId: text("Its number", "Default: that of the first ID token.", "--repo-id <id>"),
    ownerId: text(
      "Number of its owner",
      "Or of its namespace. Default: that of the first ID token.",
      "--owner-id <id>",
    ),
    file: text("File", "Workflow or pipeline file: publish.yml.", "--file <name>"),
    environment: text("Environment", "Only jobs of this environment.", "--environment <name>"),
    reusable: text(
      "Reusable workflow",
      "Workflow of another repository: acme/ci/.github/workflows/x.yml.",
      "--reusable <path>",
    ),
    claim: field(
      z.array(z.string().max(1_000)).max(50).optional(),
      "Claims",
      'Further claims: name=value; nested: \'["a","b"]=value\'.',
      { option: "--claim <claims...>" },
    ),
    event: field(
      z.array(z.string().max(100)).max(20).optional(),
      "Events",
      "Accept pull_request_target or workflow_run, too.",
      { option: "--event <events...>" },
    ),
    scopes: text(
      "Scopes",
      "read, stage, publish, write. Default: publish; images: write.",
      "--scopes <scopes>",
    ),
    life: field(
      z
        .int()
        .min(MINUTES.least)
        .max(MINUTES.most)
        .default(POLICY_LIFE_S.otherwise / 60),
      "Minutes",
      "Minutes that a token is valid, up to 60.",
      { option: "--life <minutes>" },
    ),
    mayCreate: field(z.boolean().optional(), "New names", "Publish names that do not exist yet."),
    fixedAudience: field(
      z.boolean().optional(),
      "Fixed audience",
      "Accept the audience that Azure DevOps fixes.",
    ),
    for: text("For", "The user or team that the jobs publish for.", "--for <handle>"),
  }),
  output: PIPELINE,
  refusals: ["absent"],
  lasting: "add-trust",
  async run({ input, parts, caller, now }) {
    const { for: handle, life, ...texts } = input;
    const outcome = readPolicy({ ...texts, life: String(life) }, parts.policyTrust());
    if (outcome.status === "refused") throw refusedTexts(outcome.problems);
    const { policies } = await parts.names();
    const ownerId = handle === undefined ? undefined : await ownerNamed(policies, handle);
    const making = { id: randomUUID(), createdAt: now, createdBy: caller.actor };
    const ofOwner = ownerId !== undefined && { ownerId };
    const policy = newPolicy(outcome.policy, { ...making, ...ofOwner });
    await policies.add(policy, caller);
    return shownPipeline(policy);
  },
});

const listPipelines = defineAction({
  id: "pipelines.list",
  summary: "list build jobs that may publish, also those of npm trust",
  scope: SCOPE,
  method: "GET",
  path: "/pipelines",
  command: "pipeline list",
  form: ON_PAGE,
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(PIPELINE),
  refusals: [],
  async run({ input, parts }) {
    const { policies } = await parts.names();
    const shown = (await policies.list()).map(shownPipeline);
    return pageOf(shown, input, ({ createdAt, id }) => `${createdAt} ${id}`);
  },
});

const ID = field(
  z.string().min(1).max(64),
  "Pipeline",
  "The id of the pipeline, or how it begins.",
);

const showPipeline = defineAction({
  id: "pipelines.show",
  summary: "print one with its claims",
  scope: SCOPE,
  method: "GET",
  path: "/pipelines/{id}",
  command: "pipeline show <id>",
  form: ON_PAGE,
  input: z.strictObject({ id: ID }),
  output: PIPELINE,
  refusals: ["absent", "conflict"],
  volatile: ["usedAt"],
  async run({ input: { id }, parts }) {
    return shownPipeline(await findPipeline((await parts.names()).policies, id));
  },
});

const removePipeline = defineAction({
  id: "pipelines.remove",
  summary: "remove one and revoke its tokens",
  scope: SCOPE,
  method: "DELETE",
  path: "/pipelines/{id}",
  command: "pipeline remove <id>",
  form: ON_PAGE,
  input: z.strictObject({ id: ID }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "add-trust",
  changes: "pipelines.show",
  async run({ input, parts, caller }) {
    const { policies } = await parts.names();
    const { id } = await findPipeline(policies, input.id);
    await policies.remove(id, caller);
    return { id };
  },
});

/** Build jobs that publish with ID tokens. */
export const PIPELINE_ACTIONS = [addPipeline, listPipelines, showPipeline, removePipeline];

type PolicyRows = NameRows["policies"];

/** @throws RefusedActionError */
async function findPipeline(policies: PolicyRows, id: string): Promise<PublishPolicy> {
  const [policy, other] = (await policies.list()).filter((one) => one.id.startsWith(id));
  if (!policy) throw absent(`There is no pipeline ${id}: sealhouse pipeline list`);
  if (other) throw conflict(`Several pipelines begin with ${id}; write more of it.`);
  return policy;
}

/** @throws RefusedActionError */
async function ownerNamed(policies: PolicyRows, handle: string): Promise<string> {
  const id = await policies.ownerNamed(handle.toLowerCase());
  if (id === undefined) throw invalidField("for", `must be a user or team: there is no ${handle}`);
  return id;
}

function refusedTexts(problems: readonly PolicyTextProblem[]): RefusedActionError {
  const [{ field: name, words } = { words: "" }] = problems;
  if (name !== undefined) return invalidField(name, words);
  return new RefusedActionError("invalid", problems.map((problem) => problem.words).join("\n"));
}

function shownPipeline(policy: PublishPolicy): ShownPipeline {
  const { createdAt, usedAt, pinEndsAt, protocols, patterns, scopes, events, ...rest } = policy;
  const { claims, pinned, ...texts } = rest;
  return {
    ...texts,
    claims: Object.fromEntries(
      Object.entries(claims).map(([name, claim]) => [name, shownClaim(claim)]),
    ),
    protocols: [...protocols],
    patterns: [...patterns],
    scopes: [...scopes],
    events: [...events],
    ...(pinned && { pinned: { ...pinned } }),
    createdAt: createdAt.toISOString(),
    ...(usedAt && { usedAt: usedAt.toISOString() }),
    ...(pinEndsAt && { pinEndsAt: pinEndsAt.toISOString() }),
  };
}

function shownClaim(claim: PolicyClaim): ShownPipeline["claims"][string] {
  if (typeof claim === "string") return claim;
  return "file" in claim ? { file: claim.file } : [...claim];
}
