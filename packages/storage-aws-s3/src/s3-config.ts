import { typedValues } from "@sealhouse/settings";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { StorageContext } from "@sealhouse/storage-providers";
import { addressParameters, settingsWithAddress } from "@sealhouse/storage-providers/remote";
import type { ConnectionString, SettingTexts } from "@sealhouse/storage-providers/remote";
import { AWS_S3_SETTINGS } from "./settings/table.ts";

/** Source of the credentials. */
export type S3Credentials =
  | {
      readonly type: "access-key";
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    }
  /** The role of the machine. */
  | { readonly type: "instance" }
  | { readonly type: "profile"; readonly name: string }
  /** The default chain of the SDK. */
  | { readonly type: "default" };

/** A role that the credentials assume. */
export type S3Role = {
  readonly arn: string;
  readonly sessionName: string;
  /** Undefined is the public endpoint of the region. */
  readonly stsUrl?: string;
};

/** A bucket, and how to reach it. */
export type S3Config = {
  readonly bucket: string;
  readonly region: string;
  /** Folder of all objects. */
  readonly prefix?: string;
  /** Undefined is the public endpoint of the region. */
  readonly endpoint?: string;
  /** Most stores other than Amazon's need it. */
  readonly forcePathStyle: boolean;
  readonly credentials: S3Credentials;
  readonly role?: S3Role;
};

/** A bucket with the defaults: no `forcePathStyle`, and the credentials that the SDK finds. */
export type S3Options = Omit<S3Config, "forcePathStyle" | "credentials"> &
  Partial<Pick<S3Config, "forcePathStyle" | "credentials">>;

type Key = keyof typeof AWS_S3_SETTINGS;
type Texts = SettingTexts<Key>;

/** Settings by the names of the parameters of a connection string. */
const PARAMETERS = {
  region: "Storage__Region",
  endpoint: "Storage__ServiceUrl",
  forcePathStyle: "Storage__ForcePathStyle",
  prefix: "Storage__Prefix",
} as const satisfies Readonly<Record<string, Key>>;

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
/** It becomes part of a host name. */
const REGION = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/;
const ROLE = /^arn:[a-z-]+:iam::\d*:role\/.+$/;
const SESSION = /^[\w+=,.@-]{2,64}$/;
const DEFAULT_SESSION = "sealhouse";
const OTHER_STORE_REGION = "us-east-1";

/** @throws {StorageSettingError} that names the setting to correct */
export function readS3Config(context: StorageContext): S3Config {
  const texts = settingsWithAddress(context, parseAddress);
  const role = readRole(texts);
  const { Storage__Prefix: prefix, Storage__ServiceUrl: endpoint } = texts;
  return {
    bucket: readBucket(texts),
    region: readRegion(texts),
    forcePathStyle: texts["Storage__ForcePathStyle"] === "true",
    credentials: readCredentials(context, texts),
    ...(prefix !== undefined && { prefix }),
    ...(endpoint !== undefined && { endpoint }),
    ...(role && { role }),
  };
}

/** The secret may contain slashes, as those of AWS do; other special characters are encoded. */
const ADDRESS = new RegExp(
  "^s3://(?:(?<id>[^:@?#]*)(?::(?<secret>[^@?#]*))?@)?" +
    String.raw`(?<bucket>[^/?#@:]+)/?(?:\?(?<query>.*))?$`,
);

function parseAddress(connection: ConnectionString): Texts {
  const { key, text } = connection;
  const address = ADDRESS.exec(text.trim())?.groups;
  if (!address) {
    throw new StorageSettingError(
      key,
      "is not a connection string: s3://key:secret@bucket?region=eu-west-1&prefix=feeds/acme",
    );
  }
  const { id = "", secret = "", bucket = "", query = "" } = address;
  if ((id === "") !== (secret === "")) {
    const missing = id === "" ? "a secret without its access key" : "an access key without secret";
    throw new StorageSettingError(key, `has ${missing}: s3://key:secret@bucket`);
  }
  const parameters = addressParameters(connection, query, PARAMETERS);
  checkParameters(connection, parameters);
  return {
    Storage__Bucket: bucket,
    ...(id !== "" && {
      Storage__AccessKey: decoded(connection, id),
      Storage__SecretKey: decoded(connection, secret),
    }),
    ...parameters,
  };
}

function decoded({ key }: ConnectionString, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StorageSettingError(
      key,
      "has a percent sign that is not part of an encoded character; write it as %25",
    );
  }
}

