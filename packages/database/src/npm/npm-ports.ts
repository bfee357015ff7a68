import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createTrustedPublishers } from "../trust/trusted-publishers.ts";
import { createNpmAdvisories } from "./advisories.ts";
import { createNpmAttestations } from "./attestations.ts";
import { createNpmDependents } from "./dependents.ts";
import { createNpmHistory } from "./npm-history.ts";
import { createNpmLifecycle } from "./npm-lifecycle.ts";
import { createNpmLookup } from "./npm-lookup.ts";
import { createNpmPast } from "./npm-past.ts";
import { createNpmRecorder } from "./npm-recorder.ts";
import { fillEntries } from "./search/fill-entries.ts";
import { createNpmSearch } from "./search/npm-search.ts";
import { createNpmOwners } from "./owners.ts";
import { createNpmSigningKeys, createUnsignedVersions } from "./signing-keys.ts";
import { createNpmTeams } from "./teams.ts";
import { createNpmStaging } from "./staging.ts";

/** Composes the ports of npm. */
export function createNpmPorts(context: PortContext): Database["npm"] {
  return {
    lookup: createNpmLookup(context),
    past: createNpmPast(context.queries, context.beginning),
    recorder: createNpmRecorder(context),
    lifecycle: createNpmLifecycle(context),
    owners: createNpmOwners(context),
    teams: createNpmTeams(context),
    trustedPublishers: createTrustedPublishers(context.queries, context.changes, "npm"),
    dependents: createNpmDependents(context),
    history: createNpmHistory(context),
    search: createNpmSearch(context),
    fillSearch: (after, signal) => fillEntries(context, after, signal),
    attestations: createNpmAttestations(context),
    advisories: createNpmAdvisories(context),
    signingKeys: createNpmSigningKeys(context),
    unsigned: createUnsignedVersions(context),
    staging: createNpmStaging(context),
  };
}
