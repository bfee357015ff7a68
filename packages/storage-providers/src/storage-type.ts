import type { Setting } from "@sealhouse/settings";
import type { ObjectStore } from "./object-store.ts";

export type StorageContext = {
  /** Checked values of the type's settings by full key. A key without a value has no entry. */
  readonly values: Readonly<Record<string, string>>;
  /** Returns any setting or environment variable by name, such as a secret's. */
  named(name: string): string | undefined;
};

/** A value of `Storage__Type`. */
export type StorageType = {
  /** By full key: `Storage__Sqlite__Path`. */
  readonly settings: Readonly<Record<string, Setting>>;
  /**
   * Opens the store. The host disposes of it at the end.
   *
   * @throws {StorageSettingError} when the operator must correct a setting
   * @throws {StorageError} when the store is unavailable
   */
  open(context: StorageContext): Promise<ObjectStore>;
};

/** What the module of a storage driver exports as `extension`. */
export type StorageExtension = {
  readonly name: string;
  /** By value of `Storage__Type`. */
  readonly storageTypes: Readonly<Record<string, StorageType>>;
};

/** A setting has an unusable value. The message gives the reason and an allowed value. */
export class StorageSettingError extends Error {
  /** Matches the class of another copy of this package too: an extension may have its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "StorageSettingError";
  }

  override readonly name = "StorageSettingError";
  readonly code = "storage-setting-invalid";
  /** Full key: `Storage__Sqlite__Path`. */
  readonly key: string;

  constructor(key: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.key = key;
  }
}
