import { randomUUID } from "node:crypto";
import { createRule, SEVERITIES } from "@sealhouse/upstream-sources";
import type { PolicyRule } from "@sealhouse/upstream-sources";
import type { FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { PROTOCOL_CHOICES } from "../kit/forms/form-fields.ts";

/** Fields of a new rule; their names are those of the parts of a rule. */
export const RULE_FIELDS: readonly FormField[] = [
  {
    name: "effect",
    label: "Kind of rule",
    kind: {
      choices: [
        { value: "deny", text: "Deny versions" },
        { value: "allow", text: "Allow an exception" },
      ],
    },
    help: "An exception comes before the minimum release age and before rules that deny.",
  },
  {
    name: "protocol",
    label: "Protocol",
    kind: { choices: PROTOCOL_CHOICES },
  },
  {
    name: "pattern",
    label: "Name",
    kind: "text",
    isRequired: true,
    lengthMax: 256,
    help: "A name or a pattern: left-pad, @acme/*, **.",
  },
  {
    name: "versions",
    label: "Versions",
    kind: "text",
    lengthMax: 500,
    help: "Empty: all. npm: <2.0.0. NuGet: 1.2.3 or [1.0,2.0). Images: a tag or a digest.",
  },
  {
    name: "reason",
    label: "Reason",
    kind: "text",
    isRequired: true,
    lengthMax: 500,
    help: "Shown to people whose client is refused a version, with the name of your token.",
  },
  {
    name: "expires",
    label: "Ends",
    kind: "text",
    lengthMax: 20,
    help: "A date or a time in UTC: 2027-01-31, 2027-01-31T12:00Z. Empty: never.",
  },
  {
    name: "licenses",
    label: "Only with these licenses",
    kind: "text",
    help: "SPDX identifiers, separated by commas: GPL-*, AGPL-3.0-only.",
  },
  {
    name: "severity",
    label: "Only with an advisory",
    kind: {
      choices: [
        { value: "", text: "With or without" },
        ...SEVERITIES.map((value) => ({ value, text: `Severity ${value} or higher` })),
      ],
    },
  },
  { name: "installScripts", label: "Only with install scripts (npm)", kind: "checkbox" },
];

/** Result of the form of a new rule. */
export type RuleFormOutcome =
  | { readonly status: "created"; readonly rule: PolicyRule }
  | { readonly status: "refused"; readonly problems: readonly FieldProblem[] };

/** Creates the rule of a form, as the command line does. */
export function parseRuleForm(
  form: FormValues,
  { createdBy, now }: { readonly createdBy: string; readonly now: Date },
): RuleFormOutcome {
  const text = (name: string) => {
    const value = form.get(name)?.trim() ?? "";
    return value === "" ? undefined : value;
  };
  const effect = text("effect");
  if (effect !== "deny" && effect !== "allow") {
    return refused("effect", "must be deny or allow");
  }
  const licenses = text("licenses");
  const texts = {
    effect,
    protocol: text("protocol") ?? "",
    pattern: text("pattern") ?? "",
    versions: text("versions"),
    licenses: licenses === undefined ? undefined : [licenses],
    hasInstallScripts: text("installScripts") === undefined ? undefined : true,
    severity: text("severity"),
    reason: form.get("reason") ?? "",
    expires: text("expires"),
  } as const;
  const outcome = createRule(texts, { id: randomUUID(), createdBy, now });
  if (outcome.status === "created") return outcome;
  return refused(outcome.part, outcome.words);
}

function refused(name: string, words: string): RuleFormOutcome {
  return { status: "refused", problems: [{ name, words }] };
}
