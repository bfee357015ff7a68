import type {
  AccessRules,
  NameVisibilities,
  Ownerships,
  Policies,
  PolicyTrust,
  Teams,
  Transfers,
} from "@sealhouse/identity";
import type { Site } from "../kit/page/model.ts";
import type { PageForms } from "../kit/forms/page-forms.ts";
import type { AskConfirmation } from "../kit/forms/confirmed-forms.ts";

/** Lookups of the pages that manage names. */
export type NameSources = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly forms: PageForms;
  /** Asks sessions to confirm changes. */
  readonly confirm: AskConfirmation;
  readonly ownerships: Ownerships;
  readonly transfers: Transfers;
  readonly visibilities: Pick<NameVisibilities, "find" | "set" | "ownersOf">;
  readonly policies: Pick<Policies, "list" | "add" | "remove">;
  readonly teams: Pick<Teams, "find" | "members">;
  /** Issuers that pipelines may name. */
  readonly trust: PolicyTrust;
  readonly newId: () => string;
};
