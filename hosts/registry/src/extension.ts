import type { Signer } from "@sealhouse/repo-signing";
import type { ObjectStore } from "@sealhouse/storage-providers";
import type { Setting } from "./settings/table.ts";

/** Something installed beside the host, registered by passing it to `openRegistry`: a value, never
 * a side effect of an import. */
export type Extension = {
  readonly name: string;
  /** Further values of `Signing__Mode`. */
  readonly signingModes?: Readonly<Record<string, Option<Signer>>>;
  /** Further values of `Storage__Type`. */
  readonly storageTypes?: Readonly<Record<string, Option<ObjectStore>>>;
};

export type Option<Opened> = {
  /** Its settings by full key: documented, checked for spelling and masked like the host's own. */
  readonly settings: Readonly<Record<string, Setting>>;
  /** `values` holds the texts of `settings`, by full key. Throws an error that names the key to
   * correct; the host then does not start. */
  open(values: Readonly<Record<string, string>>): Promise<Opened & Partial<AsyncDisposable>>;
};
