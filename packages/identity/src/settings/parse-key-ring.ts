import { join, resolve } from "node:path";
import type { Settings } from "@sealhouse/settings";
import { parseWrappingKey } from "../key-ring/wrapping-key.ts";
import type { WrappingKeySource } from "../key-ring/wrapping-key.ts";
import { IDENTITY_SETTINGS } from "./table.ts";

/** Settings of the key ring. */
export type KeyRingConfig = {
  /** Absolute. */
  readonly path: string;
  readonly applicationName: string;
  /** No path is set. */
  readonly isDefault: boolean;
  /** Undefined: the key files contain their keys in plain text. */
  readonly wrappingKey?: WrappingKeySource;
};

const VALUE = "Host__DataProtection__KeyEncryptionKey";
const FILE = "Host__DataProtection__KeyEncryptionKeyPath";
/** Random bytes have more; a placeholder has fewer. */
const DIFFERENT_BYTES_MIN = 8;

/** Parses the settings of the key ring. `dataPath` contains the default folder. */
export function parseKeyRing(settings: Settings, dataPath: string): KeyRingConfig {
  const own = settings.of(IDENTITY_SETTINGS);
  const path = own.get("Host__DataProtection__KeyPath");
  const wrappingKey = wrappingKeyOf(settings);
  return {
    path: path === undefined ? join(dataPath, "dataprotection-keys") : resolve(path),
    applicationName: own.get("Host__DataProtection__ApplicationName"),
    isDefault: path === undefined,
    ...(wrappingKey && { wrappingKey }),
  };
}

function wrappingKeyOf(settings: Settings): WrappingKeySource | undefined {
  const own = settings.of(IDENTITY_SETTINGS);
  const value = own.get(VALUE);
  const path = own.get(FILE);
  if (value !== undefined && path !== undefined) {
    settings.problem(FILE, `is set in addition to ${VALUE}; set only one of them`);
  }
  if (value === undefined)
    return path === undefined ? undefined : { type: "file", path: resolve(path) };
  const secret = parseWrappingKey(value);
  if (!secret || new Set(secret).size < DIFFERENT_BYTES_MIN) {
    settings.problem(
      VALUE,
      "is not a random key; allowed: 32 random bytes as base64, such as the output of " +
        "`openssl rand -base64 32`",
    );
  }
  return { type: "value", value };
}
