export type { ShownStep } from "./call-steps.ts";
export type { ShownRecord } from "./audit/audit-actions.ts";
export { namesOf } from "./action.ts";
export type { Action, ActionForm, Asked, CommandForm, Ending, FormPreset } from "./action.ts";
export type { ShownParked } from "./events/event-actions.ts";
export { GROUPS } from "./groups.ts";
export type { ActionGroup } from "./groups.ts";
export type { ShownMail, ShownTestMails } from "./mail/mail-actions.ts";
export type {
  AdoptedNames,
  GrantedLevel,
  ImportedOwners,
  RevokedOwner,
  ShownOwner,
  ShownRefusal,
} from "./names/owner-actions.ts";
export type {
  AddedReservation,
  RemovedReservations,
  ShownReservation,
} from "./names/reservation-actions.ts";
export type { DecidedTransfer, OfferedTransfer, ShownTransfer } from "./names/transfer-actions.ts";
export type { SetVisibility, ShownVisibility } from "./names/visibility-actions.ts";
export type { AdministrationParts, AdministrationRows } from "./parts.ts";
export type { ShownGroup, ShownGroupMember } from "./promotion/group-actions.ts";
export type { Difference, ExportedRelease } from "./promotion/release-actions.ts";
export type {
  ListedRelease,
  Promoted,
  ReleaseRun,
  ShownPlannedItem,
  ShownRelease,
} from "./promotion/release-schemas.ts";
export type {
  AddedSyndication,
  ShownSyndication,
  SwitchedSyndication,
} from "./promotion/syndication-actions.ts";
export type {
  AddedTarget,
  ShownTarget,
  SwitchedTarget,
  TestedTarget,
} from "./promotion/target-actions.ts";
export { realDate } from "./real-date.ts";
export type { RegistrySources } from "./sources/parts.ts";
export type { ShownPipeline } from "./pipelines/pipeline-actions.ts";
export type { ShownRegularJob } from "./jobs/regular-job-actions.ts";
export { timeIn } from "./times.ts";
export { busySentence, REFUSALS, RefusedActionError } from "./refusal.ts";
export type { ActionRefusal, RefusalReason, RefusedField } from "./refusal.ts";
export { unreadable } from "./sources/unreadable.ts";
export type {
  AddedSource,
  RemovedSource,
  ShownConflicts,
  ShownListedSource,
} from "./sources/source-actions.ts";
export type { ShownNameOutcome } from "./sources/name-actions.ts";
export type { ShownProbe } from "./sources/source-schemas.ts";
export type { ShownCheck } from "./content/check-actions.ts";
export type { DeletedName, DeletedVersion } from "./content/deletion-actions.ts";
export type { ChangedVersions, ListedVersion, ShownTombstone } from "./content/package-actions.ts";
export type {
  ListedGarbageReport,
  ShownCollection,
  ShownGarbageReport,
} from "./content/garbage-actions.ts";
export type { ShownHistoryEntry } from "./content/history-actions.ts";
export type { ShownHold } from "./content/hold-actions.ts";
export type { ShownRetention, ShownTagRetention } from "./content/retention-actions.ts";
export type { ShownSealKeys } from "./content/signature-actions.ts";
export type { ShownSigning } from "./content/signed-images.ts";
export type {
  RetiredCertificate,
  ShownCertificate,
  ShownRotation,
} from "./signing/certificate-actions.ts";
export type { ShownNpmKey } from "./signing/key-actions.ts";
export type { SigningKeys } from "./signing/parts.ts";
export type { Resigned } from "./signing/resign.ts";
export type { ShownAdvisoryImport, ShownAdvisorySource } from "./advisories/advisory-actions.ts";
export type { ApprovedLogin, ConfirmedLogin, DeniedLogin } from "./npm/login-actions.ts";
export type { Readiness, ShownSettings } from "./settings/parts.ts";
export type { ListedSettings, ShownHealth } from "./settings/settings-actions.ts";
export type { ShownRule } from "./rules/rule-actions.ts";
export type { ShownDelivery, ShownWebhook } from "./webhooks/shown-webhook.ts";
export type { AddedWebhook, ShownTest, WarnedWebhook } from "./webhooks/webhook-actions.ts";
export type { ShownAccount } from "./accounts/account-actions.ts";
export type { ShownMember, ShownTeam } from "./teams/team-actions.ts";
export type { ShownNewToken, ShownToken } from "./tokens/shown-token.ts";
export type { RevokedAtOnce, RevokedTokens } from "./tokens/token-revocations.ts";
export type { ShownUser } from "./users/user-actions.ts";
export { USER_ADVICE } from "./users/user-texts.ts";