/** The host has not checked these texts as it checks single settings. */
function checkParameters({ key }: ConnectionString, parameters: Texts): void {
  const { Storage__ServiceUrl: endpoint, Storage__ForcePathStyle: style } = parameters;
  const isUrl = endpoint === undefined || /^https?:\/\/[^/]/.test(endpoint);
  if (!isUrl || (endpoint !== undefined && !URL.canParse(endpoint))) {
    throw new StorageSettingError(key, `has the endpoint "${endpoint}", which is not an http URL`);
  }
  if (style !== undefined && style !== "true" && style !== "false") {
    throw new StorageSettingError(
      key,
      `has forcePathStyle=${style}; the allowed values are true and false`,
    );
  }
}

function readBucket({ Storage__Bucket: bucket }: Texts): string {
  if (bucket === undefined) {
    throw new StorageSettingError(
      "Storage__Bucket",
      "is required when Storage__Type is AwsS3, or Storage__ConnectionString instead",
    );
  }
  if (BUCKET.test(bucket)) return bucket;
  throw new StorageSettingError(
    "Storage__Bucket",
    `"${bucket}" is not a bucket name: 3 to 255 letters, digits and . _ -`,
  );
}

function readRegion(texts: Texts): string {
  const { Storage__ServiceUrl: endpoint, Storage__Region: region } = texts;
  const text = region ?? (endpoint === undefined ? undefined : OTHER_STORE_REGION);
  if (text === undefined) {
    throw new StorageSettingError(
      "Storage__Region",
      "is required, such as eu-west-1, or Storage__ServiceUrl for another store than AWS",
    );
  }
  if (REGION.test(text)) return text;
  throw new StorageSettingError(
    "Storage__Region",
    `"${text}" is not a region; a region of AWS looks like eu-west-1`,
  );
}

function readCredentials(context: StorageContext, texts: Texts): S3Credentials {
  const accessKeyId = texts["Storage__AccessKey"];
  const secretAccessKey = readSecret(context, texts);
  const name = texts["Storage__Profile"];
  const values = typedValues(AWS_S3_SETTINGS, context.values);
  const isInstance = values.get("Storage__UseInstanceProfile");
  if (accessKeyId !== undefined && secretAccessKey === undefined) {
    throw new StorageSettingError("Storage__SecretKey", "is required with Storage__AccessKey");
  }
  if (accessKeyId === undefined && secretAccessKey !== undefined) {
    throw new StorageSettingError("Storage__AccessKey", "is required with Storage__SecretKey");
  }
  if (isInstance && accessKeyId !== undefined) {
    throw contradiction("Storage__AccessKey", "Storage__UseInstanceProfile=true");
  }
  if (isInstance && name !== undefined) {
    throw contradiction("Storage__Profile", "Storage__UseInstanceProfile=true");
  }
  if (name !== undefined && accessKeyId !== undefined) {
    throw contradiction("Storage__Profile", "Storage__AccessKey");
  }
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { type: "access-key", accessKeyId, secretAccessKey };
  }
  if (name !== undefined) return { type: "profile", name };
  return { type: isInstance ? "instance" : "default" };
}

function contradiction(key: Key, other: string): StorageSettingError {
  return new StorageSettingError(key, `contradicts ${other}; remove one of the two`);
}

const NAMED_SECRET = "Storage__SecretKeyConfigurationKey";

function readSecret(context: StorageContext, texts: Texts): string | undefined {
  const name = texts[NAMED_SECRET]?.trim();
  if (!name) return texts["Storage__SecretKey"];
  const text = context.named(name);
  if (text) return text;
  throw new StorageSettingError(
    NAMED_SECRET,
    `there is no setting or environment variable ${name}`,
  );
}

function readRole(texts: Texts): S3Role | undefined {
  const arn = texts["Storage__AssumeRoleArn"];
  const sessionName = texts["Storage__RoleSessionName"];
  const stsUrl = texts["Storage__StsServiceUrl"];
  if (arn === undefined) {
    const useless =
      sessionName === undefined ? "Storage__StsServiceUrl" : "Storage__RoleSessionName";
    if (sessionName === undefined && stsUrl === undefined) return undefined;
    throw new StorageSettingError(useless, "has no effect without Storage__AssumeRoleArn");
  }
  if (!ROLE.test(arn)) {
    throw new StorageSettingError(
      "Storage__AssumeRoleArn",
      `"${arn}" is not the ARN of a role: arn:aws:iam::123456789012:role/registry`,
    );
  }
  if (sessionName !== undefined && !SESSION.test(sessionName)) {
    throw new StorageSettingError(
      "Storage__RoleSessionName",
      `"${sessionName}" is not a session name: 2 to 64 letters, digits and _ + = , . @ -`,
    );
  }
  return { arn, sessionName: sessionName ?? DEFAULT_SESSION, ...(stsUrl && { stsUrl }) };
}
