import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { openPepper } from "@sealhouse/identity";
import type { PolicyExchange, Revalidation } from "@sealhouse/identity";
import type { AnswerLeakReport } from "../../http/leaked-tokens.ts";
import { openAccessRules } from "./access-rules.ts";
import type { AccessParts, AccessRules } from "./access-rules.ts";
import { openLeakReports } from "./leaked-tokens.ts";
import { openPolicyExchange } from "./policy-exchange.ts";
import { openMembershipChecks } from "./revalidation.ts";
import { openSignIn } from "./sign-in.ts";
import type { HostSignIn } from "./sign-in.ts";

/** Who may do what, in all protocols and on the pages. Disposal writes last uses of tokens. */
export type Access = AsyncDisposable & {
  /** Key of the token hashes. */
  readonly pepper: string;
  readonly rules: AccessRules;
  /** Exchanges ID tokens of build jobs. */
  readonly exchange: PolicyExchange;
  readonly answerLeakReport: AnswerLeakReport;
  readonly revalidation: Revalidation;
  readonly signIn: HostSignIn;
};

/** Opens the access rules, the sign-in, and the checks of memberships. */
export async function openAccess(parts: AccessParts): Promise<Access> {
  const { config, resources, log, now } = parts;
  const { database } = resources;
  await using opened = new AsyncDisposableStack();
  const pepper = await openPepper(config.host.pepper);
  const revalidation = opened.use(await openMembershipChecks(parts));
  const exchange = openPolicyExchange({ config, database, pepper, log, now });
  const rules = openAccessRules(parts, { pepper, exchange, revalidation });
  opened.use(rules.authenticator);
  const { authenticator } = rules;
  const answerLeakReport = openLeakReports({ ...parts, database, authenticator, pepper });
  const signIn = openSignIn({ config, ...resources, rules, log, now });
  const owned = opened.move();
  return {
    pepper,
    rules,
    exchange,
    answerLeakReport,
    revalidation,
    signIn,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
