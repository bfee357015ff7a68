export type { Action, Asked, CommandForm, Ending } from "./action.ts";
export { GROUPS } from "./groups.ts";
export type { ActionGroup } from "./groups.ts";
export type { AdministrationParts, AdministrationRows } from "./parts.ts";
export { REFUSALS, RefusedActionError } from "./refusal.ts";
export type { ActionRefusal, RefusalReason } from "./refusal.ts";
export type { ShownAccount } from "./accounts/account-actions.ts";
export type { ShownRule } from "./rules/rule-actions.ts";
export type { ShownMember, ShownTeam } from "./teams/team-actions.ts";
export type { ShownNewToken, ShownToken } from "./tokens/shown-token.ts";
export type { RevokedTokens } from "./tokens/token-actions.ts";
export type { ShownUser } from "./users/user-actions.ts";
export { USER_ADVICE } from "./users/user-texts.ts";
export { JOB_DAYS, JOB_HELD_MS, KEPT_HOURS } from "./ports.ts";
export type {
  ActionJob,
  ActionJobs,
  EndOfJob,
  IdempotentAnswers,
  KeptAnswer,
  KeyedRequest,
} from "./ports.ts";
