import { typedValues } from "@sealhouse/settings";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { StorageContext } from "@sealhouse/storage-providers";
import { connectionStringOf } from "@sealhouse/storage-providers/remote";
import { GOOGLE_CLOUD_SETTINGS } from "./settings/table.ts";

/** The checked settings of a store. */
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
  credentialspath: "Storage__CredentialsPath",
  emulatorhost: "Storage__EmulatorHost",
} as const;

type Key = keyof typeof GOOGLE_CLOUD_SETTINGS;
type Texts = Readonly<Partial<Record<Key, string>>>;

/** @throws {StorageSettingError} that names the setting to correct */
export function readGoogleConfig(context: StorageContext): GoogleConfig {
  const texts = withConnectionString(context);
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

/** The single settings with those of the connection string. */
function withConnectionString(context: StorageContext): Texts {
  const own = Object.fromEntries(
    Object.entries(context.values).filter(([, text]) => text !== ""),
  ) as Texts;
  const connection = connectionStringOf(context);
  if (!connection) return own;
  const texts: Partial<Record<Key, string>> = { ...own };
  for (const [key, text] of parseAddress(connection)) {
    if (own[key] !== undefined && own[key] !== text) {
      throw new StorageSettingError(
        key,
        `contradicts ${connection.key}, which has another value; remove one of the two`,
      );
    }
    texts[key] = text;
  }
  return texts;
}

function parseAddress({
  key,
  text,
}: {
  readonly key: string;
  readonly text: string;
}): readonly (readonly [Key, string])[] {
  const address = /^gs:\/\/(?<bucket>[^/?#]+)\/?(?:\?(?<query>.*))?$/.exec(text.trim())?.groups;
  if (!address) {
    throw new StorageSettingError(key, "is not a connection string: gs://bucket?prefix=feeds/acme");
  }
  const parameters = [...new URLSearchParams(address["query"])].map(([name, value]) => {
    const lowerName = name.toLowerCase();
    const own = Object.entries(PARAMETERS).find(([parameter]) => parameter === lowerName)?.[1];
    if (own !== undefined) return [own, value] as const;
    throw new StorageSettingError(
      key,
      `has the unknown parameter "${name}"; allowed: prefix, credentialsPath, emulatorHost`,
    );
  });
  return [["Storage__Bucket", address["bucket"] ?? ""], ...parameters];
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
