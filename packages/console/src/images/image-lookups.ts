import type { AccessRules } from "@sealhouse/identity";
import type {
  BlobCatalog,
  Digest,
  ManifestCatalog,
  ManifestDetails,
  OciPorts,
  RepositoryListing,
  RepositoryName,
} from "@sealhouse/oci-distribution";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { Site } from "../kit/page/model.ts";
import type { PageForms } from "../kit/forms/page-forms.ts";
import type { Withholding } from "../kit/packages/withheld-versions.ts";
import type { ManagesName } from "../kit/links/name-address.ts";

/** The data that the pages of container images show. */
export type ImageLookups = {
  readonly site: (request: Request, env: unknown) => Site;
  readonly rules: AccessRules;
  readonly oci: {
    readonly browsing: RepositoryListing & ManifestDetails;
    readonly manifests: ManifestCatalog;
    readonly blobs: BlobCatalog;
  };
  readonly imageFiles: OciPorts["files"];
  readonly served: ServedRepositories;
  readonly forms: PageForms;
  /** Keys that sign images; undefined when image signing is disabled. */
  readonly sealKeys?: SealKeys | undefined;
  /** Returns why an image is denied, or a newer one of its tag held back. Undefined = none is. */
  readonly withheld?: WithheldImage | undefined;
  readonly managesName?: ManagesName | undefined;
  /** Handles of the owners that publish a repository. Undefined = names have no owners. */
  readonly ownersOf?: ((repository: RepositoryName) => Promise<readonly string[]>) | undefined;
};

export type WithheldImage = (reference: {
  readonly repository: RepositoryName;
  readonly tag?: string | undefined;
  readonly digest: Digest;
}) => Promise<Withholding | undefined>;

export type ServedRepositories = {
  /** Whether repositories outside the segments are available. */
  readonly hasDefault: boolean;
  readonly segments: readonly { readonly name: string; readonly hostNames: readonly string[] }[];
};
