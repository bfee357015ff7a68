import type { AdvisorySourcesConfig } from "@sealhouse/advisories/settings";
import type { DatabaseStart } from "@sealhouse/database/settings";
import type { MailConfig } from "@sealhouse/events";
import type { WebhookConfig } from "@sealhouse/events/settings";
import type { ListenAddress } from "@sealhouse/http-server";
import type { HttpServerConfig } from "@sealhouse/http-server/settings";
import type { PepperSource, SignInConfig } from "@sealhouse/identity";
import type { TrustedPublishingConfig } from "@sealhouse/identity/settings";
import type { NpmConfig } from "@sealhouse/npm-protocol/settings";
import type { NuGetConfig, RetentionConfig } from "@sealhouse/nuget-protocol/settings";
import type {
  OciConfig,
  OciGarbageConfig,
  OciSealConfig,
  OciTagsConfig,
} from "@sealhouse/oci-distribution/settings";
import type { SigningConfig } from "@sealhouse/repo-signing/feed";
import type { StorageConfig } from "@sealhouse/storage-providers/settings";
import type { FeedOfSources, MirrorConfig } from "@sealhouse/upstream-sources/settings";

/** The settings of a host that its commands use. */
export type Config = DatabaseStart & {
  /** Absolute. */
  readonly dataPath: string;
  readonly host: Pick<HttpServerConfig, "allowPrivateAddresses" | "outgoingProxy"> & {
    readonly serverName: string;
    readonly addresses: readonly ListenAddress[];
    readonly pepper: PepperSource;
  };
  readonly feed: Pick<FeedOfSources, "anonymousPull" | "publicBaseUrls"> & {
    /** The id of the feed. */
    readonly name: string;
    readonly vulnerabilities: AdvisorySourcesConfig;
    readonly nuget: NuGetConfig;
    readonly npm: NpmConfig;
    readonly oci: OciConfig;
    readonly trustedPublishing: TrustedPublishingConfig;
  };
  /** Undefined: people sign in at no identity provider. */
  readonly signIn?: { readonly provider: Pick<SignInConfig["provider"], "name"> };
  readonly storage: StorageConfig;
  readonly signing: SigningConfig;
  /** Signing of container images; undefined when it is off. */
  readonly ociSeal?: OciSealConfig;
  readonly retention: RetentionConfig;
  readonly ociTags: OciTagsConfig;
  readonly ociGarbage: OciGarbageConfig;
  readonly mirror: MirrorConfig;
  readonly webhooks: Pick<WebhookConfig, "allowPrivateAddresses">;
  /** Undefined: no mail. */
  readonly mail?: MailConfig;
};
