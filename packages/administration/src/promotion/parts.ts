import type { Promotion } from "@sealhouse/promotion";

/** Parts of a registry that publish to other registries. */
export type PromotionParts = {
  promotion(): Promise<Promotion>;
  /** Origins at which clients reach this registry, which no target may have. */
  ownOrigins(): Promise<readonly string[]>;
};
