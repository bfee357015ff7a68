import type { SigningMode } from "@sealhouse/repo-signing";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Setting } from "./settings/setting.ts";

/** Something installed beside the host, registered by passing it to `openRegistry`, or by naming
 * its module in `Host__Extensions`: a value, never a side effect of an import. */
export type Extension = {
  readonly name: string;
  /** Further values of `Signing__Mode`. */
  readonly signingModes?: Readonly<Record<string, SigningMode>>;
  /** Further values of `Storage__Type`. */
  readonly storageTypes?: Readonly<Record<string, StorageType>>;
};

export type StorageType = {
  /** Its settings by full key: documented, checked and masked like the host's own. */
  readonly settings: Readonly<Record<string, Setting>>;
  /** `values` holds the texts of `settings`, by full key. Throws an error that names the key to
   * correct; the host then does not start. */
  open(values: Readonly<Record<string, string>>): Promise<ObjectStore & Partial<AsyncDisposable>>;
};
