import type { Hono } from "hono";
import { wordsIn } from "../kit/forms/posted-form.ts";
import { ruleEnding } from "./administration-endings.ts";
import { NEW_RULE, RULES } from "./administration-page.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { administratorForm, administratorPage } from "./administrator.ts";
import type { Administrator, LastingChange } from "./administrator.ts";
import type { AdministrationSources } from "./model.ts";
import { parseRuleForm } from "./rule-form.ts";
import { newRulePageResponse, ruleRemovalPath, rulesPageResponse } from "./rules-page.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

const NEW: LastingChange = {
  action: "change-rules",
  subject: (values) =>
    `add the rule ${wordsIn(values, "effect")} for ${wordsIn(values, "protocol")} ` +
    `${wordsIn(values, "pattern")} ${wordsIn(values, "versions")}`.trim(),
  backPath: RULES,
};

/** Adds the pages of rules about versions. */
export function addRuleRoutes(app: Hono, sources: AdministrationSources): void {
  const { policies } = sources;
  app.get(RULES, (c) =>
    administratorPage(sources, c, async (administrator) =>
      rulesPageResponse(administrator, await policies.list(), await sources.sources.list()),
    ),
  );
  app.get(NEW_RULE, (c) =>
    administratorPage(sources, c, (administrator) => {
      const values = new URLSearchParams({ effect: "deny", protocol: "npm" });
      return newRulePageResponse(administrator, { values, problems: [] });
    }),
  );
  app.post(NEW_RULE, (c) =>
    administratorForm(sources, { c, path: NEW_RULE, lasting: NEW }, (administrator, form) =>
      addedRule(sources, administrator, form),
    ),
  );
  app.post(`${RULES}/:id/remove`, (c) => {
    const id = c.req.param("id");
    const ruleOf = async () => (await policies.list()).find((one) => one.id === id);
    const lasting: LastingChange = {
      action: "change-rules",
      subject: async () => `remove the rule about ${(await ruleOf())?.pattern ?? id}`,
      backPath: RULES,
      ending: async () => {
        const rule = await ruleOf();
        return rule && ruleEnding(rule);
      },
    };
    const post = { c, path: ruleRemovalPath(id), lasting };
    return administratorForm(sources, post, async (admin, form) => {
      if (form.isExpired) return afterChange(admin.address, RULES, "expired");
      return afterChange(admin.address, RULES, await policies.remove(id, admin.caller));
    });
  });
}

async function addedRule(
  { policies, rules }: AdministrationSources,
  administrator: Administrator,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const { address, caller } = administrator;
  if (isExpired) return newRulePageResponse(administrator, { values, problems: [EXPIRED] });
  const outcome = parseRuleForm(values, { createdBy: caller.actor, now: rules.now() });
  if (outcome.status === "refused") {
    return newRulePageResponse(administrator, { values, problems: outcome.problems });
  }
  await policies.add(outcome.rule, caller);
  return afterChange(address, RULES, "added");
}
