import { typedValues } from "@sealhouse/settings";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { StorageContext } from "@sealhouse/storage-providers";
import { addressParameters, settingsWithAddress } from "@sealhouse/storage-providers/remote";
import type { ConnectionString, SettingTexts } from "@sealhouse/storage-providers/remote";
import { GOOGLE_CLOUD_SETTINGS } from "./settings/table.ts";

/** A bucket, and how to reach it. */
export type GoogleConfig = {
  readonly bucket: string;
  readonly prefix?: string;
  /** Undefined uses application default credentials. */
  readonly credentialsPath?: string;
  /** Address of an emulator, without a trailing slash; it gets no credentials. */
  readonly emulator?: string;
};

const DEFAULT_EMULATOR = "http://localhost:4443";
const BUCKET = /^[a-z0-9](?:[a-z0-9._-]{1,220})[a-z0-9]$/;

/** Settings by the names of the parameters of a connection string. */
const PARAMETERS = {
  prefix: "Storage__Prefix",
  credentialsPath: "Storage__CredentialsPath",
  emulatorHost: "Storage__EmulatorHost",
} as const;

type Key = keyof typeof GOOGLE_CLOUD_SETTINGS;
type Texts = SettingTexts<Key>;

/** @throws {StorageSettingError} that names the setting to correct */
export function readGoogleConfig(context: StorageContext): GoogleConfig {
  const texts = settingsWithAddress(context, parseAddress);
  const bucket = texts["Storage__Bucket"];
  if (bucket === undefined) {
    throw new StorageSettingError(
      "Storage__Bucket",
      "is required when Storage__Type is Gcs, or Storage__ConnectionString instead",
    );
  }
  if (!BUCKET.test(bucket)) {
    throw new StorageSettingError(
      "Storage__Bucket",
      `"${bucket}" is not a bucket name: 3 to 222 lower-case letters, digits and . _ -`,
    );
  }
  const emulator = readEmulator(context, texts);
  const prefix = texts["Storage__Prefix"];
  const credentialsPath = texts["Storage__CredentialsPath"];
  if (emulator !== undefined && credentialsPath !== undefined) {
    throw new StorageSettingError(
      "Storage__CredentialsPath",
      "contradicts the emulator, which gets no credentials; remove one of the two",
    );
  }
  return {
    bucket,
    ...(prefix && { prefix }),
    ...(credentialsPath && { credentialsPath }),
    ...(emulator && { emulator }),
  };
}

function parseAddress(connection: ConnectionString): Texts {
  const { key, text } = connection;
  const address = /^gs:\/\/(?<bucket>[^/?#]+)\/?(?:\?(?<query>.*))?$/.exec(text.trim())?.groups;
  if (!address) {
    throw new StorageSettingError(key, "is not a connection string: gs://bucket?prefix=feeds/acme");
  }
  const { bucket = "", query = "" } = address;
  return { Storage__Bucket: bucket, ...addressParameters(connection, query, PARAMETERS) };
}

function readEmulator(context: StorageContext, texts: Texts): string | undefined {
  const used = typedValues(GOOGLE_CLOUD_SETTINGS, context.values).get("Storage__UseEmulator");
  const host = texts["Storage__EmulatorHost"];
  if (used === false || (used === undefined && host === undefined)) return undefined;
  const text = host ?? (context.named("STORAGE_EMULATOR_HOST") || DEFAULT_EMULATOR);
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (URL.canParse(url)) return new URL(url).origin;
  throw new StorageSettingError("Storage__EmulatorHost", `"${text}" is not an address`);
}
