export type { ShownRecord } from "./audit/audit-actions.ts";
export type { Action, Asked, CommandForm, Ending } from "./action.ts";
export { GROUPS } from "./groups.ts";
export type { ActionGroup } from "./groups.ts";
export type { AdministrationParts, AdministrationRows } from "./parts.ts";
export { realDate } from "./real-date.ts";
export { timeIn } from "./times.ts";
export { REFUSALS, RefusedActionError } from "./refusal.ts";
export type { ActionRefusal, RefusalReason } from "./refusal.ts";
export type { ShownRule } from "./rules/rule-actions.ts";
export { JOB_DAYS, JOB_HELD_MS, KEPT_HOURS } from "./ports.ts";
export type {
  ActionJob,
  ActionJobs,
  EndOfJob,
  IdempotentAnswers,
  KeptAnswer,
  KeyedRequest,
} from "./ports.ts";
