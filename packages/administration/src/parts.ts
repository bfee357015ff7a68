import type { ActionJobs, Leases } from "@sealhouse/jobs";
import type { PolicyRules } from "@sealhouse/upstream-sources";
import type { AccountRows } from "./accounts/parts.ts";
import type { AdvisoryParts } from "./advisories/parts.ts";
import type { ContentParts } from "./content/parts.ts";
import type { RegularJobParts } from "./jobs/parts.ts";
import type { EventParts } from "./events/parts.ts";
import type { NameParts } from "./names/parts.ts";
import type { PromotionParts } from "./promotion/parts.ts";
import type { OperationParts } from "./settings/parts.ts";
import type { SigningParts, SigningRows } from "./signing/parts.ts";
import type { SourceParts } from "./sources/parts.ts";
import type { TeamParts, TeamRows } from "./teams/parts.ts";
import type { TokenParts, TokenRows } from "./tokens/parts.ts";
import type { UserRows } from "./users/parts.ts";

/** Rows that actions read and change. A database has them. */
export type AdministrationRows = {
  readonly leases: Leases;
  readonly administration: { readonly jobs: ActionJobs };
  readonly upstream: { readonly rules: PolicyRules };
} & TokenRows &
  UserRows &
  TeamRows &
  AccountRows &
  SigningRows;

/**
 * The parts of a registry that actions use. A host has them open; the command line opens each when
 * an action asks for it.
 */
export type AdministrationParts = AdvisoryParts &
  ContentParts &
  EventParts &
  NameParts &
  OperationParts &
  PromotionParts &
  SigningParts &
  RegularJobParts &
  SourceParts &
  TeamParts &
  TokenParts & {
    rows(): Promise<AdministrationRows>;
  };
