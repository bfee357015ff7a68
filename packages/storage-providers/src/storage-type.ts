import type { Setting } from "@sealhouse/settings";
import type { ObjectStore } from "./object-store.ts";

/** Settings for opening a storage type. */
export type StorageContext = {
  /** Validated values of the type's settings by full key; only keys with a value. */
  readonly values: Readonly<Record<string, string>>;
  /** Returns any setting or environment variable by name, such as a secret's. */
  named(name: string): string | undefined;
};

/** A value of `Storage__Type`. */
export type StorageType = {
  /** Settings by full key, such as `Storage__Sqlite__Path`. */
  readonly settings: Readonly<Record<string, Setting>>;
  /**
   * Opens the store. The host disposes of it at the end.
   *
   * @throws {StorageSettingError} when the operator must correct a setting
   * @throws {StorageError} when the store is unavailable
   */
  open(context: StorageContext): Promise<ObjectStore>;
};

/** The export `extension` of a storage driver's module. */
export type StorageExtension = {
  readonly name: string;
  /** By value of `Storage__Type`. */
  readonly storageTypes: Readonly<Record<string, StorageType>>;
};

/** A setting has an unusable value. The message gives the reason and an allowed value. */
export class StorageSettingError extends Error {
  /** Also matches the class of another copy of this package, which an extension may contain. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && "code" in value && value.code === "storage-setting-invalid";
  }

  override readonly name = "StorageSettingError";
  readonly code = "storage-setting-invalid";
  /** Full key, such as `Storage__Sqlite__Path`. */
  readonly key: string;

  constructor(key: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.key = key;
  }
}
