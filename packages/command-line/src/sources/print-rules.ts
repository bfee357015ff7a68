import type { ShownRule } from "@sealhouse/administration";
import { printOf } from "../action-print.ts";

/** Prints rules about versions. */
export const RULE_PRINTS = {
  "rules.add": printOf<ShownRule>({
    text({ id }, { stdout, stderr }) {
      stdout(id);
      stderr(`Added the rule. Hosts follow within seconds.`);
      stderr(`To remove it: sealhouse policy remove ${id}`);
    },
  }),
  "rules.list": printOf<{ readonly items: readonly ShownRule[] }>({
    text({ items }, { stdout, stderr }) {
      for (const rule of items) stdout(lineOf(rule));
      if (items.length === 0) stderr("There are no rules: sealhouse policy deny");
    },
  }),
  "rules.show": printOf<ShownRule>({
    text: (rule, { stdout }) => stdout(lineOf(rule)),
  }),
  "rules.remove": printOf<{ readonly id: string }>({
    text: ({ id }, { stderr }) => stderr(`Removed the rule ${id}. Hosts follow within seconds.`),
  }),
};

function lineOf(rule: ShownRule): string {
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
