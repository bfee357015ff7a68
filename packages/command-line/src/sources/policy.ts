import { randomUUID } from "node:crypto";
import { createRule, SEVERITIES } from "@sealhouse/upstream-sources";
import type { PolicyRule, RulePart } from "@sealhouse/upstream-sources";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";

export type RuleOptions = Json & {
  readonly protocol: string;
  readonly name: string;
  readonly versions?: string;
  readonly licenses?: readonly string[];
  readonly installScripts?: true;
  readonly severity?: string;
  readonly reason: string;
  readonly expires?: string;
};

/** The option of each part of a rule. */
const OPTIONS: Readonly<Record<RulePart, string>> = {
  protocol: "--protocol",
  pattern: "--name",
  versions: "--versions",
  installScripts: "--install-scripts",
  severity: "--severity",
  reason: "--reason",
  expires: "--expires",
};

export async function addRule(
  command: Command,
  effect: PolicyRule["effect"],
  { name: pattern, installScripts: hasInstallScripts, json, ...texts }: RuleOptions,
): Promise<number> {
  const caller = operator();
  const made = { id: randomUUID(), createdBy: caller.actor, now: new Date() };
  const outcome = createRule({ ...texts, effect, pattern, hasInstallScripts }, made);
  if (outcome.status === "refused") {
    throw new CommandError(`${OPTIONS[outcome.part]} ${outcome.words}`);
  }
  await using resources = await openFeed(command);
  await resources.database.upstream.rules.add(outcome.rule, caller);
  if (json) {
    command.stdout(JSON.stringify(shownRule(outcome.rule, made.now), undefined, 2));
    return 0;
  }
  command.stdout(outcome.rule.id);
  command.stderr(`Added the rule. Hosts follow within seconds.`);
  command.stderr(`To remove it: sealhouse policy remove ${outcome.rule.id}`);
  return 0;
}

export async function listRules(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const now = new Date();
  const rules = (await resources.database.upstream.rules.list()).map((rule) =>
    shownRule(rule, now),
  );
  if (json) command.stdout(JSON.stringify(rules, undefined, 2));
  else for (const rule of rules) command.stdout(lineOf(rule));
  if (!json && rules.length === 0) command.stderr("There are no rules: sealhouse policy deny");
  return 0;
}

export async function removeRule(command: Command, id: string): Promise<number> {
  await using resources = await openFeed(command);
  if ((await resources.database.upstream.rules.remove(id, operator())) === "absent") {
    throw new CommandError(`There is no rule "${id}": sealhouse policy list`);
  }
  command.stderr(`Removed the rule ${id}. Hosts follow within seconds.`);
  return 0;
}

/** A rule as commands show it. */
function shownRule({ conditions, createdAt, expiresAt, ...rule }: PolicyRule, now: Date) {
  const { licenses, hasInstallScripts, severity } = conditions;
  return {
    ...rule,
    ...(licenses && { licenses }),
    ...(hasInstallScripts && { installScripts: true }),
    ...(severity !== undefined && { severity: SEVERITIES[severity] }),
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString(), isExpired: expiresAt <= now }),
  };
}

function lineOf(rule: ReturnType<typeof shownRule>): string {
  const { id, effect, protocol, pattern, versions, licenses, installScripts, severity } = rule;
  const { reason, createdBy, expiresAt, isExpired } = rule;
  return [
    id,
    effect,
    protocol,
    pattern,
    ...(versions === "" ? [] : [versions]),
    ...(licenses ? [`licenses ${licenses.join(", ")}`] : []),
    ...(installScripts ? ["with install scripts"] : []),
    ...(severity === undefined ? [] : [`with advisories of severity ${severity} or more`]),
    `reason: ${reason}`,
    `by ${createdBy}`,
    ...(expiresAt === undefined ? [] : [`${isExpired ? "ended" : "until"} ${expiresAt}`]),
  ].join("  ");
}
