import type { AccessRules } from "@sealhouse/identity";
import type {
  BlobCatalog,
  ManifestCatalog,
  ManifestDetails,
  OciPorts,
  RepositoryListing,
} from "@sealhouse/oci-distribution";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { Site } from "../kit/model.ts";

/** The data that the pages of container images show. */
export type ImageSources = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly oci: {
    readonly browsing: RepositoryListing & ManifestDetails;
    readonly manifests: ManifestCatalog;
    readonly blobs: BlobCatalog;
  };
  readonly imageFiles: OciPorts["files"];
  readonly served: ServedRepositories;
  /** Key of the codes that protect the deletion form from requests of other sites. */
  readonly pepper: string;
  /** Keys that sign images; undefined when image signing is disabled. */
  readonly sealKeys?: SealKeys | undefined;
};

export type ServedRepositories = {
  /** Whether repositories outside the segments are available. */
  readonly hasDefault: boolean;
  readonly segments: readonly { readonly name: string; readonly hostNames: readonly string[] }[];
};
