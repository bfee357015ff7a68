import { randomUUID } from "node:crypto";
import { createRule, SEVERITIES } from "@sealhouse/upstream-sources";
import type { PolicyRule } from "@sealhouse/upstream-sources";
import { z } from "zod";
import { defineAction } from "../action.ts";
import type { Ending } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, invalidField } from "../refusal.ts";

const PROTOCOL = z.enum(["npm", "nuget", "oci"]);

const RULE = z
  .strictObject({
    id: z.uuid(),
    effect: z.enum(["deny", "allow"]),
    protocol: PROTOCOL,
    pattern: z.string(),
    versions: z.string(),
    licenses: z.array(z.string()).optional(),
    installScripts: z.literal(true).optional(),
    severity: z.enum(SEVERITIES).optional(),
    reason: z.string(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    isExpired: z.boolean().optional(),
  })
  .meta({ id: "Rule", title: "A rule about versions" });

/** A rule as the API and commands show it. */
export type ShownRule = z.output<typeof RULE>;

const LIST = "/administration/rules";
const CONDITIONS = "Further conditions";

const addRule = defineAction({
  id: "rules.add",
  summary: "add a rule that refuses versions, or an exception to such rules",
  scope: "rules:write",
  method: "POST",
  path: "/rules",
  command: [
    {
      words: "policy deny",
      summary: "refuse versions: in documents, tags and downloads",
      sets: { effect: "deny" },
    },
    {
      words: "policy allow",
      summary: "add an exception to the least age of versions and to rules that deny",
      sets: { effect: "allow" },
    },
  ],
  form: {
    page: `${LIST}/new`,
    button: "Add the rule",
    done: "The rule was added. This registry follows it now; other instances follow in seconds.",
    after: LIST,
  },
  input: z.strictObject({
    effect: field(
      z.enum(["deny", "allow"]),
      "Kind of rule",
      "Deny versions, or allow an exception, which comes before such rules and the minimum " +
        "release age.",
      { values: { deny: "Deny versions", allow: "Allow an exception" } },
    ),
    protocol: field(PROTOCOL, "Protocol", "The kind of package: npm, nuget or oci.", {
      option: "--protocol <protocol>",
    }),
    pattern: field(z.string().max(256), "Name", "A name or a pattern: left-pad, @acme/*, **.", {
      option: "--name <pattern>",
      example: "left-pad",
    }),
    versions: field(
      z.string().max(500).optional(),
      "Versions",
      "Such as 1.2.3 or <2.0.0; oci: a tag or a digest. Default: all.",
      { option: "--versions <range>", example: "<2.0.0" },
    ),
    licenses: field(
      z.array(z.string().max(200)).max(100).optional(),
      "Only with these licenses",
      "SPDX identifiers: GPL-*, AGPL-3.0-only.",
      { option: "--licenses <ids...>", group: CONDITIONS },
    ),
    installScripts: field(
      z.boolean().optional(),
      "Only with install scripts",
      "npm: only versions that run scripts at installation.",
      { group: CONDITIONS },
    ),
    severity: field(
      z.enum(SEVERITIES).optional(),
      "Only with an advisory",
      "Of this severity or higher: low, moderate, high or critical.",
      { option: "--severity <severity>", group: CONDITIONS },
    ),
    reason: field(
      z.string().max(500),
      "Reason",
      "For the people whose client is refused a version.",
      { option: "--reason <text>", example: "Contains malware" },
    ),
    expires: field(
      z.string().max(40).optional(),
      "Ends",
      "The date on which the rule ends: 2027-01-31 or 2027-01-31T12:00Z. Default: never.",
      { option: "--expires <date>" },
    ),
  }),
  output: RULE,
  refusals: [],
  lasting: "change-rules",
  async run({ input, parts, caller, now }) {
    const { installScripts, ...texts } = input;
    const made = { id: randomUUID(), createdBy: caller.actor, now };
    const hasInstallScripts = installScripts === true ? true : undefined;
    const outcome = createRule({ ...texts, hasInstallScripts }, made);
    if (outcome.status === "refused") throw invalidField(outcome.part, outcome.words);
    await (await parts.rows()).upstream.rules.add(outcome.rule, caller);
    return shownRule(outcome.rule, now);
  },
});

const listRules = defineAction({
  id: "rules.list",
  summary: "list all rules, oldest first",
  scope: "rules:write",
  method: "GET",
  path: "/rules",
  command: "policy list",
  form: { page: LIST },
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(RULE),
  refusals: [],
  async run({ input, parts, now }) {
    const rules = await (await parts.rows()).upstream.rules.list();
    const shown = rules.map((rule) => shownRule(rule, now));
    return pageOf(shown, input, ({ createdAt, id }) => `${createdAt} ${id}`);
  },
});

const ID = field(z.string().max(100), "Rule", "The id of the rule.");

const showRule = defineAction({
  id: "rules.show",
  summary: "show a rule",
  scope: "rules:write",
  method: "GET",
  path: "/rules/{id}",
  command: "policy show <id>",
  form: { page: LIST },
  input: z.strictObject({ id: ID }),
  output: RULE,
  refusals: ["absent"],
  volatile: ["isExpired"],
  async run({ input: { id }, parts, now }) {
    const rules = await (await parts.rows()).upstream.rules.list();
    const rule = rules.find((one) => one.id === id);
    if (!rule) throw noRule(id);
    return shownRule(rule, now);
  },
});

const removeRule = defineAction({
  id: "rules.remove",
  summary: "remove a rule",
  scope: "rules:write",
  method: "DELETE",
  path: "/rules/{id}",
  command: "policy remove <id>",
  form: {
    page: `${LIST}/{id}/remove`,
    button: "Remove the rule",
    done: "The rule was removed. This registry follows now; other instances follow in seconds.",
    after: LIST,
  },
  input: z.strictObject({ id: ID }),
  output: z.strictObject({ id: z.string() }),
  refusals: ["absent"],
  lasting: "change-rules",
  changes: "rules.show",
  async preview({ input: { id }, parts }) {
    const rules = await (await parts.rows()).upstream.rules.list();
    const rule = rules.find((one) => one.id === id);
    return rule && removalOf(rule);
  },
  async run({ input: { id }, parts, caller }) {
    const outcome = await (await parts.rows()).upstream.rules.remove(id, caller);
    if (outcome === "absent") throw noRule(id);
    return { id };
  },
});

/** Rules about versions that this registry refuses. */
export const RULE_ACTIONS = [addRule, listRules, showRule, removeRule];

const PROTOCOL_NAMES = { nuget: "NuGet", npm: "npm", oci: "Images" } as const;

/** The end of a rule: what it covers, and what clients get without it. */
function removalOf(rule: PolicyRule): Ending {
  const { effect, protocol, pattern, versions, reason, expiresAt } = rule;
  const covered = `${versions === "" ? "all versions" : `the versions ${versions}`} of ${pattern}`;
  const end = expiresAt ? ` until ${expiresAt.toISOString().slice(0, 16)}Z` : "";
  return {
    title: `Remove the rule about ${pattern}?`,
    ends: [
      `It ${effect === "deny" ? "denies" : "admits"} ${covered} (${PROTOCOL_NAMES[protocol]})` +
        `${conditionsOf(rule)}${end}. Reason: ${reason}`,
      effect === "deny"
        ? "Clients get these versions again, unless another rule refuses them."
        : "Other rules and the least age of sources apply to these versions again.",
    ],
    button: "Remove the rule",
  };
}

function conditionsOf({ conditions }: PolicyRule): string {
  const { licenses, hasInstallScripts, severity } = conditions;
  const texts = [
    ...(licenses ? [`with the licenses ${licenses.join(", ")}`] : []),
    ...(hasInstallScripts ? ["with install scripts"] : []),
    ...(severity === undefined ? [] : [`with advisories from ${SEVERITIES[severity]}`]),
  ];
  return texts.length > 0 ? `, only ${texts.join(" and ")}` : "";
}

function noRule(id: string) {
  return absent(`There is no rule "${id}": sealhouse policy list`);
}

function shownRule({ conditions, ...rule }: PolicyRule, now: Date): ShownRule {
  const { id, effect, protocol, pattern, versions, reason, createdBy, createdAt, expiresAt } = rule;
  const { licenses, hasInstallScripts, severity } = conditions;
  return {
    id,
    effect,
    protocol,
    pattern,
    versions,
    reason,
    createdBy,
    ...(licenses && { licenses: [...licenses] }),
    ...(hasInstallScripts && { installScripts: true }),
    ...(severity !== undefined && { severity: SEVERITIES[severity] }),
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString(), isExpired: expiresAt <= now }),
  };
}
