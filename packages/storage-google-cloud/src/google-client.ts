import { readFile } from "node:fs/promises";
import type { Storage } from "@google-cloud/storage";
import type { JWTInput } from "google-auth-library";
import { StorageSettingError } from "@sealhouse/storage-providers";
import type { GoogleConfig } from "./google-config.ts";

/** A request to the JSON API. */
export type GoogleRequest = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Complete, or a path of the API with its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Leaves the body of the answer to the caller, as a stream. */
  readonly streamed?: true;
  readonly signal: AbortSignal;
};

/** The answer of the JSON API: success, or 308 for an upload that is not complete. */
export type GoogleAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, a stream, or text. */
  readonly data: unknown;
};

/** Google's client for one bucket, with credentials. */
export type GoogleClient = {
  /** Rejects with the error of the client for every other status. Does not retry. */
  request(request: GoogleRequest): Promise<GoogleAnswer>;
  readonly bucket: string;
  /** Path of the bucket's API for objects: `/storage/v1/b/{bucket}/o`. */
  readonly objects: string;
  /** Path for uploads to the bucket. */
  readonly uploads: string;
  readonly hint: string;
  /** Setting with the address of the service; undefined for Google's own. */
  readonly addressKey: string | undefined;
  /** Returns an address for reading. Rejects when the credentials cannot sign one. */
  presign(name: string, expires: Date): Promise<string>;
  /** Whether the credentials can sign; asks Google when the key is not in a file. */
  canSign(): Promise<boolean>;
};

/** Also signs addresses with the account of a machine. Its roles limit what it may do. */
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/**
 * Loads the SDK. Sends no request. `endpoint` replaces the address of Google, for tests that need
 * credentials.
 */
export async function connectGoogle(
  config: GoogleConfig & { readonly endpoint?: string },
): Promise<GoogleClient> {
  const [{ Storage }, auth] = await Promise.all([
    import("@google-cloud/storage"),
    import("google-auth-library"),
  ]);
  const { bucket, emulator, credentialsPath } = config;
  const endpoint = emulator ?? config.endpoint;
  const authClient =
    emulator === undefined ? new auth.GoogleAuth({ scopes: SCOPE }) : new auth.PassThroughClient();
  if (credentialsPath !== undefined && authClient instanceof auth.GoogleAuth) {
    // What the option `keyFilename` does, which prints a warning on standard error.
    authClient.jsonContent = await readCredentials(credentialsPath);
  }
  const storage = new Storage({ authClient, ...(endpoint && { apiEndpoint: endpoint }) });
  const hint = credentialsHint(config);
  const file = (name: string) => storage.bucket(bucket).file(name);
  return {
    bucket,
    objects: `/storage/v1/b/${bucket}/o`,
    uploads: `/upload/storage/v1/b/${bucket}/o`,
    hint,
    addressKey: config.emulator === undefined ? undefined : "Storage__EmulatorHost",
    request: (request) => send(storage, request),
    async presign(name, expires) {
      const [url] = await file(name).getSignedUrl({ version: "v4", action: "read", expires });
      return url;
    },
    async canSign() {
      if (emulator !== undefined) return false;
      try {
        await storage.authClient.sign("trial");
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** @throws {StorageSettingError} when the file has no credentials */
async function readCredentials(path: string): Promise<JWTInput> {
  const key = "Storage__CredentialsPath";
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new StorageSettingError(key, `${path} cannot be read`, { cause });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "type" in value) return value as JWTInput;
  } catch {
    // The error of the parser has a part of the text.
  }
  throw new StorageSettingError(key, `${path} is not a JSON file with credentials of Google Cloud`);
}

/** The error for credentials that Google refuses, by the setting that selects them. */
export function refusedCredentials(config: GoogleConfig, hint: string): StorageSettingError {
  const key = config.credentialsPath === undefined ? "Storage__Bucket" : "Storage__CredentialsPath";
  return new StorageSettingError(
    key,
    `Google refuses the credentials for ${config.bucket}; check ${hint}`,
  );
}

function credentialsHint({ credentialsPath, emulator }: GoogleConfig): string {
  if (emulator !== undefined) return "Storage__EmulatorHost";
  const role = "the role Storage Object Admin on the bucket";
  return credentialsPath === undefined
    ? `the application default credentials and ${role}`
    : `Storage__CredentialsPath and ${role}`;
}

/**
 * The client's classes for objects take no abort signal and no timeout, so requests go through its
 * authorized transport.
 */
async function send(
  storage: Storage,
  { method, url, headers = {}, body, streamed, signal }: GoogleRequest,
): Promise<GoogleAnswer> {
  const answer = await storage.authClient.request<unknown>({
    method,
    url: url.startsWith("/") ? `${storage.apiEndpoint}${url}` : url,
    headers,
    ...(body !== undefined && { data: body }),
    ...(streamed && { responseType: "stream" as const }),
    signal,
    retry: false,
    // An upload that is not complete answers 308, which is not a redirect.
    redirect: "manual",
    validateStatus: (status: number) => (status >= 200 && status < 300) || status === 308,
  });
  return { status: answer.status, headers: answer.headers, data: answer.data };
}
