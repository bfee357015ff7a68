import type { PolicyRules } from "@sealhouse/upstream-sources";
import type { AccountRows } from "./accounts/parts.ts";
import type { ActionJobs } from "./ports.ts";
import type { TeamParts, TeamRows } from "./teams/parts.ts";
import type { TokenParts, TokenRows } from "./tokens/parts.ts";
import type { UserRows } from "./users/parts.ts";

/** Rows that actions read and change. A database has them. */
export type AdministrationRows = {
  readonly administration: { readonly jobs: ActionJobs };
  readonly upstream: { readonly rules: PolicyRules };
} & TokenRows &
  UserRows &
  TeamRows &
  AccountRows;

/**
 * The parts of a registry that actions use. A host has them open; the command line opens each when
 * an action asks for it.
 */
export type AdministrationParts = {
  rows(): Promise<AdministrationRows>;
} & TokenParts &
  TeamParts;
