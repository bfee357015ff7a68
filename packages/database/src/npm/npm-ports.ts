import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createTrustedPublishers } from "../trust/trusted-publishers.ts";
import { createNpmAdvisories } from "./advisories.ts";
import { createNpmAttestations } from "./attestations.ts";
import { createNpmDependents } from "./dependents.ts";
import { createNpmHistory } from "./npm-history.ts";
import { createNpmLifecycle } from "./npm-lifecycle.ts";
import { createNpmLookup } from "./npm-lookup.ts";
import { createNpmRecorder } from "./npm-recorder.ts";
import { createNpmSearch } from "./npm-search.ts";
import { createNpmOwners } from "./owners.ts";
import { createNpmSigningKeys, createUnsignedVersions } from "./signing-keys.ts";
import { createNpmStaging } from "./staging.ts";

/** Composes the ports of npm. */
export function createNpmPorts({ type, port, queries, changes }: PortContext): Database["npm"] {
  return {
    lookup: createNpmLookup(port),
    recorder: createNpmRecorder(changes),
    lifecycle: createNpmLifecycle(port, changes),
    owners: createNpmOwners(port, changes),
    trustedPublishers: createTrustedPublishers(queries, changes, "npm"),
    dependents: createNpmDependents(port, type),
    history: createNpmHistory(port),
    search: createNpmSearch(port, type),
    attestations: createNpmAttestations(queries),
    advisories: createNpmAdvisories({ queries }),
    signingKeys: createNpmSigningKeys(port, changes),
    unsigned: createUnsignedVersions(port, changes),
    staging: createNpmStaging(queries, changes),
  };
}
