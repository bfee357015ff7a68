import type { Database, DownloadCounts } from "@sealhouse/database";
import type { DescribeUnavailable, DocumentStore } from "@sealhouse/http-responses";
import type { VerifyBundle } from "@sealhouse/npm-protocol";
import type { SealKeys } from "@sealhouse/oci-distribution/seal";
import type { BlobMemory } from "@sealhouse/storage-providers";
import type { AccessRules } from "./access.ts";
import type { Metrics } from "../metrics.ts";
import type { Config } from "../settings/config.ts";
import type { Holdings } from "./holdings.ts";
import type { NpmSignatures } from "./npm-signatures.ts";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";

/** What the protocols' ports are made of. */
export type Parts = {
  readonly config: Config;
  readonly database: Database;
  readonly documents: DocumentStore;
  readonly blobs: Holdings["blobs"];
  /** Reads npm's blobs. */
  readonly tarballs: BlobMemory;
  readonly rules: AccessRules;
  /** What tokens are hashed with. */
  readonly pepper: string;
  readonly signing: FeedSigning;
  readonly npmSignatures: NpmSignatures;
  /** What images are signed with; undefined where they are not. */
  readonly sealKeys: SealKeys | undefined;
  readonly verifyBundle: VerifyBundle;
  readonly metrics: Metrics;
  readonly downloads: DownloadCounts;
  /** Which errors are answered with 503. */
  readonly unavailable: DescribeUnavailable;
};
