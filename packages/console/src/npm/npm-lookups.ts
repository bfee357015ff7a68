import type { AccessRules } from "@sealhouse/identity";
import type {
  NpmAdvisories,
  NpmAttestations,
  NpmDependents,
  NpmHistory,
  NpmSearch,
  NpmSigningKeys,
  VerifyBundle,
} from "@sealhouse/npm-protocol";
import type { Site } from "../kit/page/model.ts";
import type { NamePlaces } from "../kit/links/name-links.ts";
import type { WithheldVersions } from "../kit/packages/withheld-versions.ts";
import type { ManagesName } from "../kit/links/name-address.ts";

/** Lookups and access rules of the npm pages. */
export type NpmLookups = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly npm: {
    readonly history: NpmHistory;
    readonly search: NpmSearch;
    readonly advisories: NpmAdvisories;
    readonly dependents: NpmDependents;
    readonly signingKeys: Pick<NpmSigningKeys, "announced">;
    readonly attestations: Pick<NpmAttestations, "of">;
  };
  /** Verifies the signatures of provenance attestations. */
  readonly verifyBundle: VerifyBundle;
  /** Undefined = no version is ever held back or denied. */
  readonly withheld?: WithheldVersions | undefined;
  readonly places: NamePlaces;
  readonly managesName?: ManagesName | undefined;
};
