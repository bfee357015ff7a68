import { randomUUID } from "node:crypto";
import type { Database } from "@sealhouse/database";
import { newPolicy, policyEnd, policySubject } from "@sealhouse/identity";
import type { PublishPolicy } from "@sealhouse/identity";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { printableLine } from "../printable.ts";
import { policyIn } from "./pipeline-options.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { openRows } from "../open-feed.ts";

export async function addPipeline(
  command: Command,
  names: readonly string[],
  options: PipelineOptions,
): Promise<number> {
  const { config } = command.load();
  const wish = policyIn(names, options, config.feed.trustedPublishing);
  await using database = await openRows(command);
  const handle = options.for;
  const ownerId = handle === undefined ? undefined : await ownerNamed(database, handle);
  const createdAt = command.now?.() ?? new Date();
  const by = operator();
  const making = { id: randomUUID(), createdAt, createdBy: by.actor };
  const policy = newPolicy(wish, { ...making, ...(ownerId !== undefined && { ownerId }) });
  const { pinEndsAt } = policy;
  await database.policies.add(policy, by);
  if (options.json) command.stdout(JSON.stringify(shownPolicy(policy), undefined, 2));
  else {
    command.stderr("Added the pipeline. Its id:");
    command.stdout(policy.id);
    if (pinEndsAt) {
      command.stderr(
        `The first ID token fixes the ids of the repository or account. Without a use, the ` +
          `pipeline ends on ${pinEndsAt.toISOString().slice(0, 10)}.`,
      );
    }
  }
  return 0;
}

export async function listPipelines(command: Command, { json }: Json): Promise<number> {
  await using database = await openRows(command);
  const policies = await database.policies.list();
  if (json) command.stdout(JSON.stringify(policies.map(shownPolicy), undefined, 2));
  else for (const policy of policies) command.stdout(printableLine(lineOf(policy)));
  if (!json && policies.length === 0) {
    command.stderr("No build job may publish: sealhouse pipeline add");
  }
  return 0;
}

export async function showPipeline(command: Command, id: string): Promise<number> {
  await using database = await openRows(command);
  const policy = await findPolicy(database, id);
  command.stdout(JSON.stringify(shownPolicy(policy), undefined, 2));
  return 0;
}

export async function removePipeline(command: Command, id: string): Promise<number> {
  await using database = await openRows(command);
  const policy = await findPolicy(database, id);
  await database.policies.remove(policy.id, operator());
  command.stderr(`Removed the pipeline ${policy.id} and revoked its tokens.`);
  return 0;
}

async function findPolicy({ policies }: Database, id: string): Promise<PublishPolicy> {
  const [policy, other] = (await policies.list()).filter((one) => one.id.startsWith(id));
  if (!policy) throw new CommandError(`There is no pipeline ${id}: sealhouse pipeline list`);
  if (other) throw new CommandError(`Several pipelines begin with ${id}; write more of it.`);
  return policy;
}

async function ownerNamed({ policies }: Database, handle: string): Promise<string> {
  const id = await policies.ownerNamed(handle.toLowerCase());
  if (id === undefined) throw new CommandError(`--for: there is no user or team ${handle}`);
  return id;
}

function shownPolicy(policy: PublishPolicy) {
  const { createdAt, usedAt, pinEndsAt, ...rest } = policy;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    ...(usedAt && { usedAt: usedAt.toISOString() }),
    ...(pinEndsAt && { pinEndsAt: pinEndsAt.toISOString() }),
  };
}

const ENDED = { void: "void", maker: "maker gone", unused: "ended unused" } as const;

function lineOf(policy: PublishPolicy): string {
  const { id, provider, protocols, patterns, scopes, owner, usedAt, state } = policy;
  const end = policyEnd(policy, new Date());
  return [
    id,
    end === undefined ? state : ENDED[end],
    provider,
    policySubject(policy),
    `${protocols.join(",")}: ${patterns.join(" ")}`,
    scopes.join(","),
    ...(owner === undefined ? [] : [`for ${owner}`]),
    usedAt === undefined ? "never used" : `last used ${usedAt.toISOString()}`,
  ].join("  ");
}
