import type { Action, AdministrationParts } from "@sealhouse/administration";
import type { JobRunner } from "@sealhouse/administration/api";
import type { AdministratorSources } from "../administration/model.ts";

/** Lookups of the pages that are made from the actions of administrators. */
export type ActionSources = AdministratorSources & {
  readonly actions: {
    load(): Promise<readonly Action[]>;
    readonly parts: AdministrationParts;
    /** Runs long actions apart from their request. */
    readonly runner: JobRunner;
  };
};
