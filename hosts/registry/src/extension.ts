import type { SigningMode } from "@sealhouse/repo-signing";
import type { StorageType } from "@sealhouse/storage-providers";

/** A value that adds signing modes or storage types. Pass it to `openRegistry`, or name its module
 * in `Host__Extensions`. */
export type Extension = {
  readonly name: string;
  /** Further values of `Signing__Mode`. */
  readonly signingModes?: Readonly<Record<string, SigningMode>>;
  /** Further values of `Storage__Type`. */
  readonly storageTypes?: Readonly<Record<string, StorageType>>;
};
