import type { PolicyRules } from "@sealhouse/upstream-sources";
import type { EventParts } from "./events/parts.ts";
import type { NameParts } from "./names/parts.ts";
import type { ActionJobs } from "./ports.ts";
import type { PromotionParts } from "./promotion/parts.ts";
import type { SourceParts } from "./sources/parts.ts";

/** Rows that actions read and change. A database has them. */
export type AdministrationRows = {
  readonly administration: { readonly jobs: ActionJobs };
  readonly upstream: { readonly rules: PolicyRules };
};

/**
 * The parts of a registry that actions use. A host has them open; the command line opens each when
 * an action asks for it.
 */
export type AdministrationParts = EventParts &
  NameParts &
  PromotionParts &
  SourceParts & {
    rows(): Promise<AdministrationRows>;
  };
